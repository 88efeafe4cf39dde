import { CheckField, SelectField, TextField } from '../../../desk/fields.js';
import { t } from '../../../desk/texts.js';
import { LANGUAGES } from '../../languages.js';
import { CurrencyField } from '../currency-field.js';
import type { Draft } from '../settings-draft.js';

export function Organization({ draft }: { draft: Draft }) {
  const { settings, set } = draft;
  const supported = new Set(settings.locales.supported);
  return (
    <>
      <TextField
        label={t('settings.name')}
        value={settings.organization}
        maxLength={200}
        onValue={(value) => set('organization', value)}
      />
      <TextField
        label={t('settings.legalName')}
        hint={t('settings.legalNameHint')}
        value={settings.legal.legalName}
        maxLength={200}
        onValue={(value) => set('legal.legalName', value)}
      />
      <TextField
        label={t('settings.address')}
        value={settings.legal.address}
        rows={3}
        maxLength={500}
        onValue={(value) => set('legal.address', value)}
      />
      <div class="pair">
        <TextField
          label={t('settings.contactEmail')}
          hint={t('settings.contactHint')}
          type="email"
          value={settings.contact.email}
          maxLength={254}
          onValue={(value) => set('contact.email', value)}
        />
        <TextField
          label={t('settings.contactPhone')}
          type="tel"
          value={settings.contact.phone}
          maxLength={40}
          onValue={(value) => set('contact.phone', value)}
        />
      </div>
      <div class="pair">
        <TextField
          label={t('settings.taxId')}
          value={settings.legal.taxId}
          maxLength={100}
          onValue={(value) => set('legal.taxId', value)}
        />
        <TextField
          label={t('settings.signatory')}
          value={settings.legal.signatory}
          maxLength={200}
          onValue={(value) => set('legal.signatory', value)}
        />
      </div>
      <TextField
        label={t('settings.yearEnd')}
        hint={t('settings.yearEndHint')}
        value={settings.legal.yearEnd}
        maxLength={5}
        pattern="[0-9]{2}-[0-9]{2}"
        required
        onValue={(value) => set('legal.yearEnd', value)}
      />
      <TextField
        label={t('settings.footer')}
        value={settings.legal.footer}
        rows={2}
        maxLength={1000}
        onValue={(value) => set('legal.footer', value)}
      />
      <div class="pair">
        <SelectField
          label={t('settings.timezone')}
          value={settings.timezone}
          choices={[...new Set([settings.timezone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map(
            (value) => ({
              value,
              label: value.replaceAll('_', ' '),
            }),
          )}
          onValue={(value) => set('timezone', value)}
        />
        <CurrencyField
          label={t('settings.currency')}
          value={settings.payment.currency}
          onValue={(value) => set('payment.currency', value)}
        />
      </div>
      <fieldset class="field">
        <legend class="field__label">{t('settings.languages')}</legend>
        <div class="checks">
          {[...new Set([...Object.keys(LANGUAGES), ...settings.locales.supported])].map((code) => (
            <CheckField
              key={code}
              label={LANGUAGES[code] ?? code}
              checked={supported.has(code)}
              disabled={supported.size === 1 && supported.has(code)}
              onChecked={(on) => {
                const next = on
                  ? [...settings.locales.supported, code]
                  : settings.locales.supported.filter((one) => one !== code);
                set('locales.supported', next);
                if (!next.includes(settings.locales.default)) set('locales.default', next[0]);
              }}
            />
          ))}
        </div>
      </fieldset>
      <SelectField
        label={t('settings.language')}
        value={settings.locales.default}
        choices={settings.locales.supported.map((value) => ({ value, label: LANGUAGES[value] ?? value }))}
        onValue={(value) => set('locales.default', value)}
      />
    </>
  );
}
