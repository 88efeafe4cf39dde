import type { SqlExecutor, Statement, Transaction } from '../../data/database.js';

const REMEMBER: Statement = {
  name: 'erased_donor_remember',
  text: `INSERT INTO erased_donor (donor_key) VALUES ($1)
    ON CONFLICT (donor_key) DO UPDATE SET erased_at = now()`,
};

const ERASED_AFTER: Statement = {
  name: 'erased_donor_after',
  text: 'SELECT 1 AS one FROM erased_donor WHERE donor_key = $1 AND erased_at >= $2',
};

/** Stores the digest of an erased donor with the time of the erasure. */
export async function rememberErasure(tx: Transaction, donorKey: Buffer): Promise<void> {
  await tx.query(REMEMBER, [donorKey]);
}

/** True if the donor was erased after this moment. */
export async function wasErasedAfter(db: SqlExecutor, donorKey: Buffer, moment: Date): Promise<boolean> {
  return (await db.query(ERASED_AFTER, [donorKey, moment])).length > 0;
}
