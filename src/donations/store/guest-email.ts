import { type Principal, scopeOf } from '../../common/access/principal.js';
import type { DonationRow } from './donation-columns.js';

/**
 * True if the e-mail address of a donation comes from the guest list and the caller must not see this
 * address. Volunteers see names, tables and paddles of guests, but no addresses.
 */
export const hidesGuestEmail = (caller: Principal, { guest_id }: Pick<DonationRow, 'guest_id'>): boolean =>
  guest_id !== null && scopeOf(caller).kind === 'own-event';

/** Returns the row as the caller may see it. */
export const seenBy = (caller: Principal, row: DonationRow): DonationRow =>
  hidesGuestEmail(caller, row) ? { ...row, donor_email: null } : row;
