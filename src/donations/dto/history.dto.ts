import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Actor, ACTOR_KINDS } from '../../common/access/principal.js';
import type { DonationStatus } from '../lifecycle/donation-lifecycle.js';

/** A row of `donation_history`. */
export interface HistoryRow {
  readonly from_status: DonationStatus | null;
  readonly to_status: DonationStatus;
  readonly actor_kind: Actor['kind'];
  readonly actor_id: string | null;
  readonly reason: string | null;
  readonly fields: string[];
  readonly created_at: Date;
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

  @ApiProperty({ type: String, nullable: true, example: null })
  reason: string | null;

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
  ...(row.fields.length > 0 && { fields: row.fields }),
  at: row.created_at.toISOString(),
});
