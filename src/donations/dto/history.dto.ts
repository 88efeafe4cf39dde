import { ApiProperty } from '@nestjs/swagger';
import { ACTOR_KINDS } from '../../common/access/actor.js';
import type { DonationHistory } from '../../data/generated/client.js';

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
    description: "Who: an id, or the provider's event",
  })
  actorId: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  reason: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  at: string;
}

export const toHistoryEntry = (row: DonationHistory): HistoryEntryDto => ({
  from: row.from,
  to: row.to,
  actor: row.actorKind,
  actorId: row.actorId,
  reason: row.reason,
  at: row.createdAt.toISOString(),
});
