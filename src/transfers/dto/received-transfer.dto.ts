import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Day, Flag, Ids, MinorUnits, Text, WhenSent } from '../../common/validation/field.decorators.js';
import { DonationDto } from '../../donations/dto/donation.dto.js';

/** Longest pasted text, in characters of up to four bytes. A request body has at most 100 KB. */
const LONGEST_TEXT = 20_000;
/** Maximum number of references or transfers in one request. */
export const MOST_TRANSFERS = 1_000;

const RECEIVED_ON = {
  example: '2026-12-01',
  description: 'Day on which the money arrived, in the time zone of the settings. The receipt shows it',
};

/** Body of `POST /donations/:id/receive`. */
export class ReceiveTransfer {
  @ApiProperty(RECEIVED_ON)
  @Day()
  receivedOn: string;

  @MinorUnits({ example: 2500, description: 'Received amount; minor units of the currency of the donation' })
  amount: number;

  @ApiPropertyOptional({
    example: true,
    description:
      'True if the received amount is right although it differs from the amount of the donation. A pledge is then paid with the ' +
      'received amount, and its history keeps the pledged amount',
  })
  @WhenSent()
  @Flag()
  amountDiffers?: boolean;

  @ApiPropertyOptional({
    example: false,
    description:
      'Only for a pledge: true books the money as a donation of its own, and the pledge stays open. Needs the header ' +
      '`Idempotency-Key`, so that a repeat books nothing twice; the answer is the new donation',
  })
  @WhenSent()
  @Flag()
  asOwnDonation?: boolean;
}

/** Body of `POST /transfers/search`. */
export class SearchReferences {
  @ApiProperty({
    example: '28.11.2026  RF53 2993 1234 0000 0000 19  25.00 EUR',
    description: 'Any text, such as a copied page of an online bank. Amounts in it are not read',
  })
  @Text({ max: LONGEST_TEXT, multiline: true })
  text: string;
}

export const REFERENCE_STATES = [
  'open',
  'cancelled',
  'received',
  'closed',
  'unknown',
  'foreign',
  'mistyped',
] as const;
export type ReferenceState = (typeof REFERENCE_STATES)[number];

export class FoundReferenceDto {
  @ApiProperty({ example: 'RF53 2993 1234 0000 0000 19', description: 'As it is printed, in groups' })
  reference: string;

  @ApiProperty({
    enum: REFERENCE_STATES,
    example: 'open',
    description:
      '`open`: waits for the money; `cancelled`: expired or cancelled, but can still be received; `received`: already received; `closed`: removed from the books, or paid in another way; `unknown`: no such donation; `foreign`: a reference of another sender; `mistyped`: the check digits are wrong',
  })
  state: ReferenceState;

  @ApiProperty({
    type: DonationDto,
    nullable: true,
    description: 'The donation or pledge; null if there is none',
  })
  donation: DonationDto | null;

  @ApiProperty({ type: String, nullable: true, example: 'Winter Gala' })
  eventName: string | null;
}

export class FoundReferencesDto {
  @ApiProperty({ type: [FoundReferenceDto], description: 'Each reference once, in the order of the text' })
  found: FoundReferenceDto[];

  @ApiProperty({ example: 0, description: 'Number of references beyond the first 1,000, which are left out' })
  leftOut: number;
}

/** Body of `POST /transfers/receive`. */
export class ReceiveTransfers {
  @ApiProperty({
    type: [String],
    description: 'Donations whose full amount has arrived; at most 1,000',
    example: ['0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f'],
  })
  @Ids({ max: MOST_TRANSFERS })
  donationIds: string[];

  @ApiProperty(RECEIVED_ON)
  @Day()
  receivedOn: string;
}

export class NotReceivedDto {
  @ApiProperty({ format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  donationId: string;

  @ApiProperty({ example: 'TRANSFER_RECEIVED' })
  code: string;

  @ApiProperty({ example: 'The transfer was already received' })
  message: string;
}

export class ReceivedTransfersDto {
  @ApiProperty({ example: 12, description: 'Number of transfers that this request booked' })
  received: number;

  @ApiProperty({ type: [NotReceivedDto], description: 'Transfers that it did not book, with the reason' })
  skipped: NotReceivedDto[];
}
