import { isCurrency } from '../common/money/currency.js';
import { MAX_OFFLINE_AMOUNT } from '../common/money/minor-units.js';
import { textProblem, tidyText } from '../common/text.js';
import { assetProblem } from './asset-address.js';
import { styleValueProblem } from './style-value.js';

/** What a value is after reading, or what is wrong with it as the end of a sentence. */
export type Reading = { readonly value: unknown } | { readonly problem: string };

/** One value of the settings: how it is read, and what the API's description says of it. */
export interface ValueRule {
  readonly kind: 'value';
  readonly read: (value: unknown) => Reading;
  /** JSON schema, without the `null` that every value may be. */
  readonly schema: { readonly type: string } & Readonly<Record<string, unknown>>;
}

const bad = (problem: string): Reading => ({ problem });

const checked = (
  schema: ValueRule['schema'],
  problemOf: (value: unknown) => string | undefined,
): ValueRule => ({
  kind: 'value',
  schema,
  read: (given) => {
    const problem = problemOf(given);
    return problem === undefined ? { value: given } : { problem };
  },
});

/** Text of at most `max` characters; blank text means absent, as null does. */
export const text = (max: number, { multiline = false } = {}): ValueRule => ({
  kind: 'value',
  schema: { type: 'string', maxLength: max },
  read: (given) => {
    if (typeof given !== 'string') return bad('must be a string');
    const tidy = tidyText(given);
    const problem = textProblem(tidy, { max, multiline });
    return problem === undefined ? { value: tidy === '' ? null : tidy } : { problem };
  },
});

export const flag = checked({ type: 'boolean' }, (given) =>
  typeof given === 'boolean' ? undefined : 'must be a boolean',
);

export const oneOf = (words: readonly string[]): ValueRule =>
  checked({ type: 'string', enum: words }, (given) =>
    typeof given === 'string' && words.includes(given) ? undefined : `must be one of ${words.join(', ')}`,
  );

/** An amount above zero, in minor units. */
export const amount = checked(
  { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_OFFLINE_AMOUNT },
  (given) => {
    if (typeof given !== 'number' || !Number.isInteger(given)) return 'must be an integer in minor units';
    return given >= 1 && given <= MAX_OFFLINE_AMOUNT ? undefined : `must be from 1 to ${MAX_OFFLINE_AMOUNT}`;
  },
);

/** An ISO 4217 code; any case comes in, lower case is kept. */
export const currency: ValueRule = {
  kind: 'value',
  schema: { type: 'string', pattern: '^[A-Za-z]{3}$', description: 'ISO 4217' },
  read: (given) => {
    const code = typeof given === 'string' ? given.trim().toLowerCase() : undefined;
    return code !== undefined && isCurrency(code)
      ? { value: code }
      : bad('must be an ISO 4217 currency code');
  },
};

/** An IANA name; an offset has no summer time and is refused. */
export const timezone = checked({ type: 'string', description: 'IANA name' }, (given) =>
  typeof given === 'string' && /^[A-Za-z]/.test(given) && isTimeZone(given)
    ? undefined
    : 'must be an IANA time zone name',
);

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** A BCP 47 tag, kept in its canonical form. */
export const locale: ValueRule = {
  kind: 'value',
  schema: { type: 'string', description: 'BCP 47' },
  read: (given) => {
    const canonical = typeof given === 'string' ? canonicalLocale(given) : undefined;
    return canonical === undefined ? bad('must be a BCP 47 language tag') : { value: canonical };
  },
};

function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

export const assetAddress = checked(
  { type: 'string', maxLength: 2048, description: 'An https address or a path on this host' },
  assetProblem,
);

export const styleValue: ValueRule = {
  kind: 'value',
  schema: { type: 'string', maxLength: 200, description: 'A colour, length, number, font or style word' },
  read: (given) => {
    const problem = styleValueProblem(given);
    return problem === undefined ? { value: (given as string).trim() } : { problem };
  },
};

/** A list of `min` to `max` different entries. */
export const listOf = (entry: ValueRule, { min, max }: { min: number; max: number }): ValueRule => ({
  kind: 'value',
  schema: { type: 'array', items: entry.schema, minItems: min, maxItems: max, uniqueItems: true },
  read: (given) => {
    if (!Array.isArray(given)) return bad('must be an array');
    if (given.length < min || given.length > max) return bad(`must have ${min} to ${max} entries`);
    const values: unknown[] = [];
    for (const one of given as unknown[]) {
      const reading = entry.read(one);
      if ('problem' in reading) return bad(`must hold entries each of which ${reading.problem}`);
      values.push(reading.value);
    }
    return new Set(values).size === values.length ? { value: values } : bad('must not name anything twice');
  },
});
