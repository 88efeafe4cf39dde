import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Sandbox } from '../server/sandbox.js';
import { startTestSandbox } from '../testing/clients.js';
import { Receiver } from '../testing/receiver.js';

describe('the webhook sender', () => {
  let sandbox: Sandbox;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await Receiver.start();
    sandbox = await startTestSandbox(receiver.url);
  });

  beforeEach(async () => {
    await sandbox.settled();
    sandbox.faults.clear();
    sandbox.setDeliveryMode('auto');
    receiver.reset();
  });

  afterAll(async () => {
    await sandbox.close();
    await receiver.close();
  });

  const paid = () => sandbox.stripe.createPaid({ amount: 1000, currency: 'eur' });
  const eventOf = (intent: string, type: string) =>
    sandbox.stripe.events().find((event) => event.type === type && event.data.object.id === intent)?.id ?? '';
  const times = (type: string) => receiver.types().filter((received) => received === type).length;

  it('retries a webhook until the receiver accepts it', async () => {
    receiver.answers = [503, 500];
    sandbox.stripe.createIntent({ amount: 1000, currency: 'eur' });
    await sandbox.settled();
    expect(times('payment_intent.created')).toBe(3);
    const last = sandbox.stripe.deliveries.list().at(-1);
    expect(last).toMatchObject({
      state: 'delivered',
      attempts: [{ status: 503 }, { status: 500 }, { status: 200 }],
    });
  });

  it('stops after the last retry, and sends the webhook again on command', async () => {
    receiver.answers = [500, 500, 500, 500];
    const { id } = sandbox.stripe.createIntent({ amount: 1000, currency: 'eur' });
    await sandbox.settled();
    const event = eventOf(id, 'payment_intent.created');
    expect(sandbox.stripe.deliveries.undelivered()).toEqual([event]);
    await sandbox.stripe.deliveries.redeliverUndelivered();
    expect(sandbox.stripe.deliveries.undelivered()).toEqual([]);
  });

  it('holds webhooks in manual mode, and flushes them in any order', async () => {
    sandbox.setDeliveryMode('manual');
    paid();
    await sandbox.settled();
    expect(receiver.messages).toEqual([]);
    await sandbox.stripe.deliveries.flush('newest-first');
    expect(receiver.types()).toEqual([
      'payment_intent.succeeded',
      'charge.succeeded',
      'payment_intent.created',
    ]);
    await sandbox.stripe.deliveries.flush();
    expect(receiver.messages).toHaveLength(3);
  });

  it('shuffles webhooks in the same order for the same random numbers', async () => {
    const orders: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      sandbox.setDeliveryMode('manual');
      receiver.reset();
      paid();
      const numbers = [0.1, 0.7, 0.3];
      await sandbox.stripe.deliveries.flush('shuffled', () => numbers.shift() ?? 0);
      orders.push(receiver.types().join(' '));
    }
    expect(orders[0]).toBe(orders[1]);
  });

  it('sends one webhook several times, in sequence or at once', async () => {
    const { id } = paid();
    await sandbox.settled();
    receiver.reset();
    const event = eventOf(id, 'payment_intent.succeeded');
    expect(await sandbox.stripe.deliveries.deliver(event, 3)).toEqual([200, 200, 200]);
    expect(await sandbox.stripe.deliveries.deliverAtOnce(event, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(times('payment_intent.succeeded')).toBe(8);
  });

  it('sends a webhook twice, late or never because of a fault', async () => {
    const fault = { provider: 'stripe', operation: 'webhook:payment_intent.succeeded' } as const;
    sandbox.faults.add({ ...fault, kind: 'webhook_twice' });
    paid();
    await sandbox.settled();
    expect(times('payment_intent.succeeded')).toBe(2);

    sandbox.faults.add({ ...fault, kind: 'webhook_late', ms: 60 });
    const started = Date.now();
    paid();
    await sandbox.settled();
    expect(times('payment_intent.succeeded')).toBe(3);
    expect(Date.now() - started).toBeGreaterThanOrEqual(60);

    sandbox.faults.add({ ...fault, kind: 'webhook_never' });
    const { id } = paid();
    await sandbox.settled();
    expect(times('payment_intent.succeeded')).toBe(3);
    expect(sandbox.stripe.deliveries.undelivered()).toEqual([eventOf(id, 'payment_intent.succeeded')]);
    await sandbox.stripe.deliveries.redeliverUndelivered();
  });

  it('leaves dropped webhooks out of a flush, but not out of a redelivery', async () => {
    sandbox.setDeliveryMode('manual');
    const { id } = paid();
    sandbox.stripe.deliveries.drop(eventOf(id, 'payment_intent.succeeded'));
    await sandbox.stripe.deliveries.flush();
    expect(times('payment_intent.succeeded')).toBe(0);
    await sandbox.stripe.deliveries.redeliverUndelivered();
    expect(times('payment_intent.succeeded')).toBe(1);
  });

  it('records a failure if the receiver does not answer', async () => {
    const { createServer } = await import('node:http');
    const deaf = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => deaf.once('listening', resolve));
    const address = deaf.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const other = await startTestSandbox(`http://127.0.0.1:${String(port)}`, {
      timeoutMs: 30,
      retryDelaysMs: [],
    });
    other.stripe.createIntent({ amount: 1000, currency: 'eur' });
    await other.settled();
    expect(other.stripe.deliveries.list()).toMatchObject([
      { state: 'failed', attempts: [{ status: null, error: 'The receiver did not answer in time' }] },
    ]);
    await other.close();
    deaf.closeAllConnections();
    deaf.close();
  });

  it('sends a webhook to every receiver until each accepts it', async () => {
    const second = await Receiver.start();
    sandbox.setWebhookUrls({ stripe: [receiver.url, second.url] });
    second.answers = [500];
    paid();
    await sandbox.settled();
    expect(receiver.types()).toHaveLength(3);
    expect(second.types()).toHaveLength(4);
    sandbox.setWebhookUrls({ stripe: receiver.url });
    await second.close();
  });

  it('sends open webhooks to the new address of a receiver', async () => {
    const moved = await Receiver.start();
    receiver.answers = [503];
    sandbox.stripe.createIntent({ amount: 1000, currency: 'eur' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    sandbox.setWebhookUrls({ stripe: moved.url });
    await sandbox.settled();
    expect(moved.types()).toEqual(['payment_intent.created']);
    expect(sandbox.stripe.deliveries.undelivered()).toEqual([]);
    sandbox.setWebhookUrls({ stripe: receiver.url });
    await moved.close();
  });
});
