/** What the checkout page does with one field of its form. */
export const FIELD_MODES = ['optional', 'required', 'hidden'] as const;
export type FieldMode = (typeof FIELD_MODES)[number];

export const WALL_THEMES = ['dark', 'light'] as const;
export type WallTheme = (typeof WALL_THEMES)[number];

/** The settings in force: every part is there. Amounts are minor units. Never holds a secret. */
export interface Settings {
  /** The name donors know. */
  readonly organization: string;
  /** IANA name; the year of receipt numbers and the dates on receipts are in it. */
  readonly timezone: string;
  /** What receipts print; an empty text is left out. */
  readonly legal: {
    readonly legalName: string;
    readonly taxId: string;
    readonly address: string;
    readonly footer: string;
    readonly signatory: string;
  };
  readonly payment: {
    /** What a new event takes; ISO 4217, lower case. */
    readonly currency: string;
    /** The currencies that online donations may be in; null: whatever the provider takes. */
    readonly acceptedCurrencies: readonly string[] | null;
  };
  readonly theme: {
    /** Such as `logo`: an https address, or a path on this host. */
    readonly assets: Readonly<Record<string, string>>;
    /** Style variables, such as `--brand-color`. */
    readonly variables: Readonly<Record<string, string>>;
  };
  readonly donation: {
    /** The least an online donation in the event's currency may be. */
    readonly minAmount: number;
    /** The most; null: whatever the provider takes. */
    readonly maxAmount: number | null;
    /** The amounts a checkout page offers; those outside the limits are left out. */
    readonly presets: readonly number[];
    /** How the checkout page asks for what it may ask. */
    readonly fields: {
      readonly donorName: FieldMode;
      readonly donorEmail: FieldMode;
      readonly message: FieldMode;
    };
  };
  readonly live: {
    readonly theme: WallTheme;
    /** Whether messages wait for approval before the room sees them. */
    readonly moderateMessages: boolean;
    /** The wall celebrates donations of at least this; null: none. */
    readonly celebrateFrom: number | null;
  };
  /** BCP 47. */
  readonly locales: {
    readonly default: string;
    readonly supported: readonly string[];
  };
}

export const DEFAULT_SETTINGS: Settings = {
  organization: 'Fundraising Organization',
  timezone: 'UTC',
  legal: { legalName: '', taxId: '', address: '', footer: '', signatory: '' },
  payment: { currency: 'eur', acceptedCurrencies: null },
  theme: { assets: {}, variables: {} },
  donation: {
    minAmount: 100,
    maxAmount: null,
    presets: [1000, 2500, 5000, 10_000],
    fields: { donorName: 'optional', donorEmail: 'optional', message: 'optional' },
  },
  live: { theme: 'dark', moderateMessages: false, celebrateFrom: null },
  locales: { default: 'en', supported: ['en'] },
};
