import { firstIdAt, timeOfId } from '../../common/crypto/ids.js';
import type { Transaction } from '../../data/database.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import {
  JOIN_CHECKOUT,
  JOIN_CHECKOUT_OF,
  LOCK_CHECKOUT,
  PAID_ALIKE,
  PAID_IN_CHECKOUT,
} from './booking.sql.js';

/** Donations that are tries of one checkout, so that two that are paid are noticed. */

const HOUR_MS = 3_600_000;

export interface PaidDonation {
  readonly id: string;
  readonly provider: string | null;
  readonly payment_id: string | null;
}

/** A new donation is a try of the checkout that the donor's page names. */
export async function joinCheckout(
  tx: Transaction,
  donationId: string,
  eventId: string,
  checkoutId: string,
): Promise<void> {
  await tx.query(JOIN_CHECKOUT, [donationId, `page:${eventId}:${checkoutId}`]);
}

/** A new donation is another payment of the checkout of a donation that its payment names, where there is one. */
export async function joinCheckoutOf(tx: Transaction, donationId: string, namedId: string): Promise<void> {
  await tx.query(JOIN_CHECKOUT_OF, [donationId, namedId]);
}

/** Other donations of the same checkout that are paid, the oldest first; called before this one is. */
export async function paidInSameCheckout(tx: Transaction, donation: DonationRow): Promise<PaidDonation[]> {
  const tries = await tx.query<{ donation_id: string }>(LOCK_CHECKOUT, [donation.id]);
  if (tries.length > 1)
    return await tx.query<PaidDonation>(PAID_IN_CHECKOUT, [
      tries.map(({ donation_id: id }) => id),
      donation.id,
    ]);
  return await paidAlike(tx, donation);
}

/** As that, where only the donor and the amount say that it is the same checkout: after a payment that failed. */
export async function paidAlike(tx: Transaction, donation: DonationRow): Promise<PaidDonation[]> {
  if (donation.status !== 'FAILED' || donation.donor_key === null) return [];
  const opened = timeOfId(donation.id).getTime();
  return await tx.query<PaidDonation>(PAID_ALIKE, [
    donation.event_id,
    donation.amount,
    donation.currency,
    donation.donor_key,
    donation.id,
    firstIdAt(new Date(opened - HOUR_MS)),
    firstIdAt(new Date(opened + HOUR_MS)),
  ]);
}
