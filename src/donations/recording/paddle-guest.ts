import type { SqlExecutor, Statement } from '../../data/database.js';
import type { RecordedDonorFields } from './new-donation.js';

/** A guest of the event, found by the raised paddle. */
export interface PaddleGuest {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

/** $1: event; $2: paddle */
const WITH_PADDLE: Statement = {
  name: 'guest_with_paddle',
  text: 'SELECT id, name, email FROM guest WHERE event_id = $1 AND paddle = $2',
};

/** Returns the guest with this paddle; undefined if no guest of the event has the paddle. */
export async function guestWithPaddle(
  db: SqlExecutor,
  eventId: string,
  paddle: string,
): Promise<PaddleGuest | undefined> {
  return (await db.query<PaddleGuest>(WITH_PADDLE, [eventId, paddle]))[0];
}

/**
 * Returns the donor fields of a record whose donor is a guest. The name is hidden from the public, because
 * the guest gave the name for the guest list and not for the wall.
 */
export const donorOf = (
  { name, email }: PaddleGuest,
  { message, recordedAt }: RecordedDonorFields,
): RecordedDonorFields => ({ donorName: name, donorEmail: email, isAnonymous: true, message, recordedAt });
