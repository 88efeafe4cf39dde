import type { Settings } from '../settings/settings.js';
import type { DonationRow } from './donation-columns.js';

export type Moderation = Settings['live']['moderate'];
type States = Pick<DonationRow, 'message_state' | 'name_state'>;

/** What of a new donation waits for approval; the statement that records offline ones decides the same in SQL. */
export function moderationStates(
  moderate: Moderation,
  donor: {
    readonly donorName: string | null;
    readonly isAnonymous: boolean;
    readonly message: string | null;
  },
): States {
  return {
    message_state: donor.message !== null && moderate !== 'none' ? 'held' : 'visible',
    name_state: donor.donorName !== null && !donor.isAnonymous && moderate === 'all' ? 'held' : 'visible',
  };
}
