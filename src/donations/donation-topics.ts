import type { DonationTopic } from '../outbox/outbox.js';
import { columnsWhere, type DonationRow } from './donation-columns.js';
import { COUNTED } from './donation-lifecycle.js';
import { sameValue } from './same-value.js';

const ANNOUNCED = columnsWhere(({ announced }) => announced);

/**
 * What a change is announced as: `donation.created` once, when a donation first completes, then updates of what a
 * wall shows and retractions. A donation that is not in the totals, and was not, is nobody's news.
 */
export function topicsOf(before: DonationRow | undefined, after: DonationRow): DonationTopic[] {
  const completes = after.completed_at !== null && (before?.completed_at ?? null) === null;
  const topics: DonationTopic[] = completes ? ['donation.created'] : [];
  if (after.status !== COUNTED)
    return before?.status === COUNTED || completes ? [...topics, 'donation.retracted'] : [];
  const shown = before === undefined || ANNOUNCED.some((column) => !sameValue(before[column], after[column]));
  return completes || !shown ? topics : ['donation.updated'];
}
