import * as z from 'zod';
import {
  amount,
  assets,
  currency,
  flag,
  listOf,
  locale,
  oneOf,
  origin,
  styleVariables,
  text,
  time,
  timezone,
} from './setting-values.js';

/*
 * The settings schema. A field is defined only here. Its type, PATCH validation, default, merge rule (objects merge,
 * other values replace) and API description come from this schema. Metadata must come before `.default()`, so that
 * the description of a PATCH includes it.
 */

const fieldMode = oneOf(['optional', 'required', 'hidden']).meta({ id: 'FieldMode' });
const wallTheme = oneOf(['dark', 'light', 'gala']).meta({ id: 'WallTheme' });
const wallScene = oneOf(['wall', 'qr']).meta({ id: 'WallScene' });
const moderation = oneOf(['none', 'messages', 'all']).meta({ id: 'Moderation' });

const ASSETS = assets().meta({
  example: { logo: 'https://cdn.example.org/logo.svg' },
  description: 'Addresses by name: https, or a path on this host',
});

const VARIABLES = styleVariables().meta({
  example: { '--brand-color': '#0a7c66', '--font-heading': '"Source Serif 4", serif' },
  description:
    'Style variables by name (`--[A-Za-z0-9_-]{1,64}`): colours, lengths, numbers, fonts, style words, lists of them',
});

const LEGAL = z
  .object({
    legalName: text(200)
      .meta({ example: 'Example Foundation e.V.', description: "The organization's name in law" })
      .default(''),
    taxId: text(100).meta({ example: 'DE123456789', description: 'Tax or charity number' }).default(''),
    address: text(500, { multiline: true })
      .meta({ example: 'Main Street 1\n12345 Sampletown', description: 'Postal address; may have lines' })
      .default(''),
    footer: text(1000, { multiline: true })
      .meta({ example: 'Thank you for your donation.', description: 'Last lines of a receipt' })
      .default(''),
    signatory: text(200)
      .meta({ example: 'Ada Lovelace, Treasurer', description: 'Who signs receipts' })
      .default(''),
  })
  .meta({ id: 'LegalSettingsDto', description: 'What receipts print; an empty text is left out' });

const PAYMENT = z
  .object({
    currency: currency()
      .meta({ example: 'eur', description: 'What a new event takes; ISO 4217, kept in lower case' })
      .default('eur'),
    acceptedCurrencies: listOf(currency(), { min: 1, max: 200 })
      .meta({
        example: ['eur', 'usd'],
        description: 'What online donations may be in; null: whatever the payment provider takes',
      })
      .nullable()
      .default(null),
  })
  .meta({ id: 'PaymentSettingsDto' });

const THEME = z
  .object({ assets: ASSETS.default({}), variables: VARIABLES.default({}) })
  .meta({ id: 'ThemeSettingsDto' });

const FIELDS = z
  .object({
    donorName: fieldMode
      .meta({ example: 'required', description: 'The name of the donor' })
      .default('optional'),
    donorEmail: fieldMode
      .meta({ example: 'optional', description: 'The e-mail address of the donor' })
      .default('optional'),
    message: fieldMode
      .meta({ example: 'hidden', description: 'A message that the wall shows' })
      .default('optional'),
    address: fieldMode
      .meta({ example: 'optional', description: 'The postal address of the donor; printed on the receipt' })
      .default('hidden'),
    giftAid: flag()
      .meta({
        example: false,
        description: 'Whether the page offers the Gift Aid declaration of United Kingdom taxpayers',
      })
      .default(false),
  })
  .meta({ id: 'DonationFieldsDto', description: 'How a checkout page asks for what it may ask' });

const COVER_FEE = z
  .object({
    offer: flag()
      .meta({ example: true, description: 'Whether the donate page offers to add the fee' })
      .default(false),
    basisPoints: z
      .int('must be an integer')
      .min(0, 'must be from 0 to 2000')
      .max(2_000, 'must be from 0 to 2000')
      .meta({
        example: 150,
        description: 'What the provider keeps, in hundredths of a percent: 150 is 1.5 %',
      })
      .default(150),
    fixed: z
      .int('must be an integer in minor units')
      .min(0, 'must be from 0 to 10000')
      .max(10_000, 'must be from 0 to 10000')
      .meta({ example: 25, description: 'What it keeps of each payment besides, in minor units' })
      .default(25),
  })
  .meta({ id: 'CoverFeeSettingsDto', description: 'The fee that a donor may add to the donation' });

const DONATION = z
  .object({
    minAmount: amount()
      .meta({ example: 100, description: "Least online donation in the event's currency, minor units" })
      .default(100),
    maxAmount: amount()
      .meta({
        example: 500_000,
        description: "Largest online donation in the event's currency; null: what the payment provider takes",
      })
      .nullable()
      .default(null),
    maxOfflineAmount: amount()
      .meta({
        example: 10_000_000,
        description: "Largest offline donation in one record, in the event's currency; null: 10^12",
      })
      .nullable()
      .default(null),
    confirmOfflineAbove: amount()
      .meta({
        example: 1_000_000,
        description: 'An offline donation above this must be sent with `confirmed: true`; null: none must',
      })
      .nullable()
      .default(null),
    presets: listOf(amount(), { min: 0, max: 12 })
      .meta({
        example: [1000, 2500, 5000],
        description: 'The amounts that a checkout page offers; those outside the limits are left out',
      })
      .default([1000, 2500, 5000, 10_000]),
    preselected: amount()
      .meta({ example: 2500, description: 'The amount that the donate page has chosen at first; null: none' })
      .nullable()
      .default(null),
    fields: FIELDS.prefault({}),
    undoMinutes: z
      .int('must be a whole number of minutes')
      .min(0, 'must be from 0 to 1440')
      .max(1440, 'must be from 0 to 1440')
      .meta({
        example: 10,
        description: 'For how many minutes staff may undo an offline donation of their own; 0: not at all',
      })
      .default(10),
    coverFee: COVER_FEE.prefault({}),
    receiptDownload: flag()
      .meta({ example: true, description: 'Whether donors may fetch the receipt of their online donation' })
      .default(false),
  })
  .meta({ id: 'DonationSettingsDto' });

const RECEIPTS = z
  .object({
    email: flag()
      .meta({
        example: true,
        description: 'Whether donors get the receipt of an online donation by e-mail, where e-mail is set up',
      })
      .default(true),
  })
  .meta({ id: 'ReceiptSettingsDto' });

const WALL = z
  .object({
    scene: wallScene
      .meta({
        example: 'qr',
        description: 'What walls show: `wall`, the usual one, or `qr`, the code over the whole screen',
      })
      .default('wall'),
    notice: text(140)
      .meta({
        example: 'Dinner is served in the great hall',
        description: 'A line that walls show to the hall',
      })
      .default(''),
    paused: flag()
      .meta({
        example: true,
        description: 'Whether walls hold new donations back; totals and what is taken off go on',
      })
      .default(false),
    pausedAt: time()
      .meta({
        example: '2026-11-21T19:30:00.000Z',
        description: 'Since when; kept by the service, whatever is sent',
      })
      .nullable()
      .default(null),
  })
  .meta({ id: 'WallSettingsDto', description: 'The remote control of the walls; they follow at once' });

const LIVE = z
  .object({
    theme: wallTheme.meta({ example: 'dark', description: 'How the wall looks' }).default('dark'),
    moderate: moderation
      .meta({
        example: 'messages',
        description:
          'What waits for approval before the room sees it: nothing, the messages of donors, or messages and names',
      })
      .default('none'),
    moderateMessages: flag()
      .meta({
        example: false,
        deprecated: true,
        description: 'The older form of `moderate`: true is `messages`, false is `none`',
      })
      .default(false),
    celebrateFrom: amount()
      .meta({ example: 50_000, description: 'The wall celebrates donations from here on; null: none' })
      .nullable()
      .default(null),
    wall: WALL.prefault({}),
  })
  .meta({ id: 'LiveSettingsDto' });

const EMBED = z
  .object({
    origins: listOf(origin(), { min: 0, max: 20 })
      .meta({
        example: ['https://www.example.org'],
        description: 'The sites that may show the wall and the donate page in a frame, besides this host',
      })
      .default([]),
  })
  .meta({ id: 'EmbedSettingsDto' });

const LOCALES = z
  .object({
    default: locale().meta({ example: 'en', description: 'BCP 47; one of `supported`' }).default('en'),
    supported: listOf(locale(), { min: 1, max: 50 })
      .meta({ example: ['en', 'de'], description: 'BCP 47; the languages that pages offer' })
      .default(['en']),
  })
  .meta({ id: 'LocalesSettingsDto' });

const PRIVACY = z
  .object({
    retainUnpaidDays: z
      .int()
      .min(1)
      .max(3650)
      .meta({
        example: 90,
        description:
          'After so many days name, e-mail address and message of a donation that was never paid are erased; null: never',
      })
      .nullable()
      .default(null),
  })
  .meta({ id: 'PrivacySettingsDto', description: 'How long personal data is kept' });

const AUTH = z
  .object({
    requireSecondFactor: flag()
      .meta({ example: true, description: 'Whether admins and accountants need a second factor' })
      .default(false),
    passwordSignIn: flag()
      .meta({
        example: true,
        description: 'Whether they may sign in by password; false only beside an identity provider',
      })
      .default(true),
    enrolledTerminalsOnly: flag()
      .meta({
        example: true,
        description:
          'Whether staff sign in on enrolled terminals alone, for the whole organization; then PINs may have four digits',
      })
      .default(false),
  })
  .meta({ id: 'AuthSettingsDto', description: 'How people sign in; an event cannot change it' });

export const SETTINGS = z
  .object({
    organization: text(200)
      .meta({ example: 'Example Foundation', description: 'The name that donors know' })
      .default('Fundraising Organization'),
    timezone: timezone()
      .meta({
        example: 'Europe/Berlin',
        description: 'IANA name; the year of receipt numbers and the dates on receipts are in it',
      })
      .default('UTC'),
    legal: LEGAL.prefault({}),
    payment: PAYMENT.prefault({}),
    theme: THEME.prefault({}),
    donation: DONATION.prefault({}),
    receipts: RECEIPTS.prefault({}),
    live: LIVE.prefault({}),
    embed: EMBED.prefault({}),
    locales: LOCALES.prefault({}),
    privacy: PRIVACY.prefault({}),
    auth: AUTH.prefault({}),
  })
  .meta({ id: 'SettingsDto', description: 'The settings in force. Public: never holds a secret.' });

/** An event's branding, with its route's names for two parts of the theme. */
export const BRANDING = z
  .object({ assets: ASSETS, themeVariables: VARIABLES })
  .meta({ id: 'BrandingDto', description: 'The branding that the pages of an event show' });

/** Part of the response to a settings change: colour pairs that are hard to read. */
export const CONTRAST = {
  contrastWarnings: z
    .array(
      z
        .object({
          text: z.string().meta({
            example: '#ffffff',
            description: 'The style variable of the text; `#ffffff`: what stands on buttons',
          }),
          background: z.string().meta({ example: '--brand-color' }),
          ratio: z.number().meta({
            example: 1.2,
            description: 'Of 1 to 21, as WCAG 2.2 counts it, on the light pages',
          }),
          needed: z.number().meta({ example: 4.5 }),
        })
        .meta({
          id: 'ContrastWarningDto',
          description: 'Two colours of the branding that are hard to read together',
        }),
    )
    .optional()
    .meta({ description: 'Absent where all can be read. Saved all the same.' }),
};

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** The complete settings in effect. Amounts are minor units. */
export type Settings = DeepReadonly<z.output<typeof SETTINGS>>;
export type Branding = DeepReadonly<z.output<typeof BRANDING>>;

export const DEFAULT_SETTINGS: Settings = SETTINGS.parse({});
