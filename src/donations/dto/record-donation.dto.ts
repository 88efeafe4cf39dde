import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PADDLE } from '../../common/text/paddle.js';
import {
  BlankIsAbsent,
  Flag,
  Id,
  Instant,
  Matching,
  MinorUnits,
  OneOf,
  OptionalEmail,
  OptionalText,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { OptionalTribute, type TributeDto } from '../tributes/tribute.dto.js';
import { OFFLINE_TYPES, type OfflineType, RECEIVED_TYPES } from '../store/donation-columns.js';

export const NAME_LENGTH = 200;
const MESSAGE_LENGTH = 500;
export const ADDRESS_LENGTH = 500;
export const REFERENCE_LENGTH = 60;
export const NOTE_LENGTH = 500;

/** Text fields about the donor. */
export class DonorTextDto {
  @ApiPropertyOptional({ example: 'Ada Lovelace' })
  @OptionalText({ max: NAME_LENGTH })
  donorName?: string | null;

  @ApiPropertyOptional({ example: 'ada@example.org' })
  @OptionalEmail()
  donorEmail?: string | null;

  @ApiPropertyOptional({ example: 'For the new roof' })
  @OptionalText({ max: MESSAGE_LENGTH, multiline: true })
  message?: string | null;
}

export const IS_ANONYMOUS = {
  example: false,
  description: 'True shows `Anonymous` in public; always true without a name',
};

export const IS_AMOUNT_HIDDEN = {
  example: false,
  description:
    'True shows a heart instead of the amount in public. The totals contain the amount all the same',
};

/** The four donor fields, which can be corrected later. */
export class DonorFieldsDto extends DonorTextDto {
  @ApiPropertyOptional(IS_ANONYMOUS)
  @WhenSent()
  @Flag()
  isAnonymous?: boolean;
}

/**
 * The fields about a donation that can be corrected later: four about the donor and the address, the choice to hide the
 * amount, the tribute, and two for the treasurer.
 */
export class CorrectableFieldsDto extends DonorFieldsDto {
  @ApiPropertyOptional(IS_AMOUNT_HIDDEN)
  @WhenSent()
  @Flag()
  isAmountHidden?: boolean;

  @OptionalTribute()
  tribute?: TributeDto | null;

  @ApiPropertyOptional({
    example: 'Main Street 1\n12345 Sampletown',
    description:
      'Postal address as one text, which receipts for the tax office need. A change removes the parts of the address (`address`)',
  })
  @OptionalText({ max: ADDRESS_LENGTH, multiline: true })
  donorAddress?: string | null;

  @ApiPropertyOptional({
    example: '004711',
    description: 'Number of the cheque, or reference of the bank transfer',
  })
  @OptionalText({ max: REFERENCE_LENGTH })
  reference?: string | null;

  @ApiPropertyOptional({
    example: 'Found in the collection box of the bar',
    description: 'Note of the team; never public, and not on receipts',
  })
  @OptionalText({ max: NOTE_LENGTH, multiline: true })
  note?: string | null;
}

export class RecordDonationDto extends CorrectableFieldsDto {
  @MinorUnits()
  amount: number;

  @ApiPropertyOptional({
    description: 'Event id or slug; the event of the token by default',
    example: 'winter-gala',
  })
  @OptionalText({ max: 100 })
  eventId?: string | null;

  @ApiProperty({
    example: 'cash',
    description: 'A pledge stays PENDING until it is fulfilled',
  })
  @OneOf(OFFLINE_TYPES)
  type: OfflineType;

  @ApiPropertyOptional({
    example: false,
    description: 'True confirms an amount above `donation.confirmOfflineAbove`; without it the answer is 409',
  })
  @WhenSent()
  @Flag()
  confirmed?: boolean;

  @ApiPropertyOptional({
    example: '2026-11-21T19:29:58.000Z',
    description:
      "When it was taken, by the device's clock. A time that cannot be (more than two minutes ahead, or from before " +
      "the event's day and the day before it) is replaced by the time of arrival, with a `warning` in the answer and a review item.",
  })
  @BlankIsAbsent()
  @Instant()
  recordedAt?: string;

  @ApiPropertyOptional({
    example: '117',
    description: 'Paddle number',
  })
  @BlankIsAbsent()
  @Matching(PADDLE, 'must be 1 to 12 letters, digits or hyphens')
  paddle?: string;

  @ApiPropertyOptional({
    description: 'Round of the paddle raise, for a pledge',
  })
  @BlankIsAbsent()
  @Id()
  roundId?: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description:
      'Team of the donation: a table, a team or a person of the event. Without it, the table of the guest with the `paddle`',
  })
  @BlankIsAbsent()
  @Id()
  teamId?: string;

  @ApiPropertyOptional({
    description:
      'Member who took the donation, if another member sends it. Only for records that waited on a terminal when an admin ' +
      'released it, and for members who signed in on it before',
  })
  @BlankIsAbsent()
  @Id()
  takenBy?: string;
}

export class FulfilPledgeDto {
  @ApiProperty({
    example: 'bank_transfer',
    description: 'Kind of the received payment',
  })
  @OneOf(RECEIVED_TYPES)
  type: (typeof RECEIVED_TYPES)[number];
}
