import { TextField } from '../../../desk/fields.js';
import { t } from '../../../desk/texts.js';
import type { Draft } from '../settings-draft.js';

const CODES = ['campaign', 'appeal', 'fund', 'financialType'] as const;
const COLUMNS = ['salesforceContactId', 'salesforceDonationId'] as const;

/** Codes that the files for other systems contain. */
export function Accounting({ draft: { settings, set } }: { draft: Draft }) {
  const { accounting } = settings;
  const line = (name: (typeof CODES)[number] | (typeof COLUMNS)[number], maxLength: number) => (
    <TextField
      key={name}
      label={t(`settings.accounting.${name}`)}
      value={accounting[name]}
      maxLength={maxLength}
      onValue={(value) => set(`accounting.${name}`, value)}
    />
  );
  return (
    <>
      <p class="field__hint">{t('settings.accountingHint')}</p>
      {CODES.map((name) => line(name, 100))}
      {COLUMNS.map((name) => line(name, 60))}
    </>
  );
}
