import { type Principal, reachesEvent, scopeOf } from '../../common/access/principal.js';
import { NotFoundError } from '../../common/errors/domain-errors.js';
import { isId } from '../../common/crypto/ids.js';
import type { SqlExecutor, Transaction } from '../../data/database.js';
import type { DonationRow } from './donation-columns.js';
import {
  BY_ID,
  BY_PAYMENT,
  LOCK_BY_ID,
  LOCK_BY_IDS,
  LOCK_BY_PAYMENT,
  LOCK_PAYMENT,
} from './donations.sql.js';

/** True if the caller has access to the donation. A key has access to the donations of its events. Staff have access only to their own records in the event of their token. */
export function maySee(caller: Principal, donation: Pick<DonationRow, 'staff_id' | 'event_id'>): boolean {
  if (!reachesEvent(caller, donation.event_id)) return false;
  const scope = scopeOf(caller);
  return scope.kind !== 'own-event' || donation.staff_id === scope.staffId;
}

/** @throws NotFoundError if the donation does not exist or is hidden from the caller */
export function assertSeen(
  caller: Principal,
  donation: DonationRow | undefined,
): asserts donation is DonationRow {
  if (!donation || !maySee(caller, donation)) throw noSuchDonation();
}

export const noSuchDonation = () => new NotFoundError('DONATION_NOT_FOUND', 'There is no such donation');

/** @throws NotFoundError for an invalid id, without a query */
export function assertDonationId(id: string): void {
  if (!isId(id)) throw noSuchDonation();
}

export async function donationById(db: SqlExecutor, id: string): Promise<DonationRow | undefined> {
  return (await db.query<DonationRow>(BY_ID, [id]))[0];
}

export async function donationByPayment(
  db: SqlExecutor,
  provider: string,
  paymentId: string,
): Promise<DonationRow | undefined> {
  return (await db.query<DonationRow>(BY_PAYMENT, [provider, paymentId]))[0];
}

/** Locks the row until the end of the transaction and returns its current values. */
export async function lockDonation(tx: Transaction, id: string): Promise<DonationRow | undefined> {
  return (await tx.query<DonationRow>(LOCK_BY_ID, [id]))[0];
}

/** Locks rows until the end of the transaction and returns their current values. */
export async function lockDonations(tx: Transaction, ids: readonly string[]): Promise<DonationRow[]> {
  return await tx.query<DonationRow>(LOCK_BY_IDS, [ids]);
}

export async function lockDonationOfPayment(
  tx: Transaction,
  provider: string,
  paymentId: string,
): Promise<DonationRow | undefined> {
  return (await tx.query<DonationRow>(LOCK_BY_PAYMENT, [provider, paymentId]))[0];
}

/** True if a provider handled the payment. Only such a donation can have a pending refund or a dispute. */
export const isOnline = ({ provider }: Pick<DonationRow, 'provider'>): boolean => provider !== null;

/**
 * True if a donor started the donation on a donation page: with a provider, or as a bank transfer. Only these donations have an
 * expected amount or a provider.
 */
export const isOpenedByDonor = ({
  provider,
  expected_amount: expected,
}: Pick<DonationRow, 'provider' | 'expected_amount'>): boolean => provider !== null || expected !== null;

/** Makes transactions about one payment wait for each other, even if the payment has no row yet. */
export async function lockPayment(tx: Transaction, provider: string, paymentId: string): Promise<void> {
  await tx.query(LOCK_PAYMENT, [`${provider}:${paymentId}`]);
}
