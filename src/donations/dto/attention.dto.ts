import { ApiProperty } from '@nestjs/swagger';
import { ATTENTION_KINDS, type AttentionKind } from '../attention.js';
import type { DonationStatus } from '../donation-lifecycle.js';

/** What to do about each kind of trouble. */
const ADVICE: Readonly<Record<AttentionKind, string>> = {
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
};

export interface AttentionRow {
  readonly id: string;
  readonly kind: AttentionKind;
  readonly subject: string;
  readonly donation_id: string | null;
  readonly detail: Record<string, unknown>;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
}

export class AttentionDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  id: string;

  @ApiProperty({ enum: ATTENTION_KINDS, example: 'late_success' })
  kind: AttentionKind;

  @ApiProperty({ example: 'stripe:pi_3Qk', description: 'The object it is about' })
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

export const toAttention = (row: AttentionRow): AttentionDto => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  donationId: row.donation_id,
  detail: row.detail,
  advice: ADVICE[row.kind],
  createdAt: row.created_at.toISOString(),
  resolvedAt: row.resolved_at?.toISOString() ?? null,
});

export interface HistoryRow {
  readonly from_status: DonationStatus | null;
  readonly to_status: DonationStatus;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly reason: string | null;
  readonly created_at: Date;
}

export class HistoryEntryDto {
  @ApiProperty({ type: String, nullable: true, example: 'PENDING' })
  from: string | null;

  @ApiProperty({ example: 'COMPLETED' })
  to: string;

  @ApiProperty({ enum: ['admin', 'staff', 'donor', 'provider', 'system'], example: 'provider' })
  actor: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'evt_1Qk',
    description: "Who: an id, or the provider's event",
  })
  actorId: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  reason: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  at: string;
}

export const toHistoryEntry = (row: HistoryRow): HistoryEntryDto => ({
  from: row.from_status,
  to: row.to_status,
  actor: row.actor_kind,
  actorId: row.actor_id,
  reason: row.reason,
  at: row.created_at.toISOString(),
});
