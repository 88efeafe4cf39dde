import { useState } from 'preact/hooks';
import { TextField } from '../../../desk/fields.js';
import { exponentOf, t, typedAmount } from '../../../desk/texts.js';
import { parseAmount } from '../../../../src/pages/donate/amount.js';

/** Amounts typed as `10; 25; 50`. An invalid amount shows an error and is not saved. */
export function Presets({
  currency,
  value,
  onValue,
}: {
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
      label={t('settings.presets')}
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
