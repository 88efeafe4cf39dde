import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsDefined, IsObject, ValidateNested } from 'class-validator';
import { AddressDto } from '../../common/validation/address.dto.js';
import {
  BlankIsAbsent,
  Instant,
  Matching,
  OneOf,
  OptionalText,
  Text,
} from '../../common/validation/field.decorators.js';
import { type DeclarationText, GIFT_AID_SCOPES, type GiftAidScope } from '../declaration-texts.js';
import type { DeclarationRow } from '../gift-aid.sql.js';

const EXAMPLE_ID = '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f';
const EXAMPLE_TEXT =
  'I want to Gift Aid this donation to Example Foundation.\nI am a UK taxpayer and understand that …';
const EXAMPLE_DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
/** The claim form of HM Revenue and Customs takes no more. */
const NAME_LENGTH = 35;
const SCOPE = {
  enum: GIFT_AID_SCOPES,
  example: 'this',
  description:
    '`this` donation, or `past_and_future`: also the donations of the four years before and all later ones',
};

export class GiftAidNamesDto {
  @ApiProperty({ example: 'Ada' })
  @Text({ max: NAME_LENGTH })
  firstName: string;

  @ApiProperty({ example: 'Lovelace' })
  @Text({ max: NAME_LENGTH })
  lastName: string;
}

/** The declaration in the metadata of an intent. The home address is `metadata.address`. */
export class GiftAidDeclarationDto extends GiftAidNamesDto {
  @ApiProperty({
    example: EXAMPLE_DIGEST,
    description: '`digest` of `GET /gift-aid/text`: the text that the donor has read',
  })
  @Matching(/^[0-9a-f]{64}$/, 'must be the digest of the declaration text')
  textDigest: string;
}

/** A declaration on paper. */
export class WrittenDeclarationDto extends GiftAidNamesDto {
  @ApiProperty({ type: AddressDto, description: 'The home address' })
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => AddressDto)
  address: AddressDto;

  @ApiPropertyOptional({ ...SCOPE, description: `${SCOPE.description}. By default the scope of the event` })
  @BlankIsAbsent()
  @OneOf(GIFT_AID_SCOPES)
  scope?: GiftAidScope;

  @ApiPropertyOptional({
    example: '2026-11-21T19:30:00.000Z',
    description: 'Time of the signature, not in the future; by default now',
  })
  @BlankIsAbsent()
  @Instant()
  declaredAt?: string;
}

export class CancelDeclarationDto {
  @ApiPropertyOptional({ example: 'Letter of 3 March', description: 'The reason' })
  @OptionalText({ max: 500 })
  reason?: string | null;
}

export class GiftAidTextQuery {
  @ApiProperty({ example: 'winter-gala', description: 'Event id or slug' })
  @Text({ max: 100 })
  eventId: string;
}

export class GiftAidTextDto {
  @ApiProperty({ example: 'hmrc-2016-single' })
  version: string;

  @ApiProperty(SCOPE)
  scope: GiftAidScope;

  @ApiProperty({ example: EXAMPLE_TEXT, description: 'The text in English; show it unchanged' })
  text: string;

  @ApiProperty({ example: EXAMPLE_DIGEST, description: 'SHA-256 of `text`, hexadecimal' })
  digest: string;
}

export const toText = ({ version, scope, text, digest }: DeclarationText): GiftAidTextDto => ({
  version,
  scope,
  text,
  digest: digest.toString('hex'),
});

/** A Gift Aid declaration. */
export class DeclarationDto {
  @ApiProperty({ example: EXAMPLE_ID })
  id: string;

  @ApiProperty({ example: EXAMPLE_ID, description: 'The donation with which it was made' })
  donationId: string;

  @ApiProperty({ example: 'Ada' })
  firstName: string;

  @ApiProperty({ example: 'Lovelace' })
  lastName: string;

  @ApiProperty({ type: AddressDto })
  address: AddressDto;

  @ApiProperty(SCOPE)
  scope: GiftAidScope;

  @ApiProperty({
    enum: ['online', 'written'],
    example: 'online',
    description: '`online`: on a page. `written`: on paper',
  })
  channel: 'online' | 'written';

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'de',
    description: 'Language of the page that showed the text; null if it is not known',
  })
  language: string | null;

  @ApiProperty({ example: 'hmrc-2016-single' })
  textVersion: string;

  @ApiProperty({ example: EXAMPLE_TEXT, description: 'The exact text' })
  text: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  declaredAt: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  cancelledAt: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  cancelReason: string | null;
}

export class DeclarationOfDonationDto {
  @ApiProperty({
    type: DeclarationDto,
    nullable: true,
    description: 'Null without a declaration, and after the erasure of the donor',
  })
  declaration: DeclarationDto | null;

  @ApiProperty({
    example: true,
    description: 'True if the donation counts as Gift Aid: the declaration covers it',
  })
  covers: boolean;
}

export const toDeclaration = (row: DeclarationRow): DeclarationDto => ({
  id: row.id,
  donationId: row.donation_id,
  firstName: row.first_name,
  lastName: row.last_name,
  address: row.address,
  scope: row.scope,
  channel: row.channel,
  language: row.language,
  textVersion: row.version,
  text: row.text,
  declaredAt: row.declared_at.toISOString(),
  cancelledAt: row.cancelled_at?.toISOString() ?? null,
  cancelReason: row.cancel_reason,
});

export class GiftAidExportQuery {
  @ApiPropertyOptional({
    example: '2026-04-06T00:00:00Z',
    description: 'Donations given at or after this time',
  })
  @BlankIsAbsent()
  @Instant()
  from?: string;

  @ApiPropertyOptional({ example: '2027-04-06T00:00:00Z', description: 'Donations given before this time' })
  @BlankIsAbsent()
  @Instant()
  to?: string;
}
