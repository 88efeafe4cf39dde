import { useState } from 'preact/hooks';
import { MoneyField, SelectField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { money, t, word } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed } from '../api/query.js';
import { DonorFields, type DonorTexts } from './donor-fields.js';
import { changeOf, ConflictNote, theirs, useConflict } from './edit-conflict.js';
import { useForm } from './form.js';
import { useTeams } from './teams.js';
import { sameTribute, tributeIn, tributeTexts, useTribute } from './tribute-fields.js';
import { type Donation, RECEIVED, REFERENCE_LABEL } from './donations.js';

interface Props {
  readonly donation: Donation;
  readonly onClose: () => void;
}

interface CorrectProps extends Props {
  /** Offers to undo the record, because an amount cannot be changed. */
  readonly onUndo?: () => void;
}

interface CorrectFields extends DonorTexts {
  readonly donorAddress: string;
  /** Id of the team; empty for none. */
  readonly teamId: string;
  readonly reference: string;
  readonly donorPronunciation: string;
  readonly benefitText: string;
  /** Minor units; null: no benefit was entered. */
  readonly benefitValue: number | null;
}

/** Converts values of the API to values of the form: an absent text becomes an empty text. */
const textsOf = ({ tribute, ...values }: Partial<Donation>, hasTribute: boolean): Partial<CorrectFields> => ({
  ...Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, value ?? (field === 'benefitValue' ? null : '')]),
  ),
  ...(hasTribute && tributeTexts(tribute)),
});

/**
 * Corrects name, e-mail, postal address, anonymity, pronunciation, message, tribute, team, reference, note and benefit. An issued receipt
 * is marked as corrected. After an edit conflict, the dialog asks whose values to keep.
 */
export function CorrectDialog({ donation, onUndo, onClose }: CorrectProps) {
  const [read, setRead] = useState<CorrectFields>({
    donorName: donation.donorName ?? '',
    donorEmail: donation.donorEmail ?? '',
    isAnonymous: donation.isAnonymous,
    isAmountHidden: donation.isAmountHidden ?? false,
    message: donation.message ?? '',
    donorAddress: donation.donorAddress ?? '',
    teamId: donation.teamId ?? '',
    ...tributeTexts(donation.tribute),
    reference: donation.reference ?? '',
    note: donation.note ?? '',
    donorPronunciation: donation.donorPronunciation ?? '',
    benefitText: donation.benefitText ?? '',
    benefitValue: donation.benefitValue ?? null,
  });
  const form = useForm(`donation.${donation.id}`, t('correct.title'), read, (was) =>
    setRead((before) => ({ ...before, ...was })),
  );
  const conflict = useConflict();
  const teams = useTeams(donation.eventId);
  const nameOfTeam = (id: unknown) => teams.find((team) => team.id === id)?.name ?? id;
  const [donorName] = form.field('donorName');
  const [donorEmail] = form.field('donorEmail');
  const [isAnonymous] = form.field('isAnonymous');
  const [isAmountHidden] = form.field('isAmountHidden');
  const [message] = form.field('message');
  const [donorAddress, setAddress] = form.field('donorAddress');
  const [teamId, setTeam] = form.field('teamId');
  const [reference, setReference] = form.field('reference');
  const [note] = form.field('note');
  const [donorPronunciation, setPronunciation] = form.field('donorPronunciation');
  const [benefitText, setBenefitText] = form.field('benefitText');
  const [benefitValue, setBenefitValue] = form.field('benefitValue');
  const tribute = useTribute(form);
  const referenceLabel = REFERENCE_LABEL[donation.type];
  const save = (from = read) =>
    conflict.trying(async () => {
      const now = {
        donorName,
        donorEmail,
        isAnonymous: isAnonymous || donorName.trim() === '',
        isAmountHidden,
        message,
        donorAddress,
        teamId,
        reference,
        note,
        donorPronunciation,
        benefitText,
        benefitValue,
      };
      const { changes, expected } = changeOf<typeof now>(from, now);
      const isSame = sameTribute(from, tribute);
      const body = {
        ...changes,
        ...(!isSame && { tribute: tributeIn(tribute) }),
        expected: { ...expected, ...(!isSame && { tribute: tributeIn(from) }) },
      };
      await api(`/donations/${donation.id}`, { method: 'PATCH', body });
      changed('/donations', '/events', '/donors');
      say(t('state.saved'));
      onClose();
    });
  const taken = textsOf(
    theirs<Donation>(conflict.fields),
    conflict.fields.some(({ field }) => field === 'tribute'),
  );
  const known = { ...read, ...taken };
  return (
    <FormDialog
      form={form}
      title={t('correct.title')}
      submit={t('action.save')}
      onSave={() => save()}
      onClose={onClose}
    >
      <ConflictNote
        fields={conflict.fields.map(({ value, ...one }) => ({
          ...one,
          value: one.field === 'teamId' ? nameOfTeam(value) : value,
        }))}
        currency={donation.currency}
        onMine={() => {
          setRead(known);
          return form.saving(() => save(known));
        }}
        onTheirs={() => {
          setRead(known);
          form.set(taken);
          conflict.clear();
        }}
      />
      {onUndo && (
        <p class="note note--warn">
          {t('held.amount', { amount: money(donation.amount, donation.currency) })}{' '}
          <button type="button" class="linkbutton" onClick={onUndo}>
            {t('undo.open')}
          </button>
        </p>
      )}
      {donation.receiptNumber !== null && (
        <p class="note">{t('correct.receipt', { number: donation.receiptNumber })}</p>
      )}
      <DonorFields form={form} rows={2} anonymousHint={t('donation.anonymousHint')} autoFocus>
        <TextField
          label={t('donation.pronunciation')}
          hint={t('donation.pronunciationHint')}
          value={donorPronunciation}
          error={form.error('donorPronunciation')}
          maxLength={120}
          onValue={setPronunciation}
          optional
        />
        <TextField
          label={t('donation.address')}
          value={donorAddress}
          error={form.error('donorAddress')}
          rows={3}
          maxLength={500}
          onValue={setAddress}
          optional
        />
        {(teams.length > 0 || teamId !== '') && (
          <SelectField
            label={t('team.one')}
            value={teamId}
            choices={[
              { value: '', label: t('team.noTeam') },
              ...teams.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onValue={setTeam}
          />
        )}
        <div class="pair">
          <TextField
            label={t('donation.benefit')}
            hint={t('donation.benefitHint')}
            value={benefitText}
            error={form.error('benefitText')}
            maxLength={200}
            onValue={setBenefitText}
            optional
          />
          <MoneyField
            label={t('donation.benefitValue')}
            currency={donation.currency}
            value={benefitValue}
            error={form.error('benefitValue')}
            onValue={(value) => {
              if (value !== undefined) setBenefitValue(value);
            }}
            optional
          />
        </div>
        {(referenceLabel ?? donation.reference) && (
          <TextField
            label={t(referenceLabel ?? 'donation.transferReference')}
            value={reference}
            error={form.error('reference')}
            maxLength={60}
            onValue={setReference}
            optional
          />
        )}
      </DonorFields>
    </FormDialog>
  );
}

/** Marks a pledge as paid by hand. */
export function FulfilDialog({ donation, onClose }: Props) {
  const [type, setType] = useState<(typeof RECEIVED)[number]>('bank_transfer');
  const amount = money(donation.amount, donation.currency);
  const save = async () => {
    await api(`/donations/${donation.id}/fulfil`, { method: 'POST', body: { type } });
    changed('/donations', '/events');
    say(t('fulfil.done', { amount }));
    onClose();
  };
  return (
    <FormDialog
      title={t('fulfil.title')}
      submit={t('fulfil.action', { amount })}
      onSave={save}
      onClose={onClose}
    >
      <SelectField
        label={t('fulfil.how')}
        value={type}
        choices={RECEIVED.map((value) => ({ value, label: word('type', value) }))}
        onValue={setType}
      />
      <p class="note">{t('fulfil.will', { amount })}</p>
    </FormDialog>
  );
}
