import type { SqlExecutor, Statement } from '../../data/database.js';

/** What is on record of captures that a provider refused; one row a payment. */
export interface CaptureRefusals {
  /** How many there were: part of the key of the next attempt. */
  readonly refusals: number;
  readonly reason: string | null;
  /** When the donor's bank or provider last said no. */
  readonly declined_at: Date | null;
}

const READ: Statement = {
  name: 'capture_refusals',
  text: 'SELECT refusals, reason, declined_at FROM capture_refusal WHERE provider = $1 AND payment_id = $2',
};

// Two who were given the same refusal, under the same key, count it once.
const RECORD: Statement = {
  name: 'capture_refusal_record',
  text: `INSERT INTO capture_refusal AS kept (provider, payment_id, refusals, reason, declined_at)
    VALUES ($1, $2, $3::int + 1, $4, CASE WHEN $5 THEN now() END)
    ON CONFLICT (provider, payment_id) DO UPDATE SET refusals = excluded.refusals, reason = excluded.reason,
      declined_at = coalesce(excluded.declined_at, kept.declined_at), updated_at = now()
    WHERE kept.refusals = $3::int`,
};

export async function captureRefusals(
  db: SqlExecutor,
  provider: string,
  paymentId: string,
): Promise<CaptureRefusals> {
  const [row] = await db.query<CaptureRefusals>(READ, [provider, paymentId]);
  return row ?? { refusals: 0, reason: null, declined_at: null };
}

/** @param before how many were on record when the capture was asked for */
export async function recordCaptureRefusal(
  db: SqlExecutor,
  provider: string,
  paymentId: string,
  before: number,
  { reason, declined }: { readonly reason: string; readonly declined: boolean },
): Promise<void> {
  await db.query(RECORD, [provider, paymentId, before, reason, declined]);
}
