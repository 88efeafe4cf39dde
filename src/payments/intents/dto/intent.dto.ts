import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { plainToInstance, Transform, Type } from 'class-transformer';
import { IsDefined, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { AddressDto } from '../../../common/validation/address.dto.js';
import {
  BlankIsAbsent,
  Currency,
  LanguageTag,
  MinorUnits,
  OneOf,
  OptionalText,
  Text,
  TextFlag,
  TextMinorUnits,
} from '../../../common/validation/field.decorators.js';
import { DonorTextDto, IS_AMOUNT_HIDDEN, IS_ANONYMOUS } from '../../../donations/dto/record-donation.dto.js';
import { Source } from '../../../donations/recording/source.js';
import { OptionalTribute, type TributeDto } from '../../../donations/tributes/tribute.dto.js';
import { GiftAidDeclarationDto } from '../../../gift-aid/dto/gift-aid.dto.js';
import { TransferDetailsDto } from '../../../transfers/dto/transfer.dto.js';
import { ONLINE_TYPES, type OnlineType } from '../../providers/provider-port.js';

/** Ways to pay online, and the bank transfer. */
export const INTENT_METHODS = [...ONLINE_TYPES, 'transfer'] as const;

const ADDRESS_LENGTH = 500;

/**
 * Unknown keys are removed. This service forwards only its own ids to the provider. Flags and amounts may also be
 * text, because a provider's metadata contains only text.
 */
export class IntentMetadataDto extends DonorTextDto {
  @ApiProperty({ description: 'Event id or slug', example: 'winter-gala' })
  @Text({ max: 100 })
  eventId: string;

  @ApiPropertyOptional(IS_ANONYMOUS)
  @TextFlag()
  isAnonymous?: boolean;

  @ApiPropertyOptional(IS_AMOUNT_HIDDEN)
  @TextFlag()
  isAmountHidden?: boolean;

  @OptionalTribute()
  tribute?: TributeDto | null;

  @ApiPropertyOptional({
    example: 'table-12',
    description: 'Address of the team of the donation: a table, a team or a person of the event',
  })
  @BlankIsAbsent()
  @Text({ max: 40 })
  team?: string;

  @ApiPropertyOptional({
    example: 'c-7f3a9b',
    description:
      'The same for all tries of one checkout, with any method. If two of them are paid, a review item is opened',
  })
  @BlankIsAbsent()
  @Text({ max: 100 })
  checkoutId?: string;

  @ApiPropertyOptional({
    example: 'AZjzwnoQfE6fAFo9HCtObxq0v5ZJm2n8sR4tYw1cK3eU7dPgHlVqXa9bNfM6iSjO',
    description: 'Token of a payment link. When this donation is paid, the pledge is paid too',
  })
  @BlankIsAbsent()
  @Text({ max: 100 })
  pledgeToken?: string;

  @ApiPropertyOptional({ example: 'de', description: 'Language of e-mails to the donor; BCP 47' })
  @BlankIsAbsent()
  @LanguageTag()
  locale?: string;

  @ApiPropertyOptional({
    example: 'Main Street 1\n12345 Sampletown',
    description:
      'Postal address as one text; stored if `donation.fields.address` allows it. Send either this or `address`',
  })
  @OptionalText({ max: ADDRESS_LENGTH, multiline: true })
  donorAddress?: string | null;

  @ApiPropertyOptional({
    type: AddressDto,
    description:
      'Structured postal address; stored if `donation.fields.address` allows it, and with `giftAidDeclaration`',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => AddressDto)
  address?: AddressDto;

  @ApiPropertyOptional({
    example: true,
    description: 'True if the donor made the Gift Aid declaration; stored if `donation.fields.giftAid` is on',
  })
  @TextFlag()
  giftAid?: boolean;

  @ApiPropertyOptional({
    type: GiftAidDeclarationDto,
    description:
      'The declaration that the donor made on your page; stored with its text. Needs `giftAid: true` and `address`. Ignored if ' +
      '`donation.fields.giftAid` is off',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => GiftAidDeclarationDto)
  giftAidDeclaration?: GiftAidDeclarationDto;

  @ApiPropertyOptional({
    example: 70,
    description: 'Part of `amount` that covers the fee, computed as in `donation.coverFee`',
  })
  @TextMinorUnits()
  coveredFee?: number;

  @ApiPropertyOptional({
    example: 'table-7',
    description:
      'The link or code that led the donor here: up to 40 letters, digits, `-` and `_`. Any other text is ignored',
  })
  @Source()
  source?: string;
}

const METADATA_KEYS: readonly (keyof IntentMetadataDto)[] = [
  'eventId',
  'checkoutId',
  'pledgeToken',
  'donorName',
  'donorEmail',
  'isAnonymous',
  'isAmountHidden',
  'message',
  'tribute',
  'team',
  'locale',
  'donorAddress',
  'address',
  'giftAid',
  'giftAidDeclaration',
  'coveredFee',
  'source',
];

/** Keeps only the known keys. */
function knownMetadata(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const sent = value as Record<string, unknown>;
  const known = METADATA_KEYS.filter((key) => Object.hasOwn(sent, key)).map(
    (key) => [key, sent[key]] as const,
  );
  return plainToInstance(IntentMetadataDto, Object.fromEntries(known));
}

export class CreateIntentDto {
  @MinorUnits()
  amount: number;

  @ApiPropertyOptional({ example: 'eur', description: "ISO 4217; the event's currency by default" })
  @BlankIsAbsent()
  @Currency()
  currency?: string;

  @ApiPropertyOptional({
    description:
      'Payment method; by default the method of `provider`, or card. With `transfer`, the answer contains the bank details, and the donation is completed when the charity has received the money',
  })
  @BlankIsAbsent()
  @OneOf(INTENT_METHODS)
  method?: OnlineType | 'transfer';

  @ApiPropertyOptional({
    example: 'acme_bank',
    description: 'Provider of the method; by default its default provider',
  })
  @BlankIsAbsent()
  @Text({ max: 31 })
  provider?: string;

  @ApiProperty({ type: IntentMetadataDto })
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Transform(({ value }: { value: unknown }) => knownMetadata(value))
  metadata: IntentMetadataDto;
}

const DONOR_TOKEN = {
  example: 'AZjzwnoQfE6fAFo9HCtOb2Jd0mJ2v8lY3mXh0m0b6b0pQ2rS9tUvWw',
  description: 'Token for `GET /donations/mine/:token`. Give it only to the donor',
};

export class CardIntentDto {
  @ApiProperty({ example: 'pi_3Qk_secret_9a8b', description: "For the card processor's own form" })
  clientSecret: string;

  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  donationId: string;

  @ApiProperty(DONOR_TOKEN)
  donorToken: string;
}

export class WalletIntentDto {
  @ApiProperty({ example: '5O190127TN364715T' })
  orderId: string;

  @ApiProperty({ example: 'https://wallet.example/checkout?token=5O190127TN364715T' })
  approveUrl: string;

  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  donationId: string;

  @ApiProperty(DONOR_TOKEN)
  donorToken: string;
}

export class TransferIntentDto {
  @ApiProperty({ type: TransferDetailsDto })
  transfer: TransferDetailsDto;

  @ApiProperty({
    example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
    description: 'The donation; with `pledgeToken`, the pledge, because a transfer pays the pledge itself',
  })
  donationId: string;

  @ApiProperty(DONOR_TOKEN)
  donorToken: string;
}

export type IntentDto = CardIntentDto | WalletIntentDto | TransferIntentDto;

export const intentSchema = {
  oneOf: [CardIntentDto, WalletIntentDto, TransferIntentDto].map((one) => ({ $ref: getSchemaPath(one) })),
};

/** The public view of a captured donation: no personal data. */
export class CaptureDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  donationId: string;

  @ApiProperty({ example: 'COMPLETED' })
  status: string;
}
