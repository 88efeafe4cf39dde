import { assetNameProblem } from './asset-address.js';
import {
  amount,
  assetAddress,
  currency,
  flag,
  listOf,
  locale,
  oneOf,
  styleValue,
  text,
  timezone,
  type ValueRule,
} from './setting-values.js';
import { FIELD_MODES, WALL_THEMES } from './settings.js';
import { styleNameProblem } from './style-value.js';

/** The shape of the settings, as one tree. */
export type Rule = ValueRule | ObjectRule | MapRule;

export interface ObjectRule {
  readonly kind: 'object';
  readonly fields: Readonly<Record<string, Rule>>;
}

/** Values by names that are free within their grammar. */
export interface MapRule {
  readonly kind: 'map';
  readonly max: number;
  readonly nameProblem: (name: string) => string | undefined;
  readonly entry: ValueRule;
  readonly example: Readonly<Record<string, string>>;
}

const object = (fields: Record<string, Rule>): ObjectRule => ({ kind: 'object', fields });

export const ASSETS_RULE: MapRule = {
  kind: 'map',
  max: 50,
  nameProblem: assetNameProblem,
  entry: assetAddress,
  example: { logo: 'https://cdn.example.org/logo.svg' },
};

export const VARIABLES_RULE: MapRule = {
  kind: 'map',
  max: 200,
  nameProblem: styleNameProblem,
  entry: styleValue,
  example: { '--brand-color': '#0a7c66' },
};

export const SETTINGS_RULE: ObjectRule = object({
  organization: text(200),
  timezone,
  legal: object({
    legalName: text(200),
    taxId: text(100),
    address: text(500, { multiline: true }),
    footer: text(1000, { multiline: true }),
    signatory: text(200),
  }),
  payment: object({ currency, acceptedCurrencies: listOf(currency, { min: 1, max: 200 }) }),
  theme: object({ assets: ASSETS_RULE, variables: VARIABLES_RULE }),
  donation: object({
    minAmount: amount,
    maxAmount: amount,
    presets: listOf(amount, { min: 0, max: 12 }),
    fields: object({
      donorName: oneOf(FIELD_MODES),
      donorEmail: oneOf(FIELD_MODES),
      message: oneOf(FIELD_MODES),
    }),
  }),
  live: object({ theme: oneOf(WALL_THEMES), moderateMessages: flag, celebrateFrom: amount }),
  locales: object({ default: locale, supported: listOf(locale, { min: 1, max: 50 }) }),
});

/** An event's overrides, by the names that its branding route has for two of them. */
export const BRANDING_RULE: ObjectRule = object({ assets: ASSETS_RULE, themeVariables: VARIABLES_RULE });
