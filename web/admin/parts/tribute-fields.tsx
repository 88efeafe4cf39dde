import type { TributeDto } from '../../../src/donations/tributes/tribute.dto.js';
import { SelectField, TextField } from '../../desk/fields.js';
import { t } from '../../desk/texts.js';
import type { Form } from './form.js';

/** A tribute as a form contains it. Absent text is blank; without a kind there is no tribute. */
export interface TributeTexts {
  readonly tributeKind: '' | TributeDto['kind'];
  readonly tributeName: string;
  readonly tributeMessage: string;
  readonly notifyEmail: string;
}

const KINDS = ['', 'memory', 'honour'] as const;

/** The values of the form for a tribute of the server. */
export const tributeTexts = (tribute: TributeDto | null | undefined): TributeTexts => ({
  tributeKind: tribute?.kind ?? '',
  tributeName: tribute?.name ?? '',
  tributeMessage: tribute?.message ?? '',
  notifyEmail: tribute?.notifyEmail ?? '',
});

/** The tribute in a request. */
export const tributeIn = (form: TributeTexts): TributeDto | null =>
  form.tributeKind === ''
    ? null
    : {
        kind: form.tributeKind,
        name: form.tributeName.trim(),
        message: form.tributeMessage.trim() || null,
        notifyEmail: form.notifyEmail.trim() || null,
      };

/** True if two tributes are the same. */
export const sameTribute = (one: TributeTexts, other: TributeTexts): boolean =>
  JSON.stringify(tributeIn(one)) === JSON.stringify(tributeIn(other));

/** "In memory of Anna". */
export const tributeLine = ({ kind, name }: Pick<TributeDto, 'kind' | 'name'>): string =>
  t(`tribute.line.${kind}`, { name });

/** The present values of a form's tribute. */
export function useTribute(form: Pick<Form<TributeTexts>, 'field'>): TributeTexts {
  const [tributeKind] = form.field('tributeKind');
  const [tributeName] = form.field('tributeName');
  const [tributeMessage] = form.field('tributeMessage');
  const [notifyEmail] = form.field('notifyEmail');
  return { tributeKind, tributeName, tributeMessage, notifyEmail };
}

/** The fields about the person who is honoured or remembered. */
export function TributeFields({ form }: { form: Pick<Form<TributeTexts>, 'field' | 'error'> }) {
  const [kind, setKind] = form.field('tributeKind');
  const [name, setName] = form.field('tributeName');
  const [message, setMessage] = form.field('tributeMessage');
  const [notifyEmail, setNotifyEmail] = form.field('notifyEmail');
  return (
    <>
      <div class="pair">
        <SelectField
          label={t('tribute.title')}
          value={kind}
          choices={KINDS.map((value) => ({ value, label: t(`tribute.kind.${value || 'none'}`) }))}
          onValue={setKind}
        />
        {kind !== '' && (
          <TextField
            label={t('tribute.name')}
            value={name}
            error={form.error('tribute.name')}
            maxLength={80}
            onValue={setName}
          />
        )}
      </div>
      {kind !== '' && (
        <>
          <TextField
            label={t('tribute.notify')}
            hint={t('tribute.notifyHint')}
            type="email"
            value={notifyEmail}
            error={form.error('tribute.notifyEmail')}
            maxLength={254}
            onValue={setNotifyEmail}
            optional
          />
          <TextField
            label={t('tribute.message')}
            hint={t('tribute.messageHint')}
            value={message}
            error={form.error('tribute.message')}
            rows={2}
            maxLength={500}
            onValue={setMessage}
            optional
          />
        </>
      )}
    </>
  );
}
