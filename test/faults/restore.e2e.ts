import { beforeAll, describe, expect, it } from '@jest/globals';
import { runScript } from '../crash/crashing-service.js';
import { expectSettledBooks } from '../money/invariants.js';
import { withPaymentWorld } from '../money/with-world.js';
import { TEST_SECRETS } from '../support/app.js';
import { sql } from '../support/fixtures.js';
import { providerEnvironment } from '../support/payments.js';
import { withMade } from '../support/setup.js';

const DAY = 24 * 60 * 60_000;

const { app, world } = withPaymentWorld({ check: 'none' });
const environment = withMade(() => providerEnvironment(app.sandbox), beforeAll);

/** Runs `npm run reconcile -- …` without building first. */
const reconcile = (...given: string[]) =>
  runScript(
    'scripts/reconcile.mjs',
    {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      ...TEST_SECRETS,
      ...environment,
      DATABASE_URL: app.databaseUrl,
    },
    given,
  );

const daysAgo = (days: number) => new Date(Date.now() - days * DAY);
const since = (days: number) => ['--since', daysAgo(days).toISOString()];
const loseAll = () => {
  for (const message of world.waiting()) world.drop(message);
};

/** Returns every online payment of this event, by card and wallet, each with its refunds. */
async function evening() {
  const { stripe, paypal } = app.sandbox;
  const [card, wallet] = [await world.intent('card', 3000), await world.intent('wallet', 2500)];
  stripe.pay(card.paymentId);
  paypal.approve(wallet.paymentId);
  await world.call('POST', `/donations/wallet/${wallet.paymentId}/capture`);
  await world.deliverAll(Math.random);
  return { card, wallet };
}

/**
 * Checkout pages receive payments and refunds while the service is stopped. The service gets none of the
 * webhooks.
 */
function whileAway(card: string, wallet: string) {
  const { stripe, paypal } = app.sandbox;
  const metadata = { eventId: world.event.id };
  const pageCard = stripe.createPaid({ amount: 1100, currency: 'eur', metadata }).id;
  const custom = `event:${world.event.slug}`;
  const pageWallet = paypal.createCapturedOrder({ amount: 1200, currency: 'eur', custom_id: custom }).id;
  world.foreign.push(pageCard, pageWallet);
  stripe.refund(card, { amount: 500 });
  paypal.refund(wallet, { amount: 600 });
  const disputed = stripe.createPaid({ amount: 900, currency: 'eur', metadata }).id;
  world.foreign.push(disputed);
  stripe.loseDispute(stripe.openDispute(disputed).id);
  // Another system uses the same account.
  stripe.createPaid({ amount: 777, currency: 'eur', metadata: { shop: '17' } });
  loseAll();
  return { pageCard, pageWallet, disputed };
}

const settled = () =>
  expectSettledBooks(app, world.event.id, [
    ...world.online.map(({ paymentId }) => paymentId),
    ...world.foreign,
  ]);

describe('a gap of more than three days', () => {
  it('reconciliation closes a gap of twenty days with the webhooks that the providers still list', async () => {
    const { card, wallet } = await evening();
    app.sandbox.clock.at(daysAgo(20), () => whileAway(card.paymentId, wallet.paymentId));
    await world.reconcile();
    expect(await world.donation(card.donationId)).toMatchObject({ refundedAmount: 500 });
    expect(await world.donation(wallet.donationId)).toMatchObject({ refundedAmount: 600 });
    expect((await world.donations()).map(({ amount }) => amount).sort()).toEqual([
      1100, 1200, 2500, 3000, 900,
    ]);
    await settled();
  });

  it('--since closes a gap longer than webhooks are kept, and exits with 1 while an item needs attention', async () => {
    const { card, wallet } = await evening();
    app.sandbox.clock.at(daysAgo(40), () => whileAway(card.paymentId, wallet.paymentId));
    const before = await reconcile();
    expect(before.output).not.toContain('was not in the books');
    expect(await world.donations()).toHaveLength(2);

    const { code, output } = await reconcile(...since(41));
    expect(output).toMatch(/'payment'.*'paid was not in the books'.*'healed'/);
    expect(output).toMatch(/'payment'.*'refund was not in the books'.*'healed'/);
    expect(output).toMatch(/'stripe'.*'\d+ payments of other systems'.*'ignored'/);
    // An admin must decide about the lost dispute.
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/ [1-9]\d* need attention/) });
    expect(await world.donations()).toHaveLength(5);
    await settled();
    const again = await reconcile(...since(41));
    expect(again.output).not.toContain('was not in the books');
    await settled();
  }, 120_000);
});

describe('a restored backup', () => {
  it('after a restore, --since books missing payments, refunds and disputes again', async () => {
    const { stripe } = app.sandbox;
    const { card, wallet } = await evening();
    const backup = await dump();
    // These happen after the backup: new donations, refunds, a dispute, and the payment of a donation that is
    // unpaid in the backup.
    const open = await world.intent('card', 4000);
    stripe.pay(open.paymentId);
    whileAway(card.paymentId, wallet.paymentId);
    await world.cancel(card.donationId, { shouldRefund: true, amount: 1000 });
    await world.reconcile();
    await settled();
    const true_ = await totals();

    await restore(backup);
    expect(await totals()).not.toEqual(true_);
    expect(await world.donations()).toHaveLength(2);
    // The list of lost webhooks fails, so that only --since can book the payments.
    for (const provider of ['stripe', 'paypal'] as const)
      app.sandbox.faults.add({ provider, operation: 'events.list', kind: 'error', times: 0 });
    try {
      await reconcile(...since(1));
    } finally {
      app.sandbox.faults.clear();
    }
    expect(await world.donation(card.donationId)).toMatchObject({ refundedAmount: 1500 });
    expect(await world.donation(wallet.donationId)).toMatchObject({ refundedAmount: 600 });
    expect(await totals()).toEqual(true_);
    await settled();
  }, 120_000);

  it.each([403, 404] as const)(
    '--since ignores payments and disputes of other systems that PayPal lists but does not return (%i)',
    async (status) => {
      const { paypal } = app.sandbox;
      // A payment without an order, as by a button on a page or by a subscription.
      const other = paypal.createCapturedOrder({ amount: 500, currency: 'eur' });
      const { id: capture } = paypal.captureOf(other.id);
      paypal.openDispute(capture);
      for (const id of [other.id, capture]) paypal.hide(id, { status });
      const custom = `event:${world.event.slug}`;
      const ours = paypal.createCapturedOrder({ amount: 1200, currency: 'eur', custom_id: custom });
      paypal.openDispute(paypal.captureOf(ours.id).id);
      world.foreign.push(ours.id);
      loseAll();
      app.sandbox.faults.add({ provider: 'paypal', operation: 'events.list', kind: 'error', times: 0 });
      try {
        const { output } = await reconcile(...since(1));
        expect(output).not.toMatch(/'walk'/);
        expect(output).toMatch(/'paypal'.*'\d+ payments of other systems'.*'ignored'/);
      } finally {
        app.sandbox.faults.clear();
        for (const id of [other.id, capture]) paypal.reveal(id);
      }
      expect(await world.donations()).toMatchObject([{ amount: 1200, status: 'COMPLETED' }]);
      const [donation] = await world.donations();
      expect(await world.reviewItems(String(donation?.id))).toMatchObject([{ kind: 'dispute' }]);
    },
  );

  it('--since exits with 1 while PayPal hides a payment that names an event, and books later payments', async () => {
    const { paypal } = app.sandbox;
    const custom = { currency: 'eur', custom_id: `event:${world.event.slug}` };
    const hidden = paypal.createCapturedOrder({ amount: 500, ...custom });
    const ids = [hidden.id, paypal.captureOf(hidden.id).id];
    for (const id of ids) paypal.hide(id, { status: 403 });
    const shown = paypal.createCapturedOrder({ amount: 1200, ...custom });
    world.foreign.push(hidden.id, shown.id);
    loseAll();
    const { code, output } = await reconcile(...since(1));
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/'walk'.*'paypal'.*PERMISSION/),
    });
    expect(await world.donations()).toMatchObject([{ amount: 1200 }]);
    for (const id of ids) paypal.reveal(id);
    await reconcile(...since(1));
    expect(await world.reviewItems('walk:paypal')).toEqual([]);
    await settled();
  });

  it('--since exits with 1 if the list of transactions is not readable', async () => {
    app.sandbox.faults.add({
      provider: 'paypal',
      operation: 'transactions.list',
      kind: 'forbidden',
      times: 0,
    });
    const { code, output } = await reconcile(...since(2));
    expect(output).toMatch(/'walk'.*'paypal'.*'needs attention'/);
    expect(code).toBe(1);
    app.sandbox.faults.clear();
    await reconcile(...since(2));
    expect(await world.reviewItems('walk:paypal')).toEqual([]);
  });

  it.each([['--since'], ['--since', 'yesterday'], ['--since', '2999-01-01'], ['--until', '2026-01-01']])(
    'reconciliation refuses the options %s %s',
    async (...given) => {
      const { code, output } = await reconcile(...given);
      expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining('--since') });
    },
  );
});

const totals = async () => {
  const { body } = await world.call('GET', `/events/${world.event.slug}`);
  return { totalRaised: body.totalRaised, donorCount: body.donorCount };
};

/** The tables of the books. */
const TABLES = [
  'donation',
  'donation_history',
  'refund',
  'dispute',
  'event_total',
  'event_donor',
  'outbox',
] as const;

async function dump(): Promise<Map<string, unknown[]>> {
  const rows = new Map<string, unknown[]>();
  for (const table of TABLES)
    rows.set(
      table,
      (await sql<{ row: unknown }>(app, `SELECT to_json(t) AS row FROM ${table} t`)).map(({ row }) => row),
    );
  return rows;
}

/** Restores the rows of these tables. Deletes the rows and webhooks that came later. */
async function restore(backup: ReadonlyMap<string, unknown[]>): Promise<void> {
  await sql(app, 'DELETE FROM webhook_event');
  await sql(app, 'DELETE FROM review_item');
  for (const table of [...TABLES].reverse()) await sql(app, `DELETE FROM ${table}`);
  for (const table of TABLES)
    await sql(app, `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::json)`, [
      JSON.stringify(backup.get(table)),
    ]);
}
