import { describe, expect, it } from '@jest/globals';
import { type ListBody } from '../support/bearer.js';
import { sql } from '../support/fixtures.js';
import { withPaymentWorld } from '../money/with-world.js';

const { app, admin, world } = withPaymentWorld({ check: 'none' });

interface Payout {
  readonly payoutId: string;
  readonly amount: number;
  readonly isItemized: boolean;
  readonly difference: number | null;
  readonly sums: {
    kind: string;
    eventId: string | null;
    count: number;
    amount: number;
    fee: number;
    net: number;
  }[];
  readonly items: { kind: string; donationId: string | null; amount: number; fee: number; net: number }[];
}
interface Payouts {
  readonly data: Payout[];
  readonly unknown: { provider: string; reason: string }[];
}

const payouts = async (query = '') => (await admin.get(`/payouts${query}`).expect(200)).body as Payouts;

describe('payouts', () => {
  it('payouts list their donations to the cent, with fees, refunds and disputes', async () => {
    const [one, part, lost] = [
      await world.paid('card', 10_000),
      await world.paid('card', 5_000),
      await world.paid('card', 3_000),
    ];
    app.sandbox.stripe.refund(part.paymentId, { amount: 2_000 });
    app.sandbox.stripe.openDispute(lost.paymentId);
    // Another system receives this payment on the same account.
    app.sandbox.stripe.createPaid({ amount: 700, currency: 'eur', metadata: {} });
    await world.deliverAll(Math.random);
    const payout = app.sandbox.stripe.payOut();
    await world.reconcile();
    const found = (await payouts()).data.find(({ payoutId }) => payoutId === payout.id);
    expect(found).toMatchObject({
      provider: 'stripe',
      amount: payout.amount,
      currency: 'eur',
      status: 'in_transit',
      isItemized: true,
      difference: 0,
    });
    const ours = found?.sums.filter(({ eventId }) => eventId === world.event.id) ?? [];
    expect(ours.map(({ kind, count, amount }) => [kind, count, amount])).toEqual([
      ['dispute', 1, -3_000],
      ['payment', 3, 18_000],
      ['refund', 1, -2_000],
    ]);
    expect(found?.sums.find(({ eventId }) => eventId === null)).toMatchObject({
      kind: 'payment',
      amount: 700,
    });
    expect(found?.sums.reduce((sum, { net }) => sum + net, 0)).toBe(payout.amount);
    const item = found?.items.find(({ donationId }) => donationId === one.donationId);
    expect(item).toMatchObject({ kind: 'payment', amount: 10_000, fee: 175, net: 9_825 });
    const list = await admin.get(`/donations?payoutId=${payout.id}`).expect(200);
    expect((list.body as ListBody).data.map(({ id }) => id).sort()).toEqual(
      [one, part, lost].map(({ donationId }) => donationId).sort(),
    );
    // The story of a donation shows when its money reaches the bank.
    const { body } = await world.call('GET', `/donations/${part.donationId}/story`);
    expect(body.payouts).toMatchObject([
      { payoutId: payout.id, kind: 'payment', amount: 5_000 },
      { payoutId: payout.id, kind: 'refund', amount: -2_000 },
    ]);
  });

  it('payouts subtract a refused debit from the payments', async () => {
    const good = await world.paid('card', 4_000);
    const refused = await world.intent('card', 9_000);
    app.sandbox.stripe.process(refused.paymentId, { method: 'sepa_debit' });
    app.sandbox.stripe.decline(refused.paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(refused.donationId)).status).toBe('FAILED');
    const payout = app.sandbox.stripe.payOut();
    await world.reconcile();
    const found = (await payouts()).data.find(({ payoutId }) => payoutId === payout.id);
    expect(found).toMatchObject({ amount: payout.amount, difference: 0 });
    expect(found?.sums.filter(({ eventId }) => eventId === world.event.id)).toMatchObject([
      { kind: 'payment', count: 3, amount: 4_000 },
    ]);
    const ofDebit = found?.items.filter(({ donationId }) => donationId === refused.donationId) ?? [];
    expect(ofDebit.map(({ kind, amount }) => [kind, amount]).sort()).toEqual([
      ['payment', -9_000],
      ['payment', 9_000],
    ]);
    expect(found?.items.some(({ donationId }) => donationId === good.donationId)).toBe(true);
  });

  it('payouts are itemized when Stripe reports their parts days later', async () => {
    const { donationId } = await world.paid('card', 1_200);
    const payout = app.sandbox.stripe.payOut({ itemizedLater: true });
    const read = async () => {
      await world.reconcile();
      return (await payouts()).data.find(({ payoutId }) => payoutId === payout.id);
    };
    expect(await read()).toMatchObject({ isItemized: false, difference: null, items: [] });
    app.sandbox.stripe.itemizePayout(payout.id);
    expect(await read()).toMatchObject({
      isItemized: true,
      difference: 0,
      items: [expect.objectContaining({ donationId, amount: 1_200 })],
    });
  });

  it('the server reads the list once an hour, and the parts of a payout once', async () => {
    await world.paid('card', 1_000);
    const payout = app.sandbox.stripe.payOut();
    await world.reconcile();
    const count = async () =>
      (await sql<{ count: number }>(app, 'SELECT count(*)::int AS count FROM payout_item'))[0]?.count;
    const before = await count();
    await world.reconcile();
    expect(await count()).toBe(before);
    await sql(app, "UPDATE payout SET status = 'in_transit' WHERE provider_payout_id = $1", [payout.id]);
    await world.reconcile();
    expect((await payouts()).data.find(({ payoutId }) => payoutId === payout.id)).toMatchObject({
      status: payout.status,
    });
  });

  it('manual payouts are shown without their parts', async () => {
    await world.paid('card', 1_000);
    const payout = app.sandbox.stripe.payOut({ manual: true });
    await world.reconcile();
    expect((await payouts()).data.find(({ payoutId }) => payoutId === payout.id)).toMatchObject({
      isItemized: false,
      difference: null,
      items: [],
    });
  });

  it('returns the payouts of the requested period', async () => {
    await world.paid('card', 1_000);
    const past = app.sandbox.stripe.payOut({ arrivesInDays: -40 });
    await world.reconcile();
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const ids = async (from: string, to: string) =>
      (await payouts(`?from=${from}&to=${to}`)).data.map(({ payoutId }) => payoutId);
    expect(await ids(day(-41), day(-39))).toEqual([past.id]);
    expect(await ids(day(-10), day(-9))).toEqual([]);
    await admin.get('/payouts?from=yesterday').expect(400);
  });

  it('payouts of PayPal, or without the permission, are unavailable while bookings continue', async () => {
    expect((await payouts()).unknown).toContainEqual({ provider: 'paypal', reason: 'not_told' });
    app.sandbox.faults.add({
      provider: 'stripe',
      operation: 'payouts.list',
      kind: 'error',
      status: 403,
      times: 0,
    });
    const { donationId } = await world.paid('card', 1_000);
    await world.reconcile();
    expect((await payouts()).unknown).toContainEqual({ provider: 'stripe', reason: 'not_permitted' });
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
    expect(await world.reviewItems('payouts:stripe')).toEqual([]);
    app.sandbox.faults.clear();
    await world.reconcile();
    expect((await payouts()).unknown.map(({ provider }) => provider)).toEqual(['paypal']);
  });

  it.each([
    ['payouts', 'payouts.list'],
    ['parts of payouts', 'balance_transactions.list'],
  ])('payouts are read from the beginning once the key may read %s', async (_, operation) => {
    await sql(app, 'DELETE FROM provider_health');
    app.sandbox.faults.add({ provider: 'stripe', operation, kind: 'error', status: 403, times: 0 });
    const [donation, old] = app.sandbox.clock.at(new Date(Date.now() - 40 * 86_400_000), () => {
      const { id } = app.sandbox.stripe.createPaid({
        amount: 2_600,
        currency: 'eur',
        metadata: { eventId: world.event.id },
      });
      return [id, app.sandbox.stripe.payOut()];
    });
    await world.deliverAll(Math.random);
    // The hourly request has failed for weeks.
    await world.reconcile();
    await world.reconcile();
    expect((await payouts()).unknown).toContainEqual({ provider: 'stripe', reason: 'not_permitted' });
    app.sandbox.faults.clear();
    await world.reconcile();
    const from = new Date(Date.now() - 60 * 86_400_000).toISOString();
    const { data, unknown } = await payouts(`?from=${from}`);
    expect(unknown.map(({ provider }) => provider)).toEqual(['paypal']);
    expect(data.find(({ payoutId }) => payoutId === old.id)).toMatchObject({
      isItemized: true,
      difference: 0,
      items: expect.arrayContaining([expect.objectContaining({ paymentId: donation, amount: 2_600 })]),
    });
  });
});
