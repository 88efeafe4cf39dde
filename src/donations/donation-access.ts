import { scopeOf } from '../common/access/capabilities.js';
import type { Principal } from '../common/access/principal.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/ids.js';
import type { DonationRow } from './donation-columns.js';

/** Object-level access: staff see what they recorded themselves, in the event of their token. */
export function maySee(caller: Principal, donation: Pick<DonationRow, 'staff_id' | 'event_id'>): boolean {
  const scope = scopeOf(caller);
  return (
    scope.kind === 'all-events' ||
    (donation.staff_id === scope.staffId && donation.event_id === scope.eventId)
  );
}

/** @throws NotFoundError when there is no such donation or the caller may not know of it. */
export function assertSeen(
  caller: Principal,
  donation: DonationRow | undefined,
): asserts donation is DonationRow {
  if (!donation || !maySee(caller, donation)) throw noSuchDonation();
}

export const noSuchDonation = () => new NotFoundError('DONATION_NOT_FOUND', 'No such donation');

/** @throws NotFoundError for what cannot be an id, before the database sees it. */
export function assertDonationId(id: string): void {
  if (!isId(id)) throw noSuchDonation();
}
