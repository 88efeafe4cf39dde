import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  Check,
  Flag,
  Instant,
  MinorUnits,
  OneOf,
  OptionalEmail,
  OptionalText,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { isId } from '../../common/ids.js';
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

  @ApiPropertyOptional({
    format: 'date-time',
    example: '2026-11-21T19:29:58.000Z',
    description:
      "When it was taken, by the device's clock. A time that cannot be (more than two minutes ahead, or from before " +
      "the event's day and the day before it) is replaced by the time of arrival, with a review item.",
  })
  @WhenSent()
  @Instant()
  recordedAt?: string;

  @ApiPropertyOptional({
    example: '117',
    pattern: '^[0-9A-Za-z-]{1,12}$',
    description: 'The paddle that was held up',
  })
  @WhenSent()
  @Check((value) =>
    typeof value === 'string' && /^[0-9A-Za-z-]{1,12}$/.test(value)
      ? undefined
      : 'must be 1 to 12 letters, digits or hyphens',
  )
  paddle?: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'Of a pledge: the round of the paddle raise it belongs to',
  })
  @WhenSent()
  @Check((value, record) => {
    if (typeof value !== 'string' || !isId(value)) return 'must be an id';
    return (record as RecordDonationDto).type === 'pledge' ? undefined : 'belongs to a pledge';
  })
  roundId?: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description:
      'Who took it, where somebody else sends it: for records that waited on a terminal before an admin released it, of ' +
      'members who signed in there before',
  })
  @WhenSent()
  @Check((value) => (typeof value === 'string' && isId(value) ? undefined : 'must be an id'))
  takenBy?: string;
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
