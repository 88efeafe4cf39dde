import { ConflictError } from '../common/errors/domain-errors.js';
import type { Transaction } from '../data/database.js';
import { HAS_DONATIONS, LOCK_AGAINST_DONATIONS } from './events.sql.js';

/**
 * Makes sure that an event's currency may change and that no donation comes before `tx` has committed. The check
 * is a statement of its own, after the lock, so that it sees every donation that the lock waited for.
 * @throws ConflictError `EVENT_CURRENCY_FIXED` when the event has donations
 */
export async function holdCurrency(tx: Transaction, eventId: string): Promise<void> {
  await tx.query(LOCK_AGAINST_DONATIONS, [eventId]);
  const [row] = await tx.query<{ found: boolean }>(HAS_DONATIONS, [eventId]);
  if (row?.found)
    throw new ConflictError('EVENT_CURRENCY_FIXED', 'The currency of an event with donations cannot change');
}
