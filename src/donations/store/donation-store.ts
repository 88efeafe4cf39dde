import { type Principal, scopeOf } from '../../common/access/principal.js';
import { NotFoundError } from '../../common/errors/domain-errors.js';
import { isId } from '../../common/crypto/ids.js';
import type { SqlExecutor, Transaction } from '../../data/database.js';
import type { DonationRow } from './donation-columns.js';
import {
  BY_ID,
  BY_PAYMENT,
  LOCK_BY_ID,
  LOCK_BY_PAYMENT,
  LOCK_PAYMENT,
  REFUNDS_PENDING,
} from './donations.sql.js';

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

/** Reads single donations, with or without a lock. Writing is `DonationChanges`. */

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

/** Locks the row until the end of the transaction and reads it as it is then. */
export async function lockDonation(tx: Transaction, id: string): Promise<DonationRow | undefined> {
  return (await tx.query<DonationRow>(LOCK_BY_ID, [id]))[0];
}

export async function lockDonationOfPayment(
  tx: Transaction,
  provider: string,
  paymentId: string,
): Promise<DonationRow | undefined> {
  return (await tx.query<DonationRow>(LOCK_BY_PAYMENT, [provider, paymentId]))[0];
}

/** Whether a provider takes its money; only then something can be on its way back. */
export const isOnline = ({ provider }: Pick<DonationRow, 'provider'>): boolean => provider !== null;

/** What is on its way back to the donors of these donations, minor units; those without are not in it. */
export async function refundsPending(db: SqlExecutor, ids: readonly string[]): Promise<Map<string, bigint>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; pending: bigint }>(REFUNDS_PENDING, [ids]);
  return new Map(rows.map(({ id, pending }) => [id, pending]));
}

/** Makes transactions about one payment that has no row yet wait for each other. */
export async function lockPayment(tx: Transaction, provider: string, paymentId: string): Promise<void> {
  await tx.query(LOCK_PAYMENT, [`${provider}:${paymentId}`]);
}
