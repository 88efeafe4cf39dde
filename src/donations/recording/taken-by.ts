import { type OwnEvent, type Scope } from '../../common/access/principal.js';
import { ForbiddenError, RefusedFieldsError } from '../../common/errors/domain-errors.js';
import type { SqlExecutor } from '../../data/database.js';
import { RELEASED_TERMINAL } from '../store/donations.sql.js';
import type { RecordDonationDto } from '../dto/record-donation.dto.js';
import { CLOCKS_DIFFER_MS } from './given-at.js';

/** The member who took a donation. */
export type Taker = Pick<OwnEvent, 'staffId' | 'staffName'>;

/** Time after the release of a terminal in which other members may send its waiting records, as a PostgreSQL interval. */
export const RELEASE_LASTS = '24 hours';

interface ReleasedRow {
  readonly released_at: Date;
  readonly id: string | null;
  readonly name: string | null;
}

/**
 * Returns the owner of a record: the sender, or the member who took the record before an admin released the terminal. A record
 * that an admin sends has no owner.
 * @throws ForbiddenError `TERMINAL_NOT_RELEASED` if `takenBy` is another member and no release covers the record;
 * `TAKER_NOT_SIGNED_IN` if that member had not signed in on the terminal, at the event, before the release
 */
export async function takerOf(
  db: SqlExecutor,
  scope: Scope,
  { takenBy, recordedAt }: Pick<RecordDonationDto, 'takenBy' | 'recordedAt'>,
): Promise<Taker | undefined> {
  const sender = scope.kind === 'own-event' ? scope : undefined;
  if (takenBy === undefined || takenBy.toLowerCase() === sender?.staffId) return sender;
  if (recordedAt === undefined)
    throw new RefusedFieldsError([
      { field: 'recordedAt', rule: 'required', message: 'recordedAt must be sent with takenBy' },
    ]);
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
      'A record of another member may only be sent if it waited on the terminal when an admin released it',
    );
  // An unknown member gets the same error, so that the error does not reveal which members exist.
  if (released.id === null || released.name === null)
    throw new ForbiddenError(
      'TAKER_NOT_SIGNED_IN',
      'Records may be sent only for members who signed in on this terminal, at this event, before its release',
    );
  return { staffId: released.id, staffName: released.name };
}
