import { isCurrency } from '../common/money/currency.js';
import { MAX_OFFLINE_AMOUNT } from '../common/money/minor-units.js';
import { textProblem, tidyText } from '../common/text.js';
import { assetNameProblem, assetProblem } from './asset-address.js';
import { FIELD_MODES, WALL_THEMES } from './settings.js';
import { styleNameProblem, styleValueProblem } from './style-value.js';

/** What a value is after reading, or what is wrong with it as the end of a sentence. */
export type Reading = { readonly value: unknown } | { readonly problem: string };

/** The shape of the settings, as one tree. */
export type Rule =
  | { readonly kind: 'value'; readonly read: (value: unknown) => Reading }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Rule>> }
  | {
      readonly kind: 'map';
      readonly max: number;
      readonly nameProblem: (name: string) => string | undefined;
      readonly entry: Rule;
    };

const value = (read: (value: unknown) => Reading): Rule => ({ kind: 'value', read });
const object = (fields: Record<string, Rule>): Rule => ({ kind: 'object', fields });
const bad = (problem: string): Reading => ({ problem });
const checked = (problemOf: (value: unknown) => string | undefined): Rule =>
  value((given) => {
    const problem = problemOf(given);
    return problem === undefined ? { value: given } : { problem };
  });

/** Blank text means absent, as null does. */
const text = (max: number, multiline = false) =>
  value((given) => {
    if (typeof given !== 'string') return bad('must be a string');
    const tidy = tidyText(given);
    const problem = textProblem(tidy, { max, multiline });
    return problem === undefined ? { value: tidy === '' ? null : tidy } : { problem };
  });

const flag = checked((given) => (typeof given === 'boolean' ? undefined : 'must be a boolean'));

const oneOf = (words: readonly string[]) =>
  checked((given) =>
    typeof given === 'string' && words.includes(given) ? undefined : `must be one of ${words.join(', ')}`,
  );

const amount = checked((given) => {
  if (typeof given !== 'number' || !Number.isInteger(given)) return 'must be an integer in minor units';
  return given >= 1 && given <= MAX_OFFLINE_AMOUNT ? undefined : `must be from 1 to ${MAX_OFFLINE_AMOUNT}`;
});

const currency = value((given) => {
  const code = typeof given === 'string' ? given.trim().toLowerCase() : undefined;
  return code !== undefined && isCurrency(code) ? { value: code } : bad('must be an ISO 4217 currency code');
});

const timezone = checked((given) => {
  if (typeof given !== 'string' || !/^[A-Za-z]/.test(given)) return 'must be an IANA time zone name';
  try {
    new Intl.DateTimeFormat('en', { timeZone: given });
    return undefined;
  } catch {
    return 'must be an IANA time zone name';
  }
});

const locale = value((given) => {
  try {
    const canonical =
      typeof given === 'string' && given !== '' ? Intl.getCanonicalLocales(given)[0] : undefined;
    return canonical === undefined ? bad('must be a BCP 47 language tag') : { value: canonical };
  } catch {
    return bad('must be a BCP 47 language tag');
  }
});

/** A list of `min` to `max` different entries. */
const list = (entry: Rule & { kind: 'value' }, min: number, max: number) =>
  value((given) => {
    if (!Array.isArray(given)) return bad('must be an array');
    if (given.length < min || given.length > max) return bad(`must have ${min} to ${max} entries`);
    const values: unknown[] = [];
    for (const one of given as unknown[]) {
      const reading = entry.read(one);
      if ('problem' in reading) return bad(`must hold entries each of which ${reading.problem}`);
      values.push(reading.value);
    }
    return new Set(values).size === values.length ? { value: values } : bad('must not name anything twice');
  });

const listOf = (entry: Rule, min: number, max: number): Rule => {
  if (entry.kind !== 'value') throw new TypeError('a list holds plain values');
  return list(entry, min, max);
};

export const ASSETS_RULE: Rule = {
  kind: 'map',
  max: 50,
  nameProblem: assetNameProblem,
  entry: checked(assetProblem),
};

export const VARIABLES_RULE: Rule = {
  kind: 'map',
  max: 200,
  nameProblem: styleNameProblem,
  entry: value((given) => {
    const problem = styleValueProblem(given);
    return problem === undefined ? { value: (given as string).trim() } : { problem };
  }),
};

export const SETTINGS_RULE: Rule = object({
  organization: text(200),
  timezone,
  legal: object({
    legalName: text(200),
    taxId: text(100),
    address: text(500, true),
    footer: text(1000, true),
    signatory: text(200),
  }),
  payment: object({ currency, acceptedCurrencies: listOf(currency, 1, 200) }),
  theme: object({ assets: ASSETS_RULE, variables: VARIABLES_RULE }),
  donation: object({
    minAmount: amount,
    maxAmount: amount,
    presets: listOf(amount, 0, 12),
    fields: object({
      donorName: oneOf(FIELD_MODES),
      donorEmail: oneOf(FIELD_MODES),
      message: oneOf(FIELD_MODES),
    }),
  }),
  live: object({ theme: oneOf(WALL_THEMES), moderateMessages: flag, celebrateFrom: amount }),
  locales: object({ default: locale, supported: listOf(locale, 1, 50) }),
});
