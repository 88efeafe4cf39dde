import { ConflictError } from '../common/errors/domain-errors.js';
import type { Transaction } from '../data/database.js';
import { HAS_DONATIONS, HAS_UNSIGNED_SHIFTS, LOCK_AGAINST_DONATIONS } from './events.sql.js';

/**
 * Makes sure that an event's currency may change and that no donation or shift comes before `tx` has committed. The
 * checks are statements of their own, after the lock, so that they see everything that the lock waited for.
 * @throws ConflictError `EVENT_CURRENCY_FIXED` when the event has donations, or a shift that is not closed: its float
 *   is counted in the present currency, and cash in another one would never be expected in its drawer
 */
export async function holdCurrency(tx: Transaction, eventId: string): Promise<void> {
  await tx.query(LOCK_AGAINST_DONATIONS, [eventId]);
  const [donations] = await tx.query<{ found: boolean }>(HAS_DONATIONS, [eventId]);
  if (donations?.found) throw fixed('The currency of an event with donations cannot change');
  const [shifts] = await tx.query<{ found: boolean }>(HAS_UNSIGNED_SHIFTS, [eventId]);
  if (shifts?.found)
    throw fixed('The currency cannot change while a shift is open; have it counted and signed');
}

const fixed = (why: string) => new ConflictError('EVENT_CURRENCY_FIXED', why);
