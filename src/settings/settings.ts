import * as z from 'zod';
import {
  amount,
  assets,
  currency,
  emailOrNone,
  flag,
  httpsAddress,
  listOf,
  locale,
  monthAndDay,
  oneOf,
  origin,
  phoneOrNone,
  storedImage,
  styleVariables,
  text,
  textByAmount,
  time,
  timezone,
} from './setting-values.js';
import { LEGAL_OF_PACKS, PACK_IDS } from '../receipts/packs/registry.js';
import { ACCOUNTING } from './accounting-settings.js';
import { TRANSFER } from './transfer-settings.js';

/*
 * The settings schema. A field is defined only here. Its type, PATCH validation, default, merge rule (objects merge,
 * other values replace) and API description come from this schema. Metadata must come before `.default()`, so that
 * the description of a PATCH includes it.
 */

const giftAidScope = oneOf(['this', 'past_and_future']).meta({ id: 'GiftAidScope' });
const fieldMode = oneOf(['optional', 'required', 'hidden']).meta({ id: 'FieldMode' });
const wallTheme = oneOf(['dark', 'light', 'gala']).meta({ id: 'WallTheme' });
const boardOrder = oneOf(['raised', 'share', 'gifts']).meta({ id: 'BoardOrderSetting' });
const wallScene = oneOf(['wall', 'qr', 'board']).meta({ id: 'WallScene' });
const moderation = oneOf(['none', 'messages', 'all']).meta({ id: 'Moderation' });

const receiptPack = oneOf(['none', ...PACK_IDS]).meta({ id: 'ReceiptPack' });

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
      .meta({ example: 'Example Foundation e.V.', description: 'Legal name of the organization' })
      .default(''),
    taxId: text(100).meta({ example: 'DE123456789', description: 'Tax or charity number' }).default(''),
    address: text(500, { multiline: true })
      .meta({
        example: 'Main Street 1\n12345 Sampletown',
        description: 'Postal address; line breaks are allowed',
      })
      .default(''),
    footer: text(1000, { multiline: true })
      .meta({ example: 'Thank you for your donation.', description: 'Text at the end of a receipt' })
      .default(''),
    signatory: text(200)
      .meta({
        example: 'Ada Lovelace, Treasurer',
        description: 'Name and function of the signer of receipts',
      })
      .default(''),
    yearEnd: monthAndDay()
      .meta({
        example: '03-31',
        description:
          'Last day of the accounting year as month and day. Gift Aid declarations of erased donors are kept for six years after it',
      })
      .default('04-05'),
    ...LEGAL_OF_PACKS,
  })
  .meta({ id: 'LegalSettingsDto', description: 'Texts on receipts; an empty text is left out' });

const PAYMENT = z
  .object({
    currency: currency()
      .meta({
        example: 'eur',
        description: 'Default currency of a new event; ISO 4217, stored in lower case',
      })
      .default('eur'),
    acceptedCurrencies: listOf(currency(), { min: 1, max: 200 })
      .meta({
        example: ['eur', 'usd'],
        description: 'Allowed currencies of online donations; null: all that the payment provider accepts',
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
        description: 'True if the page offers the Gift Aid declaration of United Kingdom taxpayers',
      })
      .default(false),
    tribute: flag()
      .meta({
        example: true,
        description: 'True if the page offers to donate in honour or in memory of somebody',
      })
      .default(false),
  })
  .meta({ id: 'DonationFieldsDto', description: 'Fields of a checkout page: optional, required or hidden' });

const COVER_FEE = z
  .object({
    offer: flag()
      .meta({ example: true, description: 'True if the donate page offers to add the fee' })
      .default(false),
    basisPoints: z
      .int('must be an integer')
      .min(0, 'must be from 0 to 2000')
      .max(2_000, 'must be from 0 to 2000')
      .meta({
        example: 150,
        description: 'Provider fee as a share of the payment, in hundredths of a percent: 150 is 1.5 %',
      })
      .default(150),
    fixed: z
      .int('must be an integer in minor units')
      .min(0, 'must be from 0 to 10000')
      .max(10_000, 'must be from 0 to 10000')
      .meta({ example: 25, description: 'Fixed provider fee of each payment, in minor units' })
      .default(25),
  })
  .meta({ id: 'CoverFeeSettingsDto', description: 'The fee that a donor may add to the donation' });

const DONATION = z
  .object({
    minAmount: amount()
      .meta({ example: 100, description: "Smallest online donation in the event's currency, minor units" })
      .default(100),
    maxAmount: amount()
      .meta({
        example: 500_000,
        description:
          "Largest online donation in the event's currency, minor units; null: the limit of the payment provider",
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
        description:
          'An offline donation above this amount needs `confirmed: true`; null: no confirmation is needed',
      })
      .nullable()
      .default(null),
    presets: listOf(amount(), { min: 0, max: 12 })
      .meta({
        example: [1000, 2500, 5000],
        description: 'Amounts that a checkout page offers; amounts outside the limits are left out',
      })
      .default([1000, 2500, 5000, 10_000]),
    presetLines: textByAmount(60)
      .meta({
        example: { '5000': 'one lamp' },
        description: 'Line next to an offered amount, by amount in minor units: the effect of this amount',
      })
      .default({}),
    preselected: amount()
      .meta({ example: 2500, description: 'Amount that is preselected on the donate page; null: none' })
      .nullable()
      .default(null),
    fields: FIELDS.prefault({}),
    giftAidScope: giftAidScope
      .meta({
        example: 'past_and_future',
        description:
          'Donations of the Gift Aid declaration on the donate page: `this` donation, or `past_and_future`: also the donations ' +
          'of the four years before and all later ones of the same donor',
      })
      .default('this'),
    undoMinutes: z
      .int('must be a whole number of minutes')
      .min(0, 'must be from 0 to 1440')
      .max(1440, 'must be from 0 to 1440')
      .meta({
        example: 10,
        description: 'Number of minutes in which staff may undo their own offline donation; 0: never',
      })
      .default(10),
    coverFee: COVER_FEE.prefault({}),
    monthlyUrl: httpsAddress()
      .meta({
        example: 'https://www.example.org/monthly',
        description:
          "The charity's own page for monthly donations; the thank-you page and the receipt e-mail link to it; null: none",
      })
      .nullable()
      .default(null),
    showLatest: flag()
      .meta({
        example: true,
        description: 'True if the donate page shows the latest donations, with the names that the wall shows',
      })
      .default(true),
    receiptDownload: flag()
      .meta({
        example: true,
        description: 'True if donors may download the receipt of their online donation',
      })
      .default(false),
  })
  .meta({ id: 'DonationSettingsDto' });

const RECEIPTS = z
  .object({
    pack: receiptPack
      .meta({
        example: 'de',
        description:
          'Country whose tax office accepts the receipts. `none`: the receipts are acknowledgements, not documents for the tax office',
      })
      .default('none'),
    email: flag()
      .meta({
        example: true,
        description:
          'True if donors get the receipt of an online donation by e-mail. Needs e-mail to be configured',
      })
      .default(true),
  })
  .meta({ id: 'ReceiptSettingsDto' });

const PLEDGES = z
  .object({
    emails: flag()
      .meta({
        example: true,
        description:
          'True if donors get e-mails about their unpaid pledges: thanks, reminders and a last e-mail. Needs e-mail to be configured',
      })
      .default(true),
    reminderDays: listOf(
      z
        .int('must be a whole number of days')
        .min(1, 'must be from 1 to 120')
        .max(120, 'must be from 1 to 120'),
      { min: 0, max: 5 },
    )
      .meta({
        example: [2, 7, 21],
        description:
          'Days after the pledge on which a reminder is sent. A last e-mail follows 14 days after the last of them. Empty: only the thanks',
      })
      .default([2, 7, 21]),
  })
  .meta({ id: 'PledgeSettingsDto', description: 'E-mails about unpaid pledges' });

const READY = z
  .object({
    most: amount()
      .meta({
        example: 500_000,
        description:
          "Largest sum that is charged to the saved card of a guest, in minor units of the event's currency. A guest agrees to this sum",
      })
      .default(500_000),
    days: z
      .int('must be a whole number of days')
      .min(2, 'must be from 2 to 60')
      .max(60, 'must be from 2 to 60')
      .meta({
        example: 14,
        description: "Number of days after the event's day after which a saved card is deleted",
      })
      .default(14),
    secondAdmin: flag()
      .meta({
        example: true,
        description: 'True if a second admin must confirm charges of saved cards above `confirmAbove`',
      })
      .default(true),
    confirmAbove: amount()
      .meta({
        example: 1_000_000,
        description:
          "Sum of the charges above which a second admin must confirm them, in minor units of the event's currency. Only used with `secondAdmin`",
      })
      .default(1_000_000),
  })
  .meta({ id: 'ReadySettingsDto', description: 'Cards that guests save for their pledges' });

const WALL = z
  .object({
    scene: wallScene
      .meta({
        example: 'qr',
        description:
          'Scene of the walls: `wall` is the normal wall, `qr` is the QR code in full screen, `board` shows tables and teams in the place of the donations',
      })
      .default('wall'),
    notice: text(140)
      .meta({
        example: 'Dinner is served in the great hall',
        description: 'Message that the walls show to the guests',
      })
      .default(''),
    paused: flag()
      .meta({
        example: true,
        description: 'True if walls hold new donations back. Totals and retractions are still shown',
      })
      .default(false),
    nextGoal: amount()
      .meta({
        example: 5_000_000,
        description:
          "Goal that the walls show after the event's goal is reached, in minor units; null: none. Ignored if it is not higher",
      })
      .nullable()
      .default(null),
    sound: flag()
      .meta({ example: true, description: 'True if the walls play a sound when a goal is reached' })
      .default(false),
    pausedAt: time()
      .meta({
        example: '2026-11-21T19:30:00.000Z',
        description: 'Start of the pause. The service sets it and ignores the value that is sent',
      })
      .nullable()
      .default(null),
  })
  .meta({ id: 'WallSettingsDto', description: 'Remote control of the walls, effective at once' });

const SLIDES = z
  .object({
    images: listOf(storedImage(), { min: 0, max: 12 })
      .meta({
        example: [`/images/${'0a'.repeat(32)}.webp`],
        description: 'Images of `POST /images`, in their order',
      })
      .default([]),
    everyMinutes: z
      .int('must be a whole number of minutes')
      .min(1, 'must be from 1 to 120')
      .max(120, 'must be from 1 to 120')
      .meta({ example: 5, description: 'Minutes between two rounds of all images' })
      .default(5),
    showSeconds: z
      .int('must be a whole number of seconds')
      .min(3, 'must be from 3 to 60')
      .max(60, 'must be from 3 to 60')
      .meta({ example: 8, description: 'Seconds for which each image is shown' })
      .default(8),
  })
  .meta({
    id: 'SlideSettingsDto',
    description: 'Pictures, such as sponsors, that the wall shows in the place of the feed from time to time',
  });

const MATCH = z
  .object({
    mode: z
      .enum(['one', 'all'], 'must be one or all')
      .meta({
        example: 'one',
        description:
          '`one`: with several open match pools, each part of a donation is matched by one pool. `all`: each open pool matches the whole donation',
      })
      .default('one'),
    total: z
      .enum(['apart', 'with'], 'must be apart or with')
      .meta({
        example: 'apart',
        description:
          '`apart`: the wall shows matched money below the total. `with`: the large figure contains it and is labelled so',
      })
      .default('apart'),
  })
  .meta({ id: 'MatchSettingsDto', description: 'Match pools of an event' });

const LIVE = z
  .object({
    theme: wallTheme.meta({ example: 'dark', description: 'Theme of the wall' }).default('dark'),
    moderate: moderation
      .meta({
        example: 'messages',
        description:
          'Content that waits for approval before the wall shows it: nothing, the messages of donors, or messages and names',
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
      .meta({
        example: 50_000,
        description: 'Smallest amount that the wall celebrates, in minor units; null: it celebrates none',
      })
      .nullable()
      .default(null),
    raiseLevels: listOf(amount(), { min: 0, max: 12 })
      .meta({
        example: [100_000, 50_000, 25_000],
        description:
          'Levels of the paddle raise in minor units. The page for the speaker names the next lower one',
      })
      .default([]),
    holdFrom: amount()
      .meta({
        example: 100_000,
        description:
          'A record of a till or of the dashboard above this amount counts at once, but walls and pages show it only after a second person approved it. Minor units; null: no record waits',
      })
      .nullable()
      .default(null),
    match: MATCH.prefault({}),
    slides: SLIDES.prefault({}),
    wall: WALL.prefault({}),
  })
  .meta({ id: 'LiveSettingsDto' });

const BOARDS = z
  .object({
    order: boardOrder
      .meta({
        example: 'share',
        description:
          'Order of the teams: by the sum, by the share of the seats that gave, or by the number of donations',
      })
      .default('raised'),
    minGifts: z
      .int('must be a whole number')
      .min(2, 'must be from 2 to 20')
      .max(20, 'must be from 2 to 20')
      .meta({
        example: 3,
        description:
          'Fewest donors of a table or team whose figures are public. With fewer, the figures would show what a single donor gave',
      })
      .default(3),
    roundTo: z
      .int('must be a whole number')
      .min(1, 'must be from 1 to 100000')
      .max(100_000, 'must be from 1 to 100000')
      .meta({
        example: 50,
        description:
          'Amounts on the board are rounded down to a multiple of this, in whole units of the currency',
      })
      .default(50),
  })
  .meta({ id: 'BoardSettingsDto', description: 'The public board of tables and teams' });

const EMBED = z
  .object({
    origins: listOf(origin(), { min: 0, max: 20 })
      .meta({
        example: ['https://www.example.org'],
        description:
          'Other sites that may show the wall and the donate page in a frame, and read `GET /embed/:slug`',
      })
      .default([]),
  })
  .meta({ id: 'EmbedSettingsDto' });

const LOCALES = z
  .object({
    default: locale().meta({ example: 'en', description: 'BCP 47; one of `supported`' }).default('en'),
    supported: listOf(locale(), { min: 1, max: 50 })
      .meta({ example: ['en', 'de'], description: 'Languages that pages offer; BCP 47' })
      .default(['en']),
  })
  .meta({ id: 'LocalesSettingsDto' });

/** Default of `privacy.guestDays`. */
export const GUEST_DAYS = 30;

const PRIVACY = z
  .object({
    retainUnpaidDays: z
      .int()
      .min(1)
      .max(3650)
      .meta({
        example: 90,
        description:
          'Number of days after which name, e-mail address and message of an unpaid donation are erased; null: never',
      })
      .nullable()
      .default(null),
    guestDays: z
      .int()
      .min(1)
      .max(3650)
      .meta({
        example: GUEST_DAYS,
        description:
          'Number of days after which guests are deleted, counted from the day of the event and from the last change of the guest',
      })
      .default(GUEST_DAYS),
  })
  .meta({ id: 'PrivacySettingsDto', description: 'Retention of personal data' });

const AUTH = z
  .object({
    requireSecondFactor: flag()
      .meta({ example: true, description: 'True if admins and accountants need a second factor' })
      .default(false),
    passwordSignIn: flag()
      .meta({
        example: true,
        description:
          'True if admins and accountants may sign in by password. False is allowed only with an identity provider',
      })
      .default(true),
    enrolledTerminalsOnly: flag()
      .meta({
        example: true,
        description:
          'True if staff can sign in only on enrolled terminals, at all events; PINs may then have four digits',
      })
      .default(false),
  })
  .meta({ id: 'AuthSettingsDto', description: 'Rules for sign-ins; an event cannot override them' });

const CONTACT = z
  .object({
    email: emailOrNone()
      .meta({
        example: 'office@example.org',
        description: 'E-mail address for questions of donors and guests',
      })
      .default(''),
    phone: phoneOrNone()
      .meta({ example: '+49 30 123456', description: 'Telephone number for questions of donors and guests' })
      .default(''),
  })
  .meta({
    id: 'ContactSettingsDto',
    description: 'Contact of the organization on the page about accessibility',
  });

export const SETTINGS = z
  .object({
    organization: text(200)
      .meta({ example: 'Example Foundation', description: 'Name of the organization as donors know it' })
      .default('Fundraising Organization'),
    timezone: timezone()
      .meta({
        example: 'Europe/Berlin',
        description: 'IANA name. Receipt numbers and the dates on receipts use this time zone',
      })
      .default('UTC'),
    contact: CONTACT.prefault({}),
    legal: LEGAL.prefault({}),
    payment: PAYMENT.prefault({}),
    theme: THEME.prefault({}),
    donation: DONATION.prefault({}),
    receipts: RECEIPTS.prefault({}),
    pledges: PLEDGES.prefault({}),
    ready: READY.prefault({}),
    transfer: TRANSFER.prefault({}),
    live: LIVE.prefault({}),
    boards: BOARDS.prefault({}),
    accounting: ACCOUNTING.prefault({}),
    embed: EMBED.prefault({}),
    locales: LOCALES.prefault({}),
    privacy: PRIVACY.prefault({}),
    auth: AUTH.prefault({}),
  })
  .meta({
    id: 'SettingsDto',
    description: 'The effective settings. They are public and never contain a secret.',
  });

/** An event's branding. The two parts of the theme have the names that the route uses. */
export const BRANDING = z
  .object({ assets: ASSETS, themeVariables: VARIABLES })
  .meta({ id: 'BrandingDto', description: 'Branding on the pages of an event' });

/** Part of the response to a settings change: colour pairs that are hard to read. */
export const CONTRAST = {
  contrastWarnings: z
    .array(
      z
        .object({
          text: z.string().meta({
            example: '#ffffff',
            description: 'Style variable of the text; `#ffffff` for the text on buttons',
          }),
          background: z.string().meta({ example: '--brand-color' }),
          ratio: z.number().meta({
            example: 1.2,
            description: 'Contrast ratio from 1 to 21, as in WCAG 2.2, on the light pages',
          }),
          needed: z.number().meta({ example: 4.5 }),
        })
        .meta({
          id: 'ContrastWarningDto',
          description: 'Two colours of the branding with too little contrast',
        }),
    )
    .optional()
    .meta({
      description:
        'Warnings about colours that are hard to read; absent if there are none. The settings are saved anyway.',
    }),
};

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** The complete settings in effect. Amounts are in minor units. */
export type Settings = DeepReadonly<z.output<typeof SETTINGS>>;
export type Branding = DeepReadonly<z.output<typeof BRANDING>>;

export const DEFAULT_SETTINGS: Settings = SETTINGS.parse({});
