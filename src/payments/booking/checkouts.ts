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

/** Groups the donations of one checkout. If a donor pays twice in one checkout, the service notices it. */

const HOUR_MS = 3_600_000;

export interface PaidDonation {
  readonly id: string;
  readonly provider: string | null;
  readonly payment_id: string | null;
}

/** Adds a new donation to a checkout. The donation page sent the checkout id. */
export async function joinCheckout(
  tx: Transaction,
  donationId: string,
  eventId: string,
  checkoutId: string,
): Promise<void> {
  await tx.query(JOIN_CHECKOUT, [donationId, `page:${eventId}:${checkoutId}`]);
}

/**
 * Adds a new donation to the checkout of an earlier donation, if the earlier donation exists. The payment refers to
 * the earlier donation.
 */
export async function joinCheckoutOf(tx: Transaction, donationId: string, namedId: string): Promise<void> {
  await tx.query(JOIN_CHECKOUT_OF, [donationId, namedId]);
}

/** Returns other paid donations of the same checkout, oldest first. Call it before this donation is booked as paid. */
export async function paidInSameCheckout(tx: Transaction, donation: DonationRow): Promise<PaidDonation[]> {
  const tries = await tx.query<{ donation_id: string }>(LOCK_CHECKOUT, [donation.id]);
  if (tries.length > 1)
    return await tx.query<PaidDonation>(PAID_IN_CHECKOUT, [
      tries.map(({ donation_id: id }) => id),
      donation.id,
    ]);
  return await paidAlike(tx, donation);
}

/** For a failed donation without a checkout: returns paid donations of the same donor and amount within one hour. */
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
