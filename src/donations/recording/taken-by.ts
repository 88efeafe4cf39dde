import { type OwnEvent, type Scope } from '../../common/access/principal.js';
import { ForbiddenError, InvalidInputError } from '../../common/errors/domain-errors.js';
import type { SqlExecutor } from '../../data/database.js';
import { RELEASED_TERMINAL } from '../store/donations.sql.js';
import type { RecordDonationDto } from '../dto/record-donation.dto.js';
import { CLOCKS_DIFFER_MS } from './given-at.js';

/** The member whose record a donation is. */
export type Taker = Pick<OwnEvent, 'staffId' | 'staffName'>;

/** How long after an admin's release others may send what waited; an interval of PostgreSQL. */
export const RELEASE_LASTS = '24 hours';

interface ReleasedRow {
  readonly released_at: Date;
  readonly id: string | null;
  readonly name: string | null;
}

/**
 * Whose record it is: the sender's, or that of the member who took it before an admin released the terminal; of a record
 * that an admin sends, no member's.
 * @throws ForbiddenError `TERMINAL_NOT_RELEASED` when another member is named and no release covers the record;
 *   `TAKER_NOT_SIGNED_IN` when that member had not signed in on the terminal, at the event, before the release
 */
export async function takerOf(
  db: SqlExecutor,
  scope: Scope,
  { takenBy, recordedAt }: Pick<RecordDonationDto, 'takenBy' | 'recordedAt'>,
): Promise<Taker | undefined> {
  const sender = scope.kind === 'own-event' ? scope : undefined;
  if (takenBy === undefined || takenBy.toLowerCase() === sender?.staffId) return sender;
  if (recordedAt === undefined)
    throw new InvalidInputError('VALIDATION_FAILED', 'recordedAt must be sent with takenBy');
  const [released] = sender?.terminalId
    ? await db.query<ReleasedRow>(RELEASED_TERMINAL, [
        sender.terminalId,
        takenBy,
        sender.eventId,
        RELEASE_LASTS,
      ])
    : [];
  if (!released || Date.parse(recordedAt) > released.released_at.getTime() + CLOCKS_DIFFER_MS)
    throw new ForbiddenError(
      'TERMINAL_NOT_RELEASED',
      'Only records that waited on a terminal when an admin released it may be sent for somebody else',
    );
  // One answer for unknown members too: it must not show who exists.
  if (released.id === null || released.name === null)
    throw new ForbiddenError(
      'TAKER_NOT_SIGNED_IN',
      'Records may be sent only for members who signed in on this terminal, at this event, before its release',
    );
  return { staffId: released.id, staffName: released.name };
}
