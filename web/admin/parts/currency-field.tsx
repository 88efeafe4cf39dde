import { SelectField } from '../../desk/fields.js';
import { currencyName } from '../../desk/texts.js';
import { model } from '../model.js';

interface CurrencyProps {
  readonly label: string;
  /** ISO 4217, lower case. */
  readonly value: string;
  readonly onValue: (currency: string) => void;
  readonly disabled?: boolean;
  readonly hint?: string | undefined;
}

/** Currencies by name, so that typing the first letters finds one. A stored currency that is no longer offered stays. */
export function CurrencyField({ value, disabled = false, ...others }: CurrencyProps) {
  const choices = [...new Set([...model.currencies, value])]
    .map((code) => ({ value: code, label: currencyName(code) }))
    .sort((a, b) => a.label.localeCompare(b.label, document.documentElement.lang));
  return <SelectField {...others} value={value} disabled={disabled} choices={choices} />;
}
