import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalEmail, OptionalText, WhenSent } from '../../common/validation/text.decorators.js';
import { Flag, MinorUnits, OneOf } from '../../common/validation/value.decorators.js';
import { OFFLINE_TYPES, type OfflineType, RECEIVED_TYPES } from '../donation-columns.js';

const NAME_LENGTH = 200;
const MESSAGE_LENGTH = 500;

/** The four fields about the donor that may be sent, and corrected later. */
export class DonorFieldsDto {
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: NAME_LENGTH, example: 'Ada Lovelace' })
  @OptionalText({ max: NAME_LENGTH })
  donorName?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 254, example: 'ada@example.org' })
  @OptionalEmail()
  donorEmail?: string | null;

  @ApiPropertyOptional({
    example: false,
    description: 'Show `Anonymous` in public; without a name always true',
  })
  @WhenSent()
  @Flag()
  isAnonymous?: boolean;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MESSAGE_LENGTH,
    example: 'For the new roof',
  })
  @OptionalText({ max: MESSAGE_LENGTH, multiline: true })
  message?: string | null;
}

export class RecordDonationDto extends DonorFieldsDto {
  @MinorUnits()
  amount: number;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: 100,
    description: "Event id or slug; the token's event by default",
    example: 'winter-gala',
  })
  @OptionalText({ max: 100 })
  eventId?: string | null;

  @ApiProperty({
    enum: OFFLINE_TYPES,
    example: 'cash',
    description: 'A pledge stays PENDING until it is fulfilled',
  })
  @OneOf(OFFLINE_TYPES)
  type: OfflineType;

  @ApiPropertyOptional({
    example: false,
    description: 'That an amount above `donation.confirmOfflineAbove` is meant; without it a 409 asks',
  })
  @WhenSent()
  @Flag()
  confirmed?: boolean;
}

export class FulfilPledgeDto {
  @ApiProperty({
    enum: RECEIVED_TYPES,
    example: 'bank_transfer',
    description: 'The kind of money that was received',
  })
  @OneOf(RECEIVED_TYPES)
  type: (typeof RECEIVED_TYPES)[number];
}
