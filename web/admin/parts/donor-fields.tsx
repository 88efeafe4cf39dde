import type { ComponentChildren } from 'preact';
import { CheckField, TextField } from '../../desk/fields.js';
import { t } from '../../desk/texts.js';
import type { Form } from './form.js';
import { TributeFields, type TributeTexts } from './tribute-fields.js';

/** Donor data of a record, as a form contains them. Absent text is blank. */
export interface DonorTexts extends TributeTexts {
  readonly donorName: string;
  readonly donorEmail: string;
  readonly isAnonymous: boolean;
  readonly isAmountHidden: boolean;
  readonly message: string;
  /** Note of the team. */
  readonly note: string;
}

interface Props {
  readonly form: Pick<Form<DonorTexts>, 'field' | 'error'>;
  /** Lines of the message and of the note; one line by default. */
  readonly rows?: number;
  readonly messageHint?: string;
  readonly anonymousHint?: string;
  readonly autoFocus?: boolean;
  /** Further fields of the form, between the address and the message. */
  readonly children: ComponentChildren;
}

/** The fields about the donor, the same for a new record and for a correction. */
export function DonorFields({ form, rows, messageHint, anonymousHint, autoFocus = false, children }: Props) {
  const [donorName, setName] = form.field('donorName');
  const [donorEmail, setEmail] = form.field('donorEmail');
  const [isAnonymous, setAnonymous] = form.field('isAnonymous');
  const [isAmountHidden, setAmountHidden] = form.field('isAmountHidden');
  const [message, setMessage] = form.field('message');
  const [note, setNote] = form.field('note');
  return (
    <>
      <div class="pair">
        <TextField
          label={t('donor.name')}
          value={donorName}
          error={form.error('donorName')}
          maxLength={200}
          onValue={setName}
          autoFocus={autoFocus}
          optional
        />
        <TextField
          label={t('field.email')}
          type="email"
          value={donorEmail}
          error={form.error('donorEmail')}
          maxLength={254}
          onValue={setEmail}
          optional
        />
      </div>
      {children}
      <TextField
        label={t('donation.message')}
        hint={messageHint}
        value={message}
        error={form.error('message')}
        rows={rows}
        maxLength={500}
        onValue={setMessage}
        optional
      />
      <CheckField
        label={t('donation.anonymous')}
        hint={anonymousHint}
        checked={isAnonymous}
        onChecked={setAnonymous}
      />
      <CheckField
        label={t('donation.hideAmount')}
        hint={t('donation.hideAmountHint')}
        checked={isAmountHidden}
        onChecked={setAmountHidden}
      />
      <TributeFields form={form} />
      <TextField
        label={t('donation.note')}
        hint={t('donation.noteHint')}
        value={note}
        error={form.error('note')}
        rows={rows}
        maxLength={500}
        onValue={setNote}
        optional
      />
    </>
  );
}
