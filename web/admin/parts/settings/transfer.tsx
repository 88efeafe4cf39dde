import { CheckField, TextField } from '../../../desk/fields.js';
import { t } from '../../../desk/texts.js';
import type { Draft } from '../settings-draft.js';

/** The bank account for donations by transfer. */
export function Transfer({ draft }: { draft: Draft }) {
  const { settings, set } = draft;
  const { transfer } = settings;
  const line = (
    name: 'name' | 'street' | 'buildingNumber' | 'postalCode' | 'town' | 'country',
    maxLength: number,
  ) => (
    <TextField
      label={t(`settings.transfer.${name}`)}
      value={transfer[name]}
      maxLength={maxLength}
      onValue={(value) => set(`transfer.${name}`, value)}
    />
  );
  return (
    <>
      <CheckField
        label={t('settings.transfer.offer')}
        hint={t('settings.transfer.offerHint')}
        checked={transfer.offer}
        onChecked={(on) => set('transfer.offer', on)}
      />
      <TextField
        label={t('settings.transfer.iban')}
        hint={t('settings.transfer.ibanHint')}
        value={draft.changes('transfer.iban') ? transfer.iban : inFours(transfer.iban)}
        maxLength={42}
        autoComplete="off"
        onValue={(value) => set('transfer.iban', value)}
      />
      <div class="pair">
        <TextField
          label={t('settings.transfer.bic')}
          hint={t('settings.transfer.bicHint')}
          value={transfer.bic}
          maxLength={11}
          autoComplete="off"
          onValue={(value) => set('transfer.bic', value)}
        />
        <TextField
          label={t('settings.transfer.days')}
          hint={t('settings.transfer.daysHint')}
          type="number"
          min={1}
          max={365}
          value={String(transfer.days)}
          onValue={(value) => set('transfer.days', value === '' ? null : Number(value))}
        />
      </div>
      <CheckField
        label={t('settings.transfer.epcCode')}
        hint={t('settings.transfer.epcCodeHint')}
        checked={transfer.epcCode}
        onChecked={(on) => set('transfer.epcCode', on)}
      />
      <TextField
        label={t('settings.transfer.name')}
        hint={t('settings.transfer.nameHint')}
        value={transfer.name}
        maxLength={70}
        onValue={(value) => set('transfer.name', value)}
      />
      <fieldset class="field stack">
        <legend class="field__label">{t('settings.transfer.address')}</legend>
        <p class="field__hint">{t('settings.transfer.addressHint')}</p>
        <div class="pair">
          {line('street', 70)}
          {line('buildingNumber', 16)}
        </div>
        <div class="pair">
          {line('postalCode', 16)}
          {line('town', 35)}
        </div>
        {line('country', 2)}
      </fieldset>
    </>
  );
}

/** Shows a stored IBAN in groups of four. A text that somebody types stays as it is. */
const inFours = (iban: string): string => iban.replace(/(.{4})(?=.)/g, '$1 ');
