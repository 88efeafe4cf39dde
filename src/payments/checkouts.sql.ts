import { firstIdAt, timeOfId } from '../common/ids.js';
import type { Statement, Transaction } from '../data/database.js';
import type { DonationRow } from '../donations/donation-columns.js';

/** Donations that are tries of one checkout, so that two that are paid are noticed. */

const HOUR_MS = 3_600_000;

const JOIN: Statement = {
  name: 'checkout_join',
  text: 'INSERT INTO checkout (donation_id, key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
};

// Whichever donation of the two is booked first is the first of its checkout.
const JOIN_OF: Statement = {
  name: 'checkout_join_of',
  text: `WITH named AS (SELECT id FROM donation WHERE id = $2),
      began AS (INSERT INTO checkout (donation_id, key) SELECT id, 'donation:' || id FROM named
        ON CONFLICT (donation_id) DO UPDATE SET key = checkout.key RETURNING key)
    INSERT INTO checkout (donation_id, key) SELECT $1, key FROM began ON CONFLICT DO NOTHING`,
};

// Two payments that are booked at the same moment wait for each other here; the second one sees the first.
const LOCK: Statement = {
  name: 'checkout_lock',
  text: `SELECT donation_id FROM checkout WHERE key = (SELECT key FROM checkout WHERE donation_id = $1)
    ORDER BY donation_id FOR UPDATE`,
};

const PAID: Statement = {
  name: 'checkout_paid',
  text: `SELECT id, provider, payment_id FROM donation
    WHERE id = ANY($1::uuid[]) AND id <> $2 AND paid_at IS NOT NULL ORDER BY id`,
};

// A donor who was declined and paid otherwise, on a page that does not name its checkouts.
const PAID_ALIKE: Statement = {
  name: 'checkout_paid_alike',
  text: `SELECT id, provider, payment_id FROM donation
    WHERE event_id = $1 AND amount = $2 AND currency = $3 AND donor_key = $4 AND provider IS NOT NULL
      AND paid_at IS NOT NULL AND id <> $5 AND id BETWEEN $6 AND $7 ORDER BY id`,
};

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
  await tx.query(JOIN, [donationId, `page:${eventId}:${checkoutId}`]);
}

/** A new donation is another payment of the checkout of a donation that its payment names, where there is one. */
export async function joinCheckoutOf(tx: Transaction, donationId: string, namedId: string): Promise<void> {
  await tx.query(JOIN_OF, [donationId, namedId]);
}

/** Other donations of the same checkout that are paid, the oldest first; called before this one is. */
export async function paidInSameCheckout(tx: Transaction, donation: DonationRow): Promise<PaidDonation[]> {
  const tries = await tx.query<{ donation_id: string }>(LOCK, [donation.id]);
  if (tries.length > 1)
    return await tx.query<PaidDonation>(PAID, [tries.map(({ donation_id: id }) => id), donation.id]);
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
