import { useState } from 'preact/hooks';
import type { PackFieldDto } from '../../../../src/receipts/dto/receipt-packs.dto.js';
import { countryName } from '../../../../src/common/text/postal-address.js';
import { endingNotice } from '../../../../src/receipts/packs/german-notice.js';
import { CheckField, SelectField, TextField } from '../../../desk/fields.js';
import { localeLanguage, t } from '../../../desk/texts.js';
import { Failed, Skeleton } from '../../../desk/states.js';
import { serverNow } from '../../../kit/clock.js';
import { isMissingRoute } from '../../api/errors.js';
import { EndingSetting } from '../incomplete-receipts.js';
import { usePacks } from '../receipt-packs.js';
import { at, type Draft } from '../settings-draft.js';

/** The country whose tax office is to accept the receipts, and the facts that it asks for. */
export function TaxReceipts({ draft }: { draft: Draft }) {
  const { settings, set } = draft;
  const { data, error, reload } = usePacks();
  // A server of an older release does not have these settings.
  if (at(settings, 'receipts.pack') === undefined || isMissingRoute(error))
    return <p class="note">{t('state.notHere')}</p>;
  if (!data) return error ? <Failed error={error} retry={reload} /> : <Skeleton rows={3} />;
  const packs = data.data;
  const chosen = settings.receipts.pack;
  const pack = packs.find(({ id }) => id === chosen);
  const { de } = settings.legal;
  const until = chosen === 'de' && endingNotice(de, new Date(serverNow()).toISOString().slice(0, 10));
  const choices = packs
    .map(({ id }) => ({ value: id, label: countryName(id.toUpperCase(), localeLanguage()) }))
    .sort((one, other) => one.label.localeCompare(other.label));
  return (
    <>
      <SelectField
        label={t('settings.pack')}
        hint={t('settings.packHint')}
        value={chosen}
        choices={[{ value: 'none', label: t('settings.pack.none') }, ...choices]}
        onValue={(value) => set('receipts.pack', value)}
      />
      {chosen === 'none' && <p class="note">{t('settings.pack.acknowledgement')}</p>}
      {pack?.reviewed === false && <p class="note">{t('settings.pack.notReviewed')}</p>}
      {until && <EndingSetting field="legal.de.noticeDate" until={until} />}
      {pack?.fields
        .filter(({ shownIf }) => shownIf === null || at(settings, shownIf.path) === shownIf.value)
        .map((field) => (
          <OfCountry key={field.path} draft={draft} field={field} />
        ))}
    </>
  );
}

function OfCountry({ draft, field }: { readonly draft: Draft; readonly field: PackFieldDto }) {
  const { path, kind, label, choices } = field;
  const hint = field.hint ?? undefined;
  const maxLength = field.maxLength ?? undefined;
  const value = at(draft.settings, path);
  const set = (next: string | boolean | null) => draft.set(path, next);
  switch (kind) {
    case 'flag':
      return <CheckField label={label} hint={hint} checked={value === true} onChecked={set} />;
    case 'choice':
      return <SelectField label={label} hint={hint} value={String(value)} choices={choices} onValue={set} />;
    case 'lines':
      return <Lines draft={draft} field={field} />;
    case 'day':
      return (
        <TextField
          label={label}
          hint={hint}
          type="date"
          value={(value as string | null) ?? ''}
          onValue={(day) => set(day === '' ? null : day)}
        />
      );
    case 'text':
      return (
        <TextField
          label={label}
          hint={hint}
          value={(value as string | undefined) ?? ''}
          maxLength={maxLength}
          onValue={set}
        />
      );
  }
}

/** A list, one entry a line. Empty lines stay while somebody types. */
function Lines({
  draft,
  field: { path, label, hint, maxLength },
}: {
  readonly draft: Draft;
  readonly field: PackFieldDto;
}) {
  const [text, setText] = useState(((at(draft.settings, path) ?? []) as readonly string[]).join('\n'));
  return (
    <TextField
      label={label}
      hint={hint ?? undefined}
      value={text}
      rows={3}
      maxLength={maxLength ?? undefined}
      onValue={(value) => {
        setText(value);
        const lines = value.split('\n').map((one) => one.trim());
        draft.set(path, [...new Set(lines.filter(Boolean))]);
      }}
    />
  );
}
