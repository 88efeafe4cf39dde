import { ApiProperty } from '@nestjs/swagger';
import { FIELD_MODES, type FieldMode, type Settings, WALL_THEMES, type WallTheme } from '../settings.js';

const AMOUNT = { type: 'integer', format: 'int64', minimum: 1, maximum: 1_000_000_000_000 } as const;
const FIELD = { enum: FIELD_MODES, enumName: 'FieldMode', example: 'optional' };
const STRINGS = { type: 'object', additionalProperties: { type: 'string' } } as const;

export const ASSETS_DOC = {
  ...STRINGS,
  example: { logo: 'https://cdn.example.org/logo.svg' },
  description: 'Addresses by name: https, or a path on this host',
} as const;

export const VARIABLES_DOC = {
  ...STRINGS,
  example: { '--brand-color': '#0a7c66', '--font-heading': '"Source Serif 4", serif' },
  description:
    'Style variables by name (`--[A-Za-z0-9_-]{1,64}`): colours, lengths, numbers, fonts, style words, lists of them',
} as const;

export class LegalSettingsDto {
  @ApiProperty({ example: 'Example Foundation e.V.', maxLength: 200 })
  legalName: string;

  @ApiProperty({ example: 'DE123456789', maxLength: 100 })
  taxId: string;

  @ApiProperty({ example: 'Main Street 1\n12345 Sampletown', maxLength: 500 })
  address: string;

  @ApiProperty({ example: 'Thank you for your donation.', maxLength: 1000 })
  footer: string;

  @ApiProperty({ example: 'Ada Lovelace, Treasurer', maxLength: 200 })
  signatory: string;
}

export class PaymentSettingsDto {
  @ApiProperty({ example: 'eur', description: 'What a new event takes; ISO 4217, lower case' })
  currency: string;

  @ApiProperty({
    type: [String],
    nullable: true,
    example: ['eur', 'usd'],
    description: 'What online donations may be in; null: whatever the payment provider takes',
  })
  acceptedCurrencies: readonly string[] | null;
}

export class ThemeSettingsDto {
  @ApiProperty(ASSETS_DOC)
  assets: Readonly<Record<string, string>>;

  @ApiProperty(VARIABLES_DOC)
  variables: Readonly<Record<string, string>>;
}

export class DonationFieldsDto {
  @ApiProperty(FIELD)
  donorName: FieldMode;

  @ApiProperty(FIELD)
  donorEmail: FieldMode;

  @ApiProperty(FIELD)
  message: FieldMode;
}

export class DonationSettingsDto {
  @ApiProperty({
    ...AMOUNT,
    example: 100,
    description: "Least online donation in the event's currency, minor units",
  })
  minAmount: number;

  @ApiProperty({
    ...AMOUNT,
    nullable: true,
    example: 500_000,
    description: 'Most; null: what the provider takes',
  })
  maxAmount: number | null;

  @ApiProperty({
    type: 'array',
    items: AMOUNT,
    example: [1000, 2500, 5000],
    description: 'What a page offers',
  })
  presets: readonly number[];

  @ApiProperty({ description: 'How a checkout page asks for what it may ask' })
  fields: DonationFieldsDto;
}

export class LiveSettingsDto {
  @ApiProperty({ enum: WALL_THEMES, enumName: 'WallTheme', example: 'dark' })
  theme: WallTheme;

  @ApiProperty({
    example: false,
    description: 'Whether messages wait for approval before the room sees them',
  })
  moderateMessages: boolean;

  @ApiProperty({
    ...AMOUNT,
    nullable: true,
    example: 50_000,
    description: 'The wall celebrates donations from here on',
  })
  celebrateFrom: number | null;
}

export class LocalesSettingsDto {
  @ApiProperty({ example: 'en', description: 'BCP 47; one of `supported`' })
  default: string;

  @ApiProperty({ type: [String], example: ['en', 'de'] })
  supported: readonly string[];
}

/** The settings in force. Public: never holds a secret. */
export class SettingsDto {
  @ApiProperty({ example: 'Example Foundation', maxLength: 200 })
  organization: string;

  @ApiProperty({ example: 'Europe/Berlin', description: 'IANA name' })
  timezone: string;

  @ApiProperty({ description: 'What receipts print' })
  legal: LegalSettingsDto;

  @ApiProperty()
  payment: PaymentSettingsDto;

  @ApiProperty()
  theme: ThemeSettingsDto;

  @ApiProperty()
  donation: DonationSettingsDto;

  @ApiProperty()
  live: LiveSettingsDto;

  @ApiProperty()
  locales: LocalesSettingsDto;
}

/** The parts one by one: what the settings gain later shows when somebody lists it here. */
export const toSettings = (settings: Settings): SettingsDto => ({
  organization: settings.organization,
  timezone: settings.timezone,
  legal: settings.legal,
  payment: settings.payment,
  theme: settings.theme,
  donation: settings.donation,
  live: settings.live,
  locales: settings.locales,
});
