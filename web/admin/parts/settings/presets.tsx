import { useState } from 'preact/hooks';
import { TextField } from '../../../desk/fields.js';
import { exponentOf, money, t, typedAmount } from '../../../desk/texts.js';
import { parseAmount } from '../../../../src/pages/donate/amount.js';
import { at, type Draft } from '../settings-draft.js';

const LONGEST_LINE = 60;

/** Amounts typed as `10; 25; 50`. An invalid amount shows an error and is not saved. */
export function Presets({
  label,
  currency,
  value,
  onValue,
}: {
  label: string;
  currency: string;
  value: readonly number[];
  onValue: (presets: readonly number[]) => void;
}) {
  const [typed, setTyped] = useState(() => value.map((one) => typedAmount(one, currency)).join('; '));
  const read = (given: string) =>
    given
      .split(';')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => parseAmount(one, exponentOf(currency), currency));
  return (
    <TextField
      label={label}
      hint={t('settings.presetsHint', { currency: currency.toUpperCase() })}
      error={read(typed).includes(undefined) ? t('field.noAmount') : undefined}
      value={typed}
      onValue={(next) => {
        setTyped(next);
        const amounts = read(next);
        if (!amounts.includes(undefined)) onValue(amounts as number[]);
      }}
    />
  );
}

/** One line of text for each offered amount. The donate page shows this text next to the amount. */
export function PresetLines({ draft, currency }: { draft: Draft; currency: string }) {
  const { presets } = draft.settings.donation;
  if (presets.length === 0) return null;
  return (
    <fieldset class="field">
      <legend class="field__label">{t('settings.presetLines')}</legend>
      <p class="field__hint">{t('settings.presetLinesHint')}</p>
      <div class="pair">
        {presets.map((amount) => (
          <TextField
            key={amount}
            label={money(amount, currency, { short: true })}
            value={(at(draft.settings, `donation.presetLines.${amount}`) as string | undefined) ?? ''}
            maxLength={LONGEST_LINE}
            onValue={(line) => draft.set(`donation.presetLines.${amount}`, line || undefined)}
          />
        ))}
      </div>
    </fieldset>
  );
}
