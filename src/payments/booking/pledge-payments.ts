import type { Actor } from '../../common/access/principal.js';
import { ConflictError } from '../../common/errors/domain-errors.js';
import type { SqlExecutor, Transaction } from '../../data/database.js';
import type { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { lockDonation } from '../../donations/store/donation-store.js';
import { raiseReviewItem } from '../../review/review-items.js';
import { joinCheckout } from './checkouts.js';
import { IS_BEING_CHARGED, IS_CARD_CHARGE, JOIN_PLEDGE, LOCK_PAYABLE, PLEDGE_PAID } from './booking.sql.js';

/**
 * Online donations that pay a pledge. The donor opens the payment link of the pledge, and the payment closes the
 * pledge.
 */

/**
 * Locks a pledge before a donor starts to pay it online. The charge of a saved card holds the same lock while it begins, so only one
 * of them can take the money.
 * @throws ConflictError `PLEDGE_NOT_OPEN`, `PLEDGE_BEING_CHARGED`
 */
export async function lockPayablePledge(tx: Transaction, pledgeId: string): Promise<void> {
  const [pledge] = await tx.query<{ status: string; is_charging: boolean }>(LOCK_PAYABLE, [pledgeId]);
  if (pledge?.status !== 'PENDING')
    throw new ConflictError('PLEDGE_NOT_OPEN', 'This pledge is already paid or cancelled');
  if (pledge.is_charging)
    throw new ConflictError('PLEDGE_BEING_CHARGED', 'The saved card is being charged for this pledge');
}

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
  const [payment] = await tx.query<{ pledge_id: string; is_charge: boolean }>(PLEDGE_PAID, [id]);
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
  else if (payment.is_charge && pledge.paid_by === null)
    // The pledge was withdrawn while the saved card was charged, so the guest probably wants the money back.
    await raiseReviewItem(tx, {
      kind: 'late_success',
      subject: `${provider ?? ''}:${paymentId}`,
      donationId: id,
      detail: { otherDonation: pledge.id },
    });
}

/** True if the donation is the charge of a saved card. */
export const isCardCharge = async (db: SqlExecutor, donationId: string): Promise<boolean> =>
  (await db.query(IS_CARD_CHARGE, [donationId])).length > 0;

/** True if a saved card is being charged for the pledge. */
export const isBeingCharged = async (db: SqlExecutor, pledgeId: string): Promise<boolean> =>
  (await db.query(IS_BEING_CHARGED, [pledgeId])).length > 0;
