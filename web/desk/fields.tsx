import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { parseAmount } from '../../src/pages/donate/amount.js';
import { Icon } from './icons.js';
import { exponentOf, t, typedAmount } from './texts.js';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly optional?: boolean;
  readonly children: (ids: {
    id: string;
    describedBy: string | undefined;
    invalid: boolean;
  }) => ComponentChildren;
}

/** A field with its label, hint and error. The three texts are linked to the input for screen readers. */
export function Field({ label, hint, error, optional = false, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(
    Boolean,
  );
  return (
    <div class="field">
      <label class="field__label" for={id}>
        {label}
        {optional && <span class="field__optional"> {t('field.optional')}</span>}
      </label>
      {children({ id, describedBy: described.join(' ') || undefined, invalid: error !== undefined })}
      {hint !== undefined && (
        <p class="field__hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="field__error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly optional?: boolean;
  readonly type?:
    'text' | 'email' | 'password' | 'search' | 'date' | 'datetime-local' | 'number' | 'url' | 'tel';
  readonly autoComplete?: string;
  readonly inputMode?: 'numeric' | 'decimal' | 'text' | 'email';
  readonly maxLength?: number;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly step?: string;
  readonly pattern?: string;
  readonly required?: boolean;
  readonly rows?: number;
  readonly autoFocus?: boolean;
  readonly disabled?: boolean;
  readonly readOnly?: boolean;
}

/** Only for the compiler: the allowed attributes depend on the type of the input, which only the caller knows. */
const inputOf = (attributes: object): InputHTMLAttributes => attributes;

export function TextField({
  label,
  value,
  onValue,
  hint,
  error,
  optional = false,
  rows,
  autoFocus = false,
  type = 'text',
  ...rest
}: TextProps) {
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (autoFocus) element.current?.focus();
  }, []);
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {({ id, describedBy, invalid }) => {
        const shared = {
          id,
          class: 'input',
          value,
          'aria-describedby': describedBy,
          'aria-invalid': invalid,
          ref: element,
          autofocus: autoFocus,
          ...rest,
        };
        return rows === undefined ? (
          <input
            {...inputOf({ ...shared, type })}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
        ) : (
          <textarea {...shared} rows={rows} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
        );
      }}
    </Field>
  );
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  readonly onValue: (value: Value) => void;
  readonly hint?: ComponentChildren;
  readonly disabled?: boolean;
}

export const SelectField = <Value extends string>({
  label,
  value,
  choices,
  onValue,
  hint,
  disabled,
}: SelectProps<Value>) => (
  <Field label={label} hint={hint}>
    {({ id, describedBy }) => (
      <select
        id={id}
        class="input select"
        aria-describedby={describedBy}
        value={value}
        disabled={disabled}
        onChange={({ currentTarget }) => onValue(currentTarget.value as Value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface CheckProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly hint?: ComponentChildren;
  readonly disabled?: boolean;
}

export const CheckField = ({ label, checked, onChecked, hint, disabled }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
    />
    <span>
      {label}
      {hint !== undefined && <span class="field__hint check__hint">{hint}</span>}
    </span>
  </label>
);

interface MoneyProps {
  readonly label: string;
  readonly currency: string;
  /** Minor units; null for an empty field. */
  readonly value: number | null;
  /** Called with `undefined` if the input is not a valid amount. */
  readonly onValue: (value: number | null | undefined) => void;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly optional?: boolean;
  readonly autoFocus?: boolean;
}

/** An amount with comma or point as the decimal sign. An invalid amount shows an error and is not sent. */
export function MoneyField({
  label,
  currency,
  value,
  onValue,
  hint,
  error,
  optional = false,
  autoFocus = false,
}: MoneyProps) {
  const [typed, setTyped] = useState(() => (value === null ? '' : typedAmount(value, currency)));
  const [known, setKnown] = useState(value);
  // The caller changed the value, for example when it reset the form.
  if (value !== known) {
    setKnown(value);
    setTyped(value === null ? '' : typedAmount(value, currency));
  }
  const parsed = readAmount(typed, currency);
  return (
    <Field
      label={label}
      hint={hint}
      error={error ?? (parsed === undefined ? t('field.noAmount') : undefined)}
      optional={optional}
    >
      {({ id, describedBy, invalid }) => (
        <span class="moneyfield">
          <input
            id={id}
            class="input number"
            inputMode="decimal"
            autoComplete="off"
            autofocus={autoFocus}
            value={typed}
            aria-describedby={describedBy}
            aria-invalid={invalid}
            onInput={({ currentTarget }) => {
              const text = currentTarget.value;
              const next = readAmount(text, currency);
              setTyped(text);
              if (next !== undefined) setKnown(next);
              onValue(next);
            }}
          />
          <span class="moneyfield__currency">{currency.toUpperCase()}</span>
        </span>
      )}
    </Field>
  );
}

function readAmount(typed: string, currency: string): number | null | undefined {
  if (typed.trim() === '') return null;
  if (/^0+([.,]0*)?$/.test(typed.trim())) return 0;
  return parseAmount(typed, exponentOf(currency), currency);
}

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Search field that reports each typed letter. */
export const SearchBox = ({ label, value, onValue }: SearchBoxProps) => (
  <label class="searchbox">
    <Icon name="search" />
    <span class="visually-hidden">{label}</span>
    <input
      type="search"
      class="input"
      placeholder={label}
      value={value}
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  </label>
);
