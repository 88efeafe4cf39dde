import { ApiProperty } from '@nestjs/swagger';
import type { ReviewItem } from '../../data/generated/client.js';
import { REVIEW_KINDS, type ReviewKind } from '../review-items.js';

/** What to do about each kind of trouble. */
const ADVICE: Readonly<Record<ReviewKind, string>> = {
  amount_mismatch:
    'The provider took another amount than was asked. It is booked as received; tell the donor or refund it.',
  late_success:
    'The donor paid after the donation was cancelled. It is booked as COMPLETED; refund it if it was not meant.',
  refund_failed:
    'The provider could not give the money back. The donation counts again; contact the donor or refund anew.',
  dispute:
    "The donor's bank disputes the payment. While it is open, answer it in the provider's dashboard before its deadline; once lost, its sum counts as given back.",
  unmatched_payment:
    "Money arrived for an event that does not exist here. Find it in the provider's dashboard, then refund or record it.",
  reconciliation:
    'The provider could not be asked, or does not know the payment. Check its keys and its dashboard.',
  total_out_of_range:
    "The event's total is more than people may record into one event. Look for a mistaken record and cancel it; no more can be recorded until then.",
  relay_stalled:
    'Donations of this event have waited for their broadcast for more than a minute. The books are not affected; the log says why.',
};

export class ReviewItemDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  id: string;

  @ApiProperty({ enum: REVIEW_KINDS, example: 'late_success' })
  kind: ReviewKind;

  @ApiProperty({
    example: 'acme_bank:pay_3Qk',
    description: 'The object it is about, such as `<provider>:<payment id>`',
  })
  subject: string;

  @ApiProperty({ type: String, nullable: true, example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  donationId: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { received: 2500, receivedCurrency: 'eur' },
    description: 'What happened',
  })
  detail: Record<string, unknown>;

  @ApiProperty({ example: ADVICE.late_success, description: 'What to do' })
  advice: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  createdAt: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  resolvedAt: string | null;
}

export const toReviewItem = (row: ReviewItem): ReviewItemDto => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  donationId: row.donationId,
  detail: row.detail as Record<string, unknown>,
  advice: ADVICE[row.kind],
  createdAt: row.createdAt.toISOString(),
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
});
