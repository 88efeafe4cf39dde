import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ReviewItem } from '../../../data/generated/client.js';
import { toJsonAmount } from '../../../common/money/money.js';
import type { ReviewDonationRow } from '../review-donations.sql.js';
import { adviceOn } from '../advice.js';
import { plainWordsOn } from '../plain-words.js';
import { REVIEW_KINDS, type ReviewKind } from '../../../review/review-items.js';

export class ReviewActionDto {
  @ApiProperty({ example: 'refund' })
  action: string;

  @ApiProperty({ example: 'Refund the donation', description: 'Label of the button' })
  label: string;

  @ApiProperty({ enum: ['GET', 'POST'] })
  method: 'GET' | 'POST';

  @ApiProperty({ example: '/donations/0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f/cancel' })
  path: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { shouldRefund: true },
    description: 'Body of the request. The user must fill in each null field',
  })
  body?: Readonly<Record<string, unknown>>;
}

/** The donation of a review item: the donor, the amount, the event, and the place of the payment at its provider. */
export class ReviewDonationDto {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Ada Lovelace',
    description: 'The real name, also of an anonymous donation',
  })
  donorName: string | null;

  @ApiProperty({ type: 'integer', example: 2500, description: 'Minor units' })
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ example: 'winter-gala' })
  eventSlug: string;

  @ApiProperty({ example: 'Winter Gala' })
  eventName: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'acme_bank',
    description: 'Null for an offline donation',
  })
  provider: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'pi_3Qk',
    description: "The provider's payment object",
  })
  paymentId: string | null;

  @ApiPropertyOptional({ example: 'https://dashboard.example.com/payments/pi_3Qk' })
  dashboardUrl?: string;
}

export class ReviewItemDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  id: string;

  @ApiProperty({ enum: REVIEW_KINDS, example: 'late_success' })
  kind: ReviewKind;

  @ApiProperty({
    example: 'acme_bank:pay_3Qk',
    description: 'Object of the item, such as `<provider>:<payment id>`',
  })
  subject: string;

  @ApiProperty({ type: String, nullable: true, example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  donationId: string | null;

  @ApiPropertyOptional({
    type: ReviewDonationDto,
    description: 'In the lists of review items; absent if the item is about no donation',
  })
  donation?: ReviewDonationDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { received: 2500, receivedCurrency: 'eur' },
    description: 'Description of the event',
  })
  detail: Record<string, unknown>;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    example: null,
    description: 'Deadline, for example to answer a dispute',
  })
  dueBy: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: {
      status: 'needs_response',
      reason: 'fraudulent',
      inquiry: false,
      fee: 2000,
      feeCurrency: 'eur',
    },
    description: 'Details from the provider; fees in minor units',
  })
  particulars: Record<string, unknown> | null;

  @ApiProperty({
    example:
      'The donor paid after the donation was cancelled. It is booked as COMPLETED; refund it if it was not meant.',
    description: 'Advice: the next step',
  })
  advice: string;

  @ApiProperty({ example: 'Paid after it was cancelled' })
  title: string;

  @ApiProperty({
    example: 'The donation had been cancelled and the money came all the same. It counts now.',
    description: 'Effect on the money and the donors',
  })
  meaning: string;

  @ApiProperty({ type: [ReviewActionDto], description: 'Possible actions, the most likely first' })
  actions: ReviewActionDto[];

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  createdAt: string;

  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  resolvedAt: string | null;
}

export const toReviewDonation = (row: ReviewDonationRow, dashboardUrl?: string): ReviewDonationDto => ({
  donorName: row.donor_name,
  amount: toJsonAmount(row.amount),
  currency: row.currency,
  eventSlug: row.event_slug,
  eventName: row.event_name,
  provider: row.provider,
  paymentId: row.payment_id,
  ...(dashboardUrl !== undefined && { dashboardUrl }),
});

export const toReviewItem = (row: ReviewItem): ReviewItemDto => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  donationId: row.donationId,
  detail: row.detail as Record<string, unknown>,
  dueBy: row.dueBy?.toISOString() ?? null,
  particulars: row.particulars as Record<string, unknown> | null,
  advice: adviceOn(row),
  ...plainWordsOn(row),
  createdAt: row.createdAt.toISOString(),
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
});
