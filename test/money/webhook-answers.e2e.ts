import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../src/config/environment.js';
import { loadConfig } from '../../src/server/load-config.js';
import { startApp } from '../support/app.js';
import { sql } from '../support/fixtures.js';
import { providerEnvironment, STRIPE } from '../support/payments.js';
import { withPaymentWorld } from './with-world.js';

/** The service answers 200 for webhook events about other systems, and an error for events that it could not book. */

const { app, world, stripe, paypal } = withPaymentWorld();

describe('webhook answers', () => {
  it('does not answer 200 when the donation could not be changed', async () => {
    const { donationId, paymentId } = await world.intent('card', 1000);
    stripe().pay(paymentId);
    const { id } = world.message('payment_intent.succeeded', paymentId);
    await sql(
      app,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    try {
      expect(await stripe().deliveries.deliver(id)).toEqual([500]);
    } finally {
      await sql(app, 'DROP TRIGGER refuse ON outbox; DROP FUNCTION refuse()');
    }
    expect((await world.donation(donationId)).status).toBe('PENDING');
    await world.deliver({ provider: 'stripe', id });
    expect((await world.donation(donationId)).status).toBe('COMPLETED');
  });

  it('answers 200 for unknown objects, because the provider would disable the endpoint otherwise', async () => {
    const foreign = stripe().createPaid({ amount: 500, currency: 'eur', metadata: { order: 'shop-1' } });
    stripe().refund(foreign.id, { amount: 100 });
    stripe().openDispute(foreign.id);
    const gone = stripe().createPaid({
      amount: 500,
      currency: 'eur',
      metadata: { eventId: 'no-such-event' },
    });
    const order = paypal().createCapturedOrder({ amount: 500, currency: 'eur', custom_id: 'shop-2' });
    paypal().refund(order.id);
    await world.deliverAll(Math.random);
    expect(await world.donations()).toEqual([]);
    // The money belongs to a charity event that the service does not know. So an admin must find the event.
    expect(await world.reviewItems(gone.id)).toEqual([
      expect.objectContaining({ kind: 'unmatched_payment' }),
    ]);
    expect(await world.reviewItems(foreign.id)).toEqual([]);
  });

  it('answers 200 for foreign ids and texts in the metadata', async () => {
    const metadata = {
      eventId: world.event.id,
      donorName: 'A\u0000da',
      donorEmail: 'x\u0007',
      message: '\ud800',
    };
    const { id } = stripe().createPaid({ amount: 500, currency: 'eur', metadata });
    world.foreign.push(id);
    await world.deliverAll(Math.random);
    expect(await world.donations()).toEqual([
      expect.objectContaining({
        amount: 500,
        donorName: null,
        donorEmail: null,
        message: null,
        isAnonymous: true,
      }),
    ]);
    const refund = stripe().refund(id, { amount: 100 });
    const [event] = stripe().events().slice(-1);
    const object = { ...refund, metadata: { refundId: 'RMA-77' } };
    const { status } = await sendCard({
      ...event,
      id: `evt_${refund.id}`,
      type: 'refund.updated',
      data: { object },
    });
    expect(status).toBe(200);
  });

  it('never accepts a signature made with a blank secret', async () => {
    expect(() => loadConfig({ ...base, STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: ' ' })).toThrow(
      ConfigError,
    );
    expect(() => loadConfig({ ...base, STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: ' , ' })).toThrow(
      ConfigError,
    );
    const careless = await startApp({
      ...providerEnvironment(app.sandbox),
      STRIPE_WEBHOOK_SECRET: `${STRIPE.webhookSecret}, ,`,
    });
    const send = async (secret: string) => {
      const body = JSON.stringify({ id: 'evt_blank', type: 'charge.succeeded', data: { object: {} } });
      const at = Math.floor(Date.now() / 1000);
      const v1 = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
      const headers = { 'stripe-signature': `t=${at},v1=${v1}` };
      const answer = await fetch(`${careless.url}/donations/cardprocessor/webhook`, {
        method: 'POST',
        headers,
        body,
      });
      return answer.status;
    };
    try {
      expect([await send(''), await send(' '), await send(STRIPE.webhookSecret)]).toEqual([400, 400, 200]);
    } finally {
      await careless.close();
    }
    const without = await startApp();
    try {
      const { body } = await without.http.post('/donations/cardprocessor/webhook').send('{}').expect(503);
      expect(body).toMatchObject({ code: 'PAYMENT_METHOD_OFF' });
      await without.http.post('/donations/wallet/webhook').send('{}').expect(503);
    } finally {
      await without.close();
    }
  });
});

const base = { NODE_ENV: 'test', DATABASE_URL: 'postgresql://localhost/x' };

async function sendCard(event: object): Promise<Response> {
  const body = JSON.stringify(event);
  return await fetch(`${app.url}/donations/cardprocessor/webhook`, {
    method: 'POST',
    headers: { ...stripe().signatureHeaders(body), 'content-type': 'application/json' },
    body,
  });
}
