import type { Statement, Transaction } from '../data/database.js';
import type { DonationRow } from './donation-row.js';

/**
 * Running totals per event and currency. Every change of a donation passes what it counted before and after;
 * the totals so equal a recount of the rows at any moment a reader can see.
 */

type Counted = Pick<
  DonationRow,
  'event_id' | 'currency' | 'amount' | 'refunded_amount' | 'donor_key' | 'status'
>;

/** Totals are spread over this many rows, so that donations of one event do not queue behind one row lock. */
export const TOTAL_SHARDS = 16;

export const anyShard = (): number => Math.floor(Math.random() * TOTAL_SHARDS);

// Locks are always taken donation → donor → shard, so two donations cannot wait for each other.
const ADD_DONOR: Statement = {
  name: 'totals_add_donor',
  text: `INSERT INTO event_donor (event_id, currency, donor_key, donations) VALUES ($1, $2, $3, 1)
    ON CONFLICT (event_id, currency, donor_key) DO UPDATE SET donations = event_donor.donations + 1
    RETURNING donations = 1 AS changed`,
};

const REMOVE_DONOR: Statement = {
  name: 'totals_remove_donor',
  text: `UPDATE event_donor SET donations = donations - 1 WHERE event_id = $1 AND currency = $2 AND donor_key = $3
    RETURNING donations = 0 AS changed`,
};

const ADD: Statement = {
  name: 'totals_add',
  text: `INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (event_id, currency, shard) DO UPDATE
      SET total_raised = event_total.total_raised + excluded.total_raised,
          donor_count = event_total.donor_count + excluded.donor_count`,
};

/**
 * Moves the totals from what a donation counted before to what it counts now. Call it last in a transaction:
 * the shard's row stays locked until the commit.
 */
export async function moveTotals(
  tx: Transaction,
  before: Counted | undefined,
  after: Counted | undefined,
): Promise<void> {
  const was = before?.status === 'COMPLETED' ? before : undefined;
  const is = after?.status === 'COMPLETED' ? after : undefined;
  if (was && is && sameDonor(was, is)) {
    const change = net(is) - net(was);
    if (change !== 0n) await tx.query(ADD, [is.event_id, is.currency, anyShard(), change, 0]);
    return;
  }
  const lost = was ? await donorChange(tx, REMOVE_DONOR, was) : 0;
  const won = is ? await donorChange(tx, ADD_DONOR, is) : 0;
  if (was) await tx.query(ADD, [was.event_id, was.currency, anyShard(), -net(was), -lost]);
  if (is) await tx.query(ADD, [is.event_id, is.currency, anyShard(), net(is), won]);
}

const net = (donation: Counted): bigint => donation.amount - donation.refunded_amount;

const sameDonor = (a: Counted, b: Counted): boolean =>
  a.event_id === b.event_id &&
  a.currency === b.currency &&
  (a.donor_key === null ? b.donor_key === null : b.donor_key !== null && a.donor_key.equals(b.donor_key));

/** 1 when the number of distinct donors changes; a donation without e-mail is a donor of its own. */
async function donorChange(tx: Transaction, statement: Statement, donation: Counted): Promise<number> {
  if (donation.donor_key === null) return 1;
  const [row] = await tx.query<{ changed: boolean }>(statement, [
    donation.event_id,
    donation.currency,
    donation.donor_key,
  ]);
  return row?.changed ? 1 : 0;
}
