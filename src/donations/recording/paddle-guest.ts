import type { SqlExecutor, Statement } from '../../data/database.js';
import type { RecordedDonorFields } from './new-donation.js';

/** A guest of the event, found by the raised paddle. */
export interface PaddleGuest {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** The team with the name or number of the guest's table. */
  readonly team_id: string | null;
}

const TEAM_OF_GUEST = `(SELECT team.id FROM team WHERE team.event_id = guest.event_id
    AND (team.number::text = btrim(guest.table_name) OR lower(team.name) = lower(btrim(guest.table_name)))
  ORDER BY team.number LIMIT 1) AS team_id`;

/** $1: event; $2: paddle */
const WITH_PADDLE: Statement = {
  name: 'guest_with_paddle',
  text: `SELECT id, name, email, ${TEAM_OF_GUEST} FROM guest WHERE event_id = $1 AND paddle = $2`,
};

/** Returns the guest with this paddle; undefined if no guest of the event has the paddle. */
export async function guestWithPaddle(
  db: SqlExecutor,
  eventId: string,
  paddle: string,
): Promise<PaddleGuest | undefined> {
  return (await db.query<PaddleGuest>(WITH_PADDLE, [eventId, paddle]))[0];
}

/** $1: event; $2: paddles */
const WITH_PADDLES: Statement = {
  name: 'guests_with_paddles',
  text: `SELECT id, name, email, paddle, ${TEAM_OF_GUEST} FROM guest WHERE event_id = $1 AND paddle = ANY($2::text[])`,
};

/** Returns the guests with these paddles, by paddle. */
export async function guestsWithPaddles(
  db: SqlExecutor,
  eventId: string,
  paddles: readonly string[],
): Promise<ReadonlyMap<string, PaddleGuest>> {
  if (paddles.length === 0) return new Map();
  const found = await db.query<PaddleGuest & { paddle: string }>(WITH_PADDLES, [eventId, paddles]);
  return new Map(found.map((guest) => [guest.paddle, guest]));
}

/**
 * Returns the donor fields of a record whose donor is a guest. The name is hidden from the public, because
 * the guest gave the name for the guest list and not for the wall.
 */
export const donorOf = (
  { name, email }: PaddleGuest,
  { message, recordedAt }: RecordedDonorFields,
): RecordedDonorFields => ({ donorName: name, donorEmail: email, isAnonymous: true, message, recordedAt });
