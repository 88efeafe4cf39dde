import type { Transaction } from '../data/database.js';
import { passesRecorded } from './range-of-totals.js';
import { ADD, ADD_DONOR, REMOVE_DONOR, TOTAL_SHARDS } from './totals.sql.js';

/**
 * Running totals by event and currency. Each change of a donation passes its contribution before and after the change. So in
 * every snapshot, the totals equal the sum of the donation rows.
 */

/** Contribution of one donation to the totals, while the totals include this donation. */
export interface Counted {
  readonly event_id: string;
  readonly currency: string;
  /** Amount less refunds, minor units. */
  readonly net: bigint;
  /** Null for a donation without an e-mail address. Each such donation counts as one donor. */
  readonly donor_key: Buffer | null;
}

/**
 * Called when a total exceeds the limit for manual records. To refuse the whole transaction, throw an error; to accept it,
 * return.
 */
export type OnTotalOutOfRange = (of: Counted) => Promise<void>;

interface Move {
  readonly before: Counted | undefined;
  readonly after: Counted | undefined;
  readonly onTotalOutOfRange: OnTotalOutOfRange;
}

let lastShard = Math.floor(Math.random() * TOTAL_SHARDS);

/** Returns the shard that this process used least recently. Each process starts at a random shard. */
export const nextShard = (): number => (lastShard = (lastShard + 1) % TOTAL_SHARDS);

const moves = new WeakMap<Transaction, Map<string, Move>>();

/**
 * Replaces a donation's old contribution to the totals with its new one. The transaction writes it just before its commit. The
 * lock of a shard row lasts until the commit, so it must be the last lock.
 */
export function moveTotals(
  tx: Transaction,
  donationId: string,
  before: Counted | undefined,
  after: Counted | undefined,
  onTotalOutOfRange: OnTotalOutOfRange,
): void {
  let ofTransaction = moves.get(tx);
  if (!ofTransaction) {
    const started = new Map<string, Move>();
    moves.set(tx, started);
    tx.beforeCommit(() => write(tx, [...started.values()]));
    ofTransaction = started;
  }
  // Several changes of one donation in a transaction become one change.
  const earlier = ofTransaction.get(donationId);
  ofTransaction.set(donationId, { before: earlier ? earlier.before : before, after, onTotalOutOfRange });
}

interface DonorChange {
  readonly of: Counted;
  count: number;
}

interface TotalChange {
  readonly of: Counted;
  raised: bigint;
  donors: number;
  onTotalOutOfRange?: OnTotalOutOfRange;
}

// Locks are always taken in the same order: donation, donor, shard, and by key within each kind. So transactions cannot
// deadlock.
async function write(tx: Transaction, all: readonly Move[]): Promise<void> {
  const donors = new Map<string, DonorChange>();
  const totals = new Map<string, TotalChange>();
  const count = (of: Counted | undefined, sign: 1 | -1, onTotalOutOfRange?: OnTotalOutOfRange) => {
    if (!of) return;
    const total = at<TotalChange>(totals, totalKey(of), { of, raised: 0n, donors: 0 });
    if (onTotalOutOfRange) total.onTotalOutOfRange = onTotalOutOfRange;
    total.raised += BigInt(sign) * of.net;
    if (of.donor_key === null) total.donors += sign;
    else at(donors, donorKey(of, of.donor_key), { of, count: 0 }).count += sign;
  };
  for (const { before, after, onTotalOutOfRange } of all) {
    count(before, -1);
    count(after, 1, onTotalOutOfRange);
  }
  for (const { of, count } of sorted(donors)) {
    if (count === 0) continue;
    const statement = count > 0 ? ADD_DONOR : REMOVE_DONOR;
    const values = [of.event_id, of.currency, of.donor_key, Math.abs(count)];
    const [row] = await tx.query<{ changed: boolean }>(statement, values);
    if (row?.changed) at(totals, totalKey(of), { of, raised: 0n, donors: 0 }).donors += Math.sign(count);
  }
  for (const { of, raised, donors, onTotalOutOfRange } of sorted(totals)) {
    if (raised === 0n && donors === 0) continue;
    const values = [of.event_id, of.currency, nextShard(), raised, donors];
    const [total] = await tx.query<{ before: bigint }>(ADD, values);
    if (passesRecorded(total?.before ?? 0n, raised)) await onTotalOutOfRange?.(of);
  }
}

const totalKey = (of: Counted): string => `${of.event_id} ${of.currency}`;
const donorKey = (of: Counted, key: Buffer): string => `${totalKey(of)} ${key.toString('hex')}`;

const sorted = <Value>(map: ReadonlyMap<string, Value>): Value[] =>
  [...map].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);

function at<Value>(map: Map<string, Value>, key: string, start: Value): Value {
  const known = map.get(key);
  if (known) return known;
  map.set(key, start);
  return start;
}
