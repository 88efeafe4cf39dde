import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Actor, ACTOR_KINDS } from '../../common/access/principal.js';
import type { DonationStatus } from '../lifecycle/donation-lifecycle.js';
import {
  CAUSE_KINDS,
  type CauseKind,
  causeOfText,
  type HistoryCause,
  textOfCause,
} from '../lifecycle/history-cause.js';

/** A row of `donation_history`. */
export interface HistoryRow {
  readonly from_status: DonationStatus | null;
  readonly to_status: DonationStatus;
  readonly actor_kind: Actor['kind'];
  readonly actor_id: string | null;
  readonly reason: string | null;
  readonly cause: HistoryCause | null;
  readonly fields: string[];
  readonly created_at: Date;
  /** Currency of the donation. */
  readonly currency: string;
}

/** Cause of a step, for programs and for texts in the language of the reader. */
export class HistoryCauseDto implements HistoryCause {
  @ApiProperty({ enum: CAUSE_KINDS, example: 'refund_requested' })
  kind: CauseKind;

  @ApiPropertyOptional({ type: 'integer', example: 2000, description: 'Minor units' })
  amount?: number;

  @ApiPropertyOptional({
    type: 'integer',
    example: 50_000,
    description: 'Pledged amount, if another amount was paid; minor units',
  })
  pledged?: number;

  @ApiPropertyOptional({ example: 'gbp' })
  currency?: string;

  @ApiPropertyOptional({ example: 'succeeded', description: 'New status of the refund or dispute' })
  status?: string;

  @ApiPropertyOptional({ example: 'cash', description: 'Type of the payment of a pledge' })
  type?: string;

  @ApiPropertyOptional({ example: 'insufficient_funds', description: "The provider's code" })
  code?: string;

  @ApiPropertyOptional({
    example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
    description: 'The donation that paid the pledge, or that a transfer with its reference became',
  })
  donationId?: string;

  @ApiPropertyOptional({ example: '2026-000041', description: 'Number of the replaced receipt' })
  number?: string;

  @ApiPropertyOptional({ example: '2026-000042' })
  replacedBy?: string;
}

export class HistoryEntryDto {
  @ApiProperty({ type: String, nullable: true, example: 'PENDING' })
  from: string | null;

  @ApiProperty({ example: 'COMPLETED' })
  to: string;

  @ApiProperty({ enum: ACTOR_KINDS, example: 'provider' })
  actor: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'evt_1Qk',
    description: "Id of the actor, or of the provider's event",
  })
  actorId: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The reason that a person typed; otherwise the cause in English',
  })
  reason: string | null;

  @ApiPropertyOptional({ type: HistoryCauseDto, description: 'Absent if only a person gave a reason' })
  cause?: HistoryCauseDto;

  @ApiPropertyOptional({ example: 'Charged twice', description: 'The reason that a person typed' })
  note?: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['donorName'],
    description: 'Names of the donor fields that a correction changed, never their values',
  })
  fields?: string[];

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  at: string;
}

export const toHistoryEntry = (row: HistoryRow): HistoryEntryDto => ({
  from: row.from_status,
  to: row.to_status,
  actor: row.actor_kind,
  actorId: row.actor_id,
  reason: row.reason,
  ...causeAndNote(row),
  ...(row.fields.length > 0 && { fields: row.fields }),
  at: row.created_at.toISOString(),
});

function causeAndNote({
  reason,
  cause,
  to_status,
  currency,
}: HistoryRow): Pick<HistoryEntryDto, 'cause' | 'note'> {
  const known = cause ?? (reason === null ? undefined : causeOfText(reason, to_status, currency));
  const isTyped = reason !== null && !(known && textOfCause(known) === reason);
  return { ...(known && { cause: known }), ...(isTyped && { note: reason }) };
}
