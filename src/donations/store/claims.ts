import type { SqlExecutor } from '../../data/database.js';
import { BLOCKED_REFUND, CLAIMS, type ClaimsRow } from './claims.sql.js';
import type { DonationRow } from './donation-columns.js';
import { isOnline } from './donation-store.js';

/** A dispute of the donation's payment. Amounts are in minor units of `currency`. */
export interface DisputeClaim {
  readonly status: 'open' | 'won' | 'lost';
  readonly amount: bigint;
  readonly currency: string;
  readonly isInquiry: boolean;
  readonly needsAnswer: boolean;
  readonly dueBy: Date | null;
  readonly blocksRefund: boolean;
}

/** Demands for the return of a donation's money that the row of the donation does not contain. */
export interface Claims {
  /** Sum of the pending refunds, in minor units. */
  readonly refundPending: bigint;
  /** The dispute of the payment. Of several disputes, the one that blocks a refund, then an open one, then the newest. */
  readonly dispute: DisputeClaim | null;
}

/** Returns the claims by donation id. Omits donations without claims. Only online donations can have claims. */
export async function claimsOn(
  db: SqlExecutor,
  donations: readonly Pick<DonationRow, 'id' | 'provider'>[],
): Promise<Map<string, Claims>> {
  const ids = donations.filter(isOnline).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await db.query<ClaimsRow>(CLAIMS, [ids]);
  return new Map(rows.map((row) => [row.id, { refundPending: row.pending, dispute: disputeOf(row) }]));
}

const disputeOf = (row: ClaimsRow): DisputeClaim | null =>
  row.status === null
    ? null
    : {
        status: row.status,
        amount: row.amount,
        currency: row.currency,
        isInquiry: row.is_inquiry,
        needsAnswer: row.needs_answer,
        dueBy: row.due_by,
        blocksRefund: row.blocks_refund,
      };

/** True if an open dispute blocks refunds of the payment. */
export async function blocksRefund(db: SqlExecutor, provider: string, paymentId: string): Promise<boolean> {
  const [row] = await db.query<{ blocked: boolean }>(BLOCKED_REFUND, [provider, paymentId]);
  return row?.blocked ?? false;
}
