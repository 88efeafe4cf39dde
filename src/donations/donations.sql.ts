import type { SqlExecutor, Statement, Transaction } from '../data/database.js';
import { newId } from '../common/ids.js';
import type { DonationStatus } from './donation-lifecycle.js';
import type { Actor } from '../common/access/actor.js';
import { UNKNOWN_PAYMENT_SEED } from '../data/advisory-locks.js';
import type { DonationRow } from './donation-row.js';

/** The statements on single donations that several services share. */

const BY_ID: Statement = { name: 'donation_by_id', text: 'SELECT * FROM donation WHERE id = $1' };

const LOCK_BY_ID: Statement = {
  name: 'donation_lock',
  text: 'SELECT * FROM donation WHERE id = $1 FOR NO KEY UPDATE',
};

const LOCK_BY_PAYMENT: Statement = {
  name: 'donation_lock_payment',
  text: 'SELECT * FROM donation WHERE provider = $1 AND payment_id = $2 FOR NO KEY UPDATE',
};

const LOCK_PAYMENT: Statement = {
  name: 'payment_lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended($1, ${UNKNOWN_PAYMENT_SEED}))`,
};

const BY_PAYMENT: Statement = {
  name: 'donation_by_payment',
  text: 'SELECT * FROM donation WHERE provider = $1 AND payment_id = $2',
};

const INSERT: Statement = {
  name: 'donation_insert',
  text: `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, is_anonymous,
      message, message_state, donor_key, provider, payment_id, capture_id, expected_amount, expected_currency,
      refunded_amount, paid_at, completed_at, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $21)
    RETURNING *`,
};

// The state before is part of the condition: a write on a stale read changes nothing.
const UPDATE: Statement = {
  name: 'donation_update',
  text: `UPDATE donation SET status = $3, type = $4, amount = $5, currency = $6, refunded_amount = $7, paid_at = $8,
      completed_at = $9, payment_id = $10, capture_id = $11, donor_name = $12, donor_email = $13, is_anonymous = $14,
      message = $15, message_state = $16, donor_key = $17, updated_at = $18
    WHERE id = $1 AND status = $2 RETURNING *`,
};

// The database's clock, read under the row's lock: instances whose clocks differ still write one order.
const HISTORY: Statement = {
  name: 'donation_history_append',
  text: `INSERT INTO donation_history (id, donation_id, from_status, to_status, actor_kind, actor_id, reason, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp())`,
};

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

/** Makes transactions about one payment that has no row yet wait for each other. */
export async function lockPayment(tx: Transaction, provider: string, paymentId: string): Promise<void> {
  await tx.query(LOCK_PAYMENT, [`${provider}:${paymentId}`]);
}

/** Inserts a row as given; `updated_at` becomes `created_at`. */
export async function insertDonation(db: SqlExecutor, row: DonationRow): Promise<DonationRow> {
  const [inserted] = await db.query<DonationRow>(INSERT, [
    row.id,
    row.event_id,
    row.amount,
    row.currency,
    row.type,
    row.status,
    row.donor_name,
    row.donor_email,
    row.is_anonymous,
    row.message,
    row.message_state,
    row.donor_key,
    row.provider,
    row.payment_id,
    row.capture_id,
    row.expected_amount,
    row.expected_currency,
    row.refunded_amount,
    row.paid_at,
    row.completed_at,
    row.created_at,
  ]);
  if (!inserted) throw new Error('the donation was not inserted');
  return inserted;
}

/**
 * Writes the changed fields of a locked row.
 * @throws Error when its state is no longer `before.status`, which the lock rules out.
 */
export async function updateDonation(
  tx: Transaction,
  before: DonationRow,
  change: Partial<DonationRow>,
): Promise<DonationRow> {
  const row = { ...before, ...change, updated_at: new Date() };
  const [updated] = await tx.query<DonationRow>(UPDATE, [
    row.id,
    before.status,
    row.status,
    row.type,
    row.amount,
    row.currency,
    row.refunded_amount,
    row.paid_at,
    row.completed_at,
    row.payment_id,
    row.capture_id,
    row.donor_name,
    row.donor_email,
    row.is_anonymous,
    row.message,
    row.message_state,
    row.donor_key,
    row.updated_at,
  ]);
  if (!updated) throw new Error('the donation changed under its lock');
  return updated;
}

/** One row of history: every transition has one, and whatever else a person should find there (from = to). */
export async function appendHistory(
  tx: Transaction,
  donationId: string,
  from: DonationStatus | null,
  to: DonationStatus,
  actor: Actor,
  reason: string | null,
): Promise<void> {
  await tx.query(HISTORY, [newId(), donationId, from, to, actor.kind, actor.id, reason]);
}
