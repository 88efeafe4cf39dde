import { describe, expect, it } from '@jest/globals';
import { sql } from '../support/fixtures.js';
import { withPaymentWorld } from './with-world.js';

const { app, world, settledBooks } = withPaymentWorld({ check: 'none' });

async function post(
  path: 'cardprocessor' | 'wallet',
  body: string | Buffer<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${app.url}/donations/${path}/webhook`, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const refused = (statusCode: number, error: string) => ({
  status: statusCode,
  body: expect.objectContaining({ statusCode, error, message: expect.any(String) }),
});
const seconds = () => Math.floor(Date.now() / 1000);

describe('signature of the card processor', () => {
  const signed = (body: string, at?: number) =>
    String(app.sandbox.stripe.signatureHeaders(body, at)['stripe-signature']);
  const event = (fields: object = {}) =>
    JSON.stringify({
      id: `evt_${Math.random()}`,
      object: 'event',
      type: 'charge.succeeded',
      data: { object: {} },
      ...fields,
    });

  it('accepts Cardprocessor-Signature and Stripe-Signature', async () => {
    for (const name of ['Cardprocessor-Signature', 'Stripe-Signature']) {
      const body = event();
      expect(await post('cardprocessor', body, { [name]: signed(body) })).toEqual({
        status: 200,
        body: { received: true },
      });
    }
  });

  it('books a donation with either signature header', async () => {
    for (const name of ['Cardprocessor-Signature', 'Stripe-Signature']) {
      const { donationId, paymentId } = await world.intent('card', 1000);
      app.sandbox.stripe.pay(paymentId);
      const { id } = world.message('payment_intent.succeeded', paymentId);
      const body = JSON.stringify(app.sandbox.stripe.events().find((one) => one.id === id));
      expect((await post('cardprocessor', body, { [name]: signed(body) })).status).toBe(200);
      expect((await world.donation(donationId)).status).toBe('COMPLETED');
    }
    await settledBooks();
  });

  it('refuses signatures that are missing, doubled, malformed, or made for other bytes or another secret', async () => {
    const body = event();
    const bad: Record<string, string>[] = [
      {},
      { 'stripe-signature': '' },
      { 'stripe-signature': signed(event()) },
      { 'stripe-signature': `t=${seconds()},v1=${'0'.repeat(64)}` },
      { 'stripe-signature': `v1=${'0'.repeat(64)}` },
      { 'stripe-signature': signed(body).replace('v1=', 'v0=') },
      { 'stripe-signature': 'garbage' },
      // If a request has both headers, the service uses the header of the specification.
      { 'cardprocessor-signature': 'garbage', 'stripe-signature': signed(body) },
    ];
    for (const headers of bad)
      expect(await post('cardprocessor', body, headers)).toEqual(refused(400, 'Bad Request'));
  });

  it('refuses a signature older than five minutes', async () => {
    const body = event();
    const at = (ago: number) => ({ 'stripe-signature': signed(body, seconds() - ago) });
    expect(await post('cardprocessor', body, at(310))).toEqual(refused(400, 'Bad Request'));
    expect((await post('cardprocessor', body, at(280))).status).toBe(200);
  });

  it('rejects signed bodies that are not JSON or not an event', async () => {
    for (const body of ['not json', '{"id":', '', '[]', 'null', '"evt"', '{}', '{"id":1,"type":2}'])
      expect(await post('cardprocessor', body, { 'stripe-signature': signed(body) })).toEqual(
        refused(400, 'Bad Request'),
      );
  });

  it('accepts signed bodies of any content type', async () => {
    const body = event({ note: 'zwölf' });
    for (const type of ['text/plain', 'application/json; charset=utf-8', 'application/octet-stream'])
      expect(
        (await post('cardprocessor', body, { 'stripe-signature': signed(body), 'content-type': type }))
          .status,
      ).toBe(200);
  });
});

describe('webhook events', () => {
  it('refuses a signed wallet webhook that is not JSON', async () => {
    for (const body of ['not json', '[]', '{}', '{"id":"WH-1"}'])
      expect(await post('wallet', body, app.sandbox.paypal.signatureHeaders(body))).toEqual(
        refused(400, 'Bad Request'),
      );
    expect(await post('wallet', '{}', {})).toEqual(refused(400, 'Bad Request'));
  });

  it('reads a webhook of just under 1 MB and refuses a larger one with 413', async () => {
    const sized = (bytes: number) => {
      const frame = JSON.stringify({ id: `evt_${bytes}`, type: 'charge.succeeded', data: {}, padding: '' });
      return frame.replace('"padding":""', `"padding":"${'x'.repeat(bytes - frame.length)}"`);
    };
    const card = (body: string) => post('cardprocessor', body, app.sandbox.stripe.signatureHeaders(body));
    expect((await card(sized(1_048_576))).status).toBe(200);
    expect(await card(sized(1_048_577))).toEqual(refused(413, 'Payload Too Large'));
    expect(await post('wallet', sized(1_100_000), {})).toEqual(refused(413, 'Payload Too Large'));
  });

  it('ignores webhook events of connected accounts', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.pay(paymentId);
    const { id } = world.message('payment_intent.succeeded', paymentId);
    const event = app.sandbox.stripe.events().find((one) => one.id === id);
    const body = JSON.stringify({ ...event, id: `${id}x`, account: 'acct_other' });
    expect((await post('cardprocessor', body, app.sandbox.stripe.signatureHeaders(body))).status).toBe(200);
    expect((await world.donation(donationId)).status).toBe('PENDING');
  });
});

describe('payments of another amount than asked', () => {
  it('books the received amount in the received currency and flags it', async () => {
    const more = await world.intent('card', 1000);
    app.sandbox.stripe.pay(more.paymentId, { amount: 1500 });
    const other = await world.intent('card', 1000);
    app.sandbox.stripe.pay(other.paymentId, { currency: 'usd' });
    const wallet = await world.intent('wallet', 1000);
    app.sandbox.paypal.approve(wallet.paymentId);
    app.sandbox.paypal.capture(wallet.paymentId, { amount: 400 });
    await world.deliverAll(Math.random);
    const received = [
      [more.donationId, 1500, 'eur'],
      [other.donationId, 1000, 'usd'],
      [wallet.donationId, 400, 'eur'],
    ] as const;
    for (const [donationId, amount, currency] of received) {
      expect(await world.donation(donationId)).toMatchObject({ status: 'COMPLETED', amount, currency });
      expect(await world.reviewItems(donationId)).toEqual([
        expect.objectContaining({
          kind: 'amount_mismatch',
          detail: { asked: 1000, askedCurrency: 'eur', received: amount, receivedCurrency: currency },
        }),
      ]);
    }
    // Each currency has its own total.
    const { body } = await world.call('GET', '/events/public');
    const listed = (body as unknown as { slug: string }[]).find(({ slug }) => slug === world.event.slug);
    expect(listed).toMatchObject({
      totalRaised: 1900,
      totals: expect.arrayContaining([
        { currency: 'eur', totalRaised: 1900, donorCount: 2 },
        { currency: 'usd', totalRaised: 1000, donorCount: 1 },
      ]),
    });
    await settledBooks();
  });

  it('refunds the received amount in the received currency', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    app.sandbox.stripe.pay(paymentId, { amount: 800, currency: 'usd' });
    await world.deliverAll(Math.random);
    expect((await world.cancel(donationId, { shouldRefund: true })).body).toMatchObject({
      status: 'REFUNDED',
      refundedAmount: 800,
      currency: 'usd',
    });
    await world.deliverAll(Math.random);
    await settledBooks();
  });
});

describe('payments without a saved donation', () => {
  it('a card payment becomes a donation of the event in its metadata, given by id or slug', async () => {
    for (const eventId of [world.event.id, world.event.slug]) {
      const metadata = { eventId, donorName: ' Ada ', donorEmail: 'ada@example.org', message: 'Hi' };
      world.foreign.push(app.sandbox.stripe.createPaid({ amount: 900, currency: 'eur', metadata }).id);
    }
    await world.deliverAll(Math.random);
    const donation = { amount: 900, type: 'card', status: 'COMPLETED', donorName: 'Ada', message: 'Hi' };
    expect(await world.donations()).toEqual([
      expect.objectContaining({ ...donation, donorEmail: 'ada@example.org', isAnonymous: false }),
      expect.objectContaining(donation),
    ]);
    const [one] = await world.donations();
    expect(await world.path(one?.id ?? '')).toEqual(['PENDING', 'COMPLETED']);
    await settledBooks();
  });

  it('the donor’s message in a payment without a saved donation waits for approval when the event requires it', async () => {
    await world.call('PATCH', `/events/${world.event.id}/settings`, { live: { moderateMessages: true } });
    const metadata = { eventId: world.event.id, donorName: 'Ada', message: 'Hi' };
    world.foreign.push(app.sandbox.stripe.createPaid({ amount: 900, currency: 'eur', metadata }).id);
    await world.deliverAll(Math.random);
    const states = await sql(app, 'SELECT message_state FROM donation WHERE event_id = $1', [world.event.id]);
    expect(states).toEqual([{ message_state: 'held' }]);
    await settledBooks();
  });

  it('a wallet payment becomes a donation of the event in custom_id', async () => {
    for (const custom_id of [`event:${world.event.slug}`, `event:${world.event.id}`, world.event.id])
      world.foreign.push(
        app.sandbox.paypal.createCapturedOrder({ amount: 900, currency: 'eur', custom_id }).id,
      );
    // The order is only approved, not captured, so the server captures it.
    const custom_id = `event:${world.event.slug}`;
    world.foreign.push(
      app.sandbox.paypal.createApprovedOrder({ amount: 900, currency: 'eur', custom_id }).id,
    );
    await world.deliverAll(Math.random);
    const donations = await world.donations();
    expect(donations).toHaveLength(4);
    for (const donation of donations)
      expect(donation).toMatchObject({ amount: 900, type: 'wallet', status: 'COMPLETED' });
    await settledBooks();
  });

  it('a payment becomes a refundable donation also after its event was closed or archived', async () => {
    for (const status of ['closed', 'archived']) {
      await world.call('PATCH', `/events/${world.event.id}`, { status });
      const metadata = { eventId: world.event.id };
      world.foreign.push(app.sandbox.stripe.createPaid({ amount: 900, currency: 'eur', metadata }).id);
    }
    await world.deliverAll(Math.random);
    const donations = await world.donations();
    expect(donations).toHaveLength(2);
    for (const { id } of donations)
      expect((await world.cancel(id, { shouldRefund: true })).body).toMatchObject({ status: 'REFUNDED' });
    await world.deliverAll(Math.random);
    await settledBooks();
  });

  it('a payment whose refund is reported first ends as REFUNDED', async () => {
    const metadata = { eventId: world.event.id };
    const { id } = app.sandbox.stripe.createPaid({ amount: 900, currency: 'eur', metadata });
    world.foreign.push(id);
    app.sandbox.stripe.refund(id);
    await world.deliver(world.message('refund.created', id));
    expect(await world.donations()).toEqual([]);
    await world.deliverAll(Math.random);
    expect(await world.donations()).toEqual([
      expect.objectContaining({ status: 'REFUNDED', refundedAmount: 900 }),
    ]);
    await settledBooks();
  });
});

describe('disputes by webhook', () => {
  it('lists an open dispute, removes it when it is won, and counts a lost one as refunded', async () => {
    const donations = [await world.intent('card', 1000), await world.intent('card', 1000)] as const;
    for (const { paymentId } of donations) {
      app.sandbox.stripe.pay(paymentId);
      app.sandbox.stripe.openDispute(paymentId);
    }
    await world.deliverAll(Math.random);
    const [won, lost] = donations;
    for (const { donationId } of donations) {
      expect((await world.donation(donationId)).status).toBe('COMPLETED');
      expect(await world.reviewItems(donationId)).toEqual([
        expect.objectContaining({
          kind: 'dispute',
          detail: { amount: 1000, currency: 'eur', state: 'open' },
        }),
      ]);
    }
    app.sandbox.stripe.winDispute(won.paymentId);
    app.sandbox.stripe.loseDispute(lost.paymentId);
    await world.deliverAll(Math.random);
    expect((await world.donation(won.donationId)).status).toBe('COMPLETED');
    expect(await world.reviewItems(won.donationId)).toEqual([]);
    expect(await world.donation(lost.donationId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 1000 });
    expect(await world.reviewItems(lost.donationId)).toEqual([
      expect.objectContaining({ kind: 'dispute', detail: { amount: 1000, currency: 'eur', state: 'lost' } }),
    ]);
    await settledBooks();
  });
});
