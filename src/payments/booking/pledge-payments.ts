import type { Actor } from '../../common/access/principal.js';
import type { Transaction } from '../../data/database.js';
import type { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { lockDonation } from '../../donations/store/donation-store.js';
import { raiseReviewItem } from '../../review/review-items.js';
import { joinCheckout } from './checkouts.js';
import { JOIN_PLEDGE, PLEDGE_PAID } from './booking.sql.js';

/**
 * Online donations that pay a pledge. The donor opens the payment link of the pledge, and the payment closes the
 * pledge.
 */

/**
 * Links a new donation to the pledge. All payment attempts for one pledge form one checkout, so the service notices a
 * second payment.
 */
export async function joinPledge(
  tx: Transaction,
  donationId: string,
  pledge: Pick<DonationRow, 'id' | 'event_id'>,
): Promise<void> {
  await tx.query(JOIN_PLEDGE, [donationId, pledge.id]);
  await joinCheckout(tx, donationId, pledge.event_id, `pledge-${pledge.id}`);
}

/**
 * Closes the pledge of a donation that was paid in this transaction. If the donor had already paid the pledge at the
 * till, both donations stay booked, and a review item is raised.
 */
export async function settlePledge(
  tx: Transaction,
  changes: DonationChanges,
  { id, provider }: DonationRow,
  paymentId: string,
  actor: Actor,
): Promise<void> {
  const [payment] = await tx.query<{ pledge_id: string }>(PLEDGE_PAID, [id]);
  const pledge = payment && (await lockDonation(tx, payment.pledge_id));
  if (!pledge) return;
  const change = {
    fact: { kind: 'cancelled' },
    columns: { paid_by: id },
    actor,
    cause: { kind: 'pledge_paid_online', donationId: id },
  } as const;
  if (pledge.status === 'PENDING') changes.apply(tx, pledge, change);
  else if (pledge.completed_at !== null)
    await raiseReviewItem(tx, {
      kind: 'paid_twice',
      subject: `${provider ?? ''}:${paymentId}`,
      donationId: id,
      detail: { payments: 2, otherDonation: pledge.id },
    });
}
