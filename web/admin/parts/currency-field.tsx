import { useState } from 'preact/hooks';
import { SelectField, TextField } from '../../desk/fields.js';
import { currencyName, t } from '../../desk/texts.js';
import { model } from '../model.js';

interface CurrencyProps {
  readonly label: string;
  /** ISO 4217, lower case. */
  readonly value: string;
  readonly onValue: (currency: string) => void;
  readonly disabled?: boolean;
  readonly hint?: string | undefined;
}

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** The symbol of a currency in the reader's language, such as `Fr.` or `€`. */
const symbolOf = (code: string): string =>
  new Intl.NumberFormat(document.documentElement.lang, {
    style: 'currency',
    currency: code,
    currencyDisplay: 'narrowSymbol',
  })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? '';

/** Currencies by name, with a search by name, code or symbol. A stored currency that is no longer offered stays. */
export function CurrencyField({ value, onValue, disabled = false, ...others }: CurrencyProps) {
  const [typed, setTyped] = useState('');
  const choices = [...new Set([...model.currencies, value])]
    .map((code) => ({ value: code, label: currencyName(code) }))
    .sort((a, b) => a.label.localeCompare(b.label, document.documentElement.lang));
  const words = plain(typed.trim());
  const found = choices.filter((one) =>
    [one.label, one.value, symbolOf(one.value)].some((text) => plain(text).includes(words)),
  );
  const search = (text: string) => {
    setTyped(text);
    // A typed code is a choice.
    const code = plain(text.trim());
    if (choices.some((one) => one.value === code)) onValue(code);
  };
  // The chosen currency stays in the list, because the field must show it.
  const listed = choices.filter((one) => one.value === value || words === '' || found.includes(one));
  return (
    <div class="pair">
      <SelectField {...others} value={value} disabled={disabled} choices={listed} onValue={onValue} />
      {!disabled && (
        <div
          onKeyDown={(press) => {
            // Enter chooses the first currency of the list and does not send the form.
            if (press.key !== 'Enter') return;
            press.preventDefault();
            if (words !== '' && found[0]) onValue(found[0].value);
          }}
        >
          <TextField
            label={t('currency.search')}
            type="search"
            hint={
              words === ''
                ? t('currency.searchHint')
                : t('currency.found', {
                    names:
                      found
                        .slice(0, 3)
                        .map(({ label }) => label)
                        .join(', ') || t('state.noMatch'),
                  })
            }
            value={typed}
            onValue={search}
          />
        </div>
      )}
    </div>
  );
}
