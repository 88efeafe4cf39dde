import type { SqlExecutor, Statement } from '../../data/database.js';

/** The refused captures of a payment. The table has one row per payment. */
export interface CaptureRefusals {
  /** Number of refusals. The idempotency key of the next attempt contains this number. */
  readonly refusals: number;
  readonly reason: string | null;
  /** Time when the donor's bank or the provider last declined. */
  readonly declined_at: Date | null;
}

const READ: Statement = {
  name: 'capture_refusals',
  text: 'SELECT refusals, reason, declined_at FROM capture_refusal WHERE provider = $1 AND payment_id = $2',
};

// If two requests with the same key receive the same refusal, they count it once.
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

/** @param before number of refusals when the capture was requested */
export async function recordCaptureRefusal(
  db: SqlExecutor,
  provider: string,
  paymentId: string,
  before: number,
  { reason, declined }: { readonly reason: string; readonly declined: boolean },
): Promise<void> {
  await db.query(RECORD, [provider, paymentId, before, reason, declined]);
}
