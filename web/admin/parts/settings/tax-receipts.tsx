import { useState } from 'preact/hooks';
import { endingNotice } from '../../../../src/receipts/packs/german-notice.js';
import { CheckField, SelectField, TextField } from '../../../desk/fields.js';
import { known, t, word } from '../../../desk/texts.js';
import { serverNow } from '../../../kit/clock.js';
import { fieldName } from '../field-names.js';
import { EndingSetting } from '../incomplete-receipts.js';
import { at, type Draft } from '../settings-draft.js';

const NOTICES = ['exemption', 'section60a'] as const;
const PACKS = ['none', 'de', 'ch', 'nl', 'fr', 'us', 'ca'] as const;

/** A setting of a country. A text has a largest length, a list has one entry a line. */
type CountryField =
  | { readonly name: string; readonly kind: 'text' | 'lines'; readonly maxLength: number }
  | { readonly name: string; readonly kind: 'day' | 'flag' }
  | { readonly name: string; readonly kind: 'choice'; readonly choices: readonly string[] };

/** The settings of the countries without rules between their fields. */
const FIELDS: Readonly<Record<'us' | 'ca' | 'fr' | 'ch' | 'nl', readonly CountryField[]>> = {
  us: [
    { name: 'ein', kind: 'text', maxLength: 10 },
    { name: 'intangibleReligiousBenefits', kind: 'flag' },
    { name: 'stateDisclosures', kind: 'lines', maxLength: 2400 },
  ],
  ca: [
    { name: 'registrationNumber', kind: 'text', maxLength: 15 },
    { name: 'place', kind: 'text', maxLength: 60 },
  ],
  fr: [
    { name: 'siren', kind: 'text', maxLength: 11 },
    { name: 'rna', kind: 'text', maxLength: 10 },
    { name: 'object', kind: 'text', maxLength: 300 },
    {
      name: 'category',
      kind: 'choice',
      choices: ['general', 'publicBenefit', 'aid', 'worship', 'education', 'research', 'museum', 'festival'],
    },
    { name: 'decreeDate', kind: 'day' },
    { name: 'isWealthTax', kind: 'flag' },
    { name: 'yearEnd', kind: 'text', maxLength: 5 },
  ],
  ch: [
    { name: 'uid', kind: 'text', maxLength: 15 },
    { name: 'exemptionCanton', kind: 'text', maxLength: 2 },
    { name: 'exemptionDate', kind: 'day' },
    { name: 'place', kind: 'text', maxLength: 60 },
    { name: 'language', kind: 'choice', choices: ['de', 'fr', 'it'] },
  ],
  nl: [
    { name: 'rsin', kind: 'text', maxLength: 9 },
    { name: 'place', kind: 'text', maxLength: 60 },
  ],
};

/** The country whose tax office is to accept the receipts, and the facts that it asks for. */
export function TaxReceipts({ draft }: { draft: Draft }) {
  const { settings, set } = draft;
  // A server of an older release does not have these settings.
  if (at(settings, 'receipts.pack') === undefined) return <p class="note">{t('state.notHere')}</p>;
  const { pack } = settings.receipts;
  return (
    <>
      <SelectField
        label={t('settings.pack')}
        hint={t('settings.packHint')}
        value={pack}
        choices={PACKS.map((value) => ({ value, label: t(`settings.pack.${value}`) }))}
        onValue={(value) => set('receipts.pack', value)}
      />
      {pack === 'none' && <p class="note">{t('settings.pack.acknowledgement')}</p>}
      {pack !== 'none' && <p class="note">{t('settings.pack.notReviewed')}</p>}
      {pack === 'de' && <German draft={draft} />}
      {pack !== 'none' &&
        pack !== 'de' &&
        FIELDS[pack].map((field) => (
          <OfCountry key={field.name} draft={draft} country={pack} field={field} />
        ))}
    </>
  );
}

interface OfCountryProps {
  readonly draft: Draft;
  readonly country: keyof typeof FIELDS;
  readonly field: CountryField;
}

function OfCountry({ draft, country, field }: OfCountryProps) {
  const path = `legal.${country}.${field.name}`;
  const label = fieldName(path);
  const hint = known(`settings.${country}`, `${field.name}Hint`);
  const value = at(draft.settings, path);
  const set = (next: string | boolean | null) => draft.set(path, next);
  switch (field.kind) {
    case 'flag':
      return <CheckField label={label} hint={hint} checked={value === true} onChecked={set} />;
    case 'choice':
      return (
        <SelectField
          label={label}
          value={String(value)}
          choices={field.choices.map((one) => ({
            value: one,
            label: word(`settings.${country}.${field.name}`, one),
          }))}
          onValue={set}
        />
      );
    case 'lines':
      return <Lines draft={draft} path={path} hint={hint} maxLength={field.maxLength} />;
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
    default:
      return (
        <TextField
          label={label}
          hint={hint}
          value={(value as string | undefined) ?? ''}
          maxLength={field.maxLength}
          onValue={set}
        />
      );
  }
}

function German({ draft }: { draft: Draft }) {
  const { settings, set } = draft;
  const { de } = settings.legal;
  const until = endingNotice(de, new Date(serverNow()).toISOString().slice(0, 10));
  const line = (name: 'taxOffice' | 'taxNumber' | 'assessmentPeriod' | 'place', maxLength: number) => (
    <TextField
      label={t(`settings.de.${name}`)}
      value={de[name]}
      maxLength={maxLength}
      onValue={(value) => set(`legal.de.${name}`, value)}
    />
  );
  const day = (name: 'noticeDate' | 'machineNoticeDate') => (
    <TextField
      label={t(`settings.de.${name}`)}
      type="date"
      value={de[name] ?? ''}
      onValue={(value) => set(`legal.de.${name}`, value === '' ? null : value)}
    />
  );
  return (
    <>
      <div class="pair">
        {line('taxOffice', 100)}
        {line('taxNumber', 25)}
      </div>
      <SelectField
        label={t('settings.de.noticeKind')}
        value={de.noticeKind}
        choices={NOTICES.map((value) => ({ value, label: t(`settings.de.notice.${value}`) }))}
        onValue={(value) => set('legal.de.noticeKind', value)}
      />
      <div class="pair">
        {day('noticeDate')}
        {de.noticeKind === 'exemption' && line('assessmentPeriod', 40)}
      </div>
      {until !== undefined && <EndingSetting field="legal.de.noticeDate" until={until} />}
      <Lines draft={draft} path="legal.de.purposes" hint={t('settings.de.purposesHint')} maxLength={900} />
      {line('place', 60)}
      <CheckField
        label={t('settings.de.machineSignature')}
        hint={t('settings.de.machineSignatureHint')}
        checked={de.machineSignature}
        onChecked={(on) => set('legal.de.machineSignature', on)}
      />
      {de.machineSignature && day('machineNoticeDate')}
    </>
  );
}

interface LinesProps {
  readonly draft: Draft;
  readonly path: string;
  readonly hint: string | undefined;
  readonly maxLength: number;
}

/** A list, one entry a line. Empty lines stay while somebody types. */
function Lines({ draft, path, hint, maxLength }: LinesProps) {
  const [text, setText] = useState(((at(draft.settings, path) ?? []) as readonly string[]).join('\n'));
  return (
    <TextField
      label={fieldName(path)}
      hint={hint}
      value={text}
      rows={3}
      maxLength={maxLength}
      onValue={(value) => {
        setText(value);
        const lines = value.split('\n').map((one) => one.trim());
        draft.set(path, [...new Set(lines.filter(Boolean))]);
      }}
    />
  );
}
