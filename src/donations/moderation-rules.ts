import type { Settings } from '../settings/settings.js';
import type { DonationRow } from './donation-columns.js';

export type Moderation = Settings['live']['moderate'];
type States = Pick<DonationRow, 'message_state' | 'name_state'>;

/** What a wall could show of a donor. */
interface Shown {
  readonly donorName: string | null;
  readonly isAnonymous: boolean;
  readonly message: string | null;
}

/** What of a new donation waits for approval; the statement that records offline ones decides the same in SQL. */
export function moderationStates(moderate: Moderation, donor: Shown): States {
  return {
    message_state: donor.message !== null && moderate !== 'none' ? 'held' : 'visible',
    name_state: nameOf(donor) !== null && moderate === 'all' ? 'held' : 'visible',
  };
}

/** After a correction: words that nobody has approved wait as those of a new donation do; what is hidden stays so. */
export function statesOfCorrected(moderate: Moderation, before: Shown & States, after: Shown): States {
  const anew = moderationStates(moderate, after);
  const decided = (state: States['name_state'], isNew: boolean, fresh: States['name_state']) =>
    state === 'visible' && isNew ? fresh : state;
  return {
    message_state: decided(before.message_state, after.message !== before.message, anew.message_state),
    name_state: decided(before.name_state, nameOf(after) !== nameOf(before), anew.name_state),
  };
}

const nameOf = ({ donorName, isAnonymous }: Shown): string | null => (isAnonymous ? null : donorName);
