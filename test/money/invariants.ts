import { expect } from '@jest/globals';
import { canMove, type DonationStatus } from '../../src/donations/lifecycle/donation-lifecycle.js';
import { keptTotals, recount } from '../support/books.js';
import { sql } from '../support/fixtures.js';
import type { PaymentsApp } from '../support/payments.js';
import { until } from '../support/until.js';

type Books = Pick<PaymentsApp, 'databaseUrl' | 'sandbox'>;

interface Row {
  readonly id: string;
  readonly status: DonationStatus;
  readonly currency: string;
  readonly amount: string;
  readonly refunded: string;
  readonly provider: string | null;
  readonly payment_id: string | null;
  readonly paid: boolean;
  readonly completed: boolean;
  readonly created_messages: number;
  readonly history: { from: DonationStatus | null; to: DonationStatus }[];
}

/** Returns the donations of an event with all rows that the invariants check. */
const rowsOf = (app: Pick<Books, 'databaseUrl'>, eventId: string) =>
  sql<Row>(
    app,
    `SELECT d.id, status, currency, amount::text, refunded_amount::text AS refunded, provider, payment_id,
       paid_at IS NOT NULL AS paid, completed_at IS NOT NULL AS completed,
       (SELECT count(*)::int FROM outbox o WHERE o.donation_id = d.id AND topic = 'donation.created') AS created_messages,
       (SELECT json_agg(json_build_object('from', from_status, 'to', to_status) ORDER BY created_at, h.id)
        FROM donation_history h WHERE h.donation_id = d.id) AS history
     FROM donation d WHERE event_id = $1 ORDER BY d.id`,
    [eventId],
  );

interface Held {
  readonly currency: string;
  readonly paid: number;
  readonly held: number;
}

/** Returns the amounts that the providers captured and still hold, by payment id, in minor units. */
function heldAtProviders(app: Books): Map<string, Held> {
  const { stripe, paypal } = app.sandbox;
  return new Map(
    [...stripe.payments(), ...paypal.payments()].map(({ id, currency, paid, held }) => [
      id,
      { currency: currency.toLowerCase(), paid, held },
    ]),
  );
}

/** Checks the rules that are valid at every moment, also while messages wait. */
export async function expectSoundBooks(app: Books, eventId: string): Promise<void> {
  expect(await keptTotals(app)).toEqual(await recount(app));
  for (const row of await rowsOf(app, eventId)) expectSoundHistory(row);
}

/** Checks the rules that are valid when all facts of the providers have arrived. */
export async function expectSettledBooks(
  app: Books,
  eventId: string,
  paymentIds: readonly string[],
): Promise<void> {
  await expectSoundBooks(app, eventId);
  const rows = await rowsOf(app, eventId);
  const held = heldAtProviders(app);
  const books = new Map<string, bigint>();
  for (const row of rows.filter(({ provider }) => provider !== null)) {
    const truth = held.get(row.payment_id ?? '');
    if (!truth) throw new Error(`donation ${row.id} has no payment at its provider`);
    const net = row.paid ? BigInt(row.amount) - BigInt(row.refunded) : 0n;
    // Compares each payment separately, because two errors could cancel out in a sum.
    expect({ ...row, paid: row.paid, net }).toEqual({
      ...row,
      paid: truth.paid > 0,
      net: BigInt(truth.held),
    });
    if (row.status === 'COMPLETED' || row.status === 'CANCELLED')
      books.set(row.currency, (books.get(row.currency) ?? 0n) + net);
  }
  const provider = new Map<string, bigint>();
  for (const id of paymentIds) {
    const truth = held.get(id);
    if (!truth) throw new Error(`the provider has no payment ${id}`);
    if (truth.held !== 0)
      provider.set(truth.currency, (provider.get(truth.currency) ?? 0n) + BigInt(truth.held));
  }
  expect(nonZero(books)).toEqual(nonZero(provider));
}

/** Checks after the delivery of all messages that the service has exactly the providers' disputes, with the same states. */
export async function expectSettledDisputes(app: Books, paymentIds: readonly string[]): Promise<void> {
  const rows = await sql<KnownDispute>(
    app,
    `SELECT provider_dispute_id AS id, provider_status AS status, reason, amount::int, needs_answer AS asks, fee::int
     FROM dispute WHERE payment_id = ANY($1) AND provider_status IS NOT NULL ORDER BY 1`,
    [paymentIds],
  );
  expect(rows).toEqual(
    paymentIds
      .flatMap((id) => disputesAtProvider(app, id))
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
  );
}

interface KnownDispute {
  readonly id: string;
  /** State of the dispute at the provider. For a decided dispute of PayPal, its outcome. */
  readonly status: string;
  readonly reason: string;
  readonly amount: number;
  readonly asks: boolean;
  readonly fee: number | null;
}

const WAITS_FOR_US = new Set(['needs_response', 'warning_needs_response', 'WAITING_FOR_SELLER_RESPONSE']);

function disputesAtProvider({ sandbox: { stripe, paypal } }: Books, paymentId: string): KnownDispute[] {
  if (paymentId.startsWith('pi_'))
    return stripe.disputesOf(paymentId).map(({ id, status, reason, amount, balance_transactions: moves }) => {
      const fee = moves.reduce((sum, move) => sum + move.fee, 0);
      return { id, status, reason, amount, asks: WAITS_FOR_US.has(status), fee: fee > 0 ? fee : null };
    });
  return paypal.disputesOf(paymentId).map(({ id, status, outcome, reason, amount, movements }) => {
    const fee = movements.find((movement) => movement.reason === 'CHARGEBACK_FEE')?.amount ?? null;
    return { id, status: outcome ?? status, reason, amount, asks: WAITS_FOR_US.has(status), fee };
  });
}

/** Checks that each place of the wall feed has exactly one message and that no message waits. */
export async function expectWholeFeed(app: Pick<Books, 'databaseUrl'>, eventId: string): Promise<void> {
  let feed: { id: string; sequence: number | null; published: boolean }[] = [];
  const isPublished = async () => {
    feed = await sql(
      app,
      `SELECT o.id::text, sequence::int, coalesce(sequence <= published_sequence, false) AS published
         FROM outbox o LEFT JOIN event_feed USING (event_id) WHERE event_id = $1 ORDER BY sequence`,
      [eventId],
    );
    return feed.every(({ published }) => published);
  };
  await until(isPublished, 'that the relay has published everything');
  expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, index) => index + 1));
}

function expectSoundHistory(row: Row): void {
  expect(row.history[0]?.from).toBeNull();
  expect(row.history.at(-1)?.to).toBe(row.status);
  row.history.forEach(({ from, to }, index) => {
    if (index === 0 || from === null) return;
    expect({ id: row.id, from }).toEqual({ id: row.id, from: row.history[index - 1]?.to });
    const completedBefore = row.history.slice(0, index).some((step) => step.to === 'COMPLETED');
    if (from !== to && !canMove(from, to, completedBefore))
      throw new Error(`donation ${row.id} changed from ${from} to ${to}`);
  });
  const completions = row.history.filter(({ from, to }) => to === 'COMPLETED' && from !== to).length;
  expect({ id: row.id, completed: row.completed }).toEqual({ id: row.id, completed: completions > 0 });
  expect({ id: row.id, created: row.created_messages }).toEqual({
    id: row.id,
    created: row.completed ? 1 : 0,
  });
  if (row.status === 'REFUNDED') expect(row.refunded).toBe(row.amount);
}

const nonZero = (sums: ReadonlyMap<string, bigint>) =>
  Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).sort());
