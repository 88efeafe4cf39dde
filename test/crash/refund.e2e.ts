import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../sandbox/calls/faults.js';
import { expectBooksOfProviders, donationsOf } from './books.js';
import { type Answer, CrashingService, hangingLast } from './crashing-service.js';
import { withOpened } from '../support/setup.js';

/** The server dies while an admin refunds or cancels: one donation at each step. */

const REFUND_STEPS = [
  'before the refund is stored',
  'after the refund is stored, before the call to the provider',
  'after the call to the provider, before its effect',
  'after the provider refunded, before its answer',
  'after the answer of the provider, before it is booked',
  'after the booking, before the answer to the admin',
] as const;
type RefundStep = (typeof REFUND_STEPS)[number];

const CANCEL_STEPS = [
  'after the call to the provider, before its effect',
  'after the provider cancelled, before its answer',
  'after the answer of the provider, before it is booked',
] as const;
type CancelStep = (typeof CANCEL_STEPS)[number];

const HANGING = /before its (effect|answer)/;
const WAYS = ['asked again', 'reconciled'] as const;
type Method = 'card' | 'wallet';

interface Underway {
  readonly email: string;
  readonly paymentId: string;
  readonly ask: () => Promise<Answer>;
}

const service = withOpened(() => CrashingService.start());
const underway = new Map<string, Underway>();
const named = (...words: string[]) => underway.get(words.join(' ')) as Underway;

async function start(method: Method, shouldRefund: boolean): Promise<Underway> {
  const email = `${String(underway.size)}@example.org`;
  const { body } = await service.call('POST', '/donations/intent', {
    amount: 2500,
    currency: 'eur',
    method,
    metadata: { eventId: await service.newEvent(), donorName: 'Ada', donorEmail: email },
  });
  const paymentId = String(body.clientSecret ?? body.orderId).replace(/_secret_.*$/, '');
  const path = `/donations/${String(body.donationId)}/cancel`;
  return { email, paymentId, ask: () => service.call('POST', path, { shouldRefund }) };
}

async function paid(method: Method): Promise<Underway> {
  const donation = await start(method, true);
  const { stripe, paypal } = service.sandbox;
  if (method === 'card') {
    stripe.pay(donation.paymentId);
    const message = stripe
      .events()
      .find(({ type, data }) => type === 'payment_intent.succeeded' && data.object.id === donation.paymentId);
    await stripe.deliveries.deliver(message?.id ?? '');
  } else {
    paypal.approve(donation.paymentId);
    await service.call('POST', `/donations/wallet/${donation.paymentId}/capture`);
  }
  return donation;
}

const refunded = (paymentId: string): number => {
  const { stripe, paypal } = service.sandbox;
  return [...stripe.payments(), ...paypal.payments()].find(({ id }) => id === paymentId)?.refunded ?? 0;
};

/** Resolves when the next refund has stopped at this step. */
function refundAt(step: RefundStep, method: Method, paymentId: string): Promise<void> {
  const { tap } = service;
  const hang: Fault =
    method === 'card'
      ? { provider: 'stripe', operation: 'refunds.create', kind: 'hang' }
      : { provider: 'paypal', operation: 'captures.refund', kind: 'hang' };
  switch (step) {
    case 'before the refund is stored':
      return tap.holdBefore({ commitOf: 'refund_insert' });
    case 'after the refund is stored, before the call to the provider':
      return tap.holdAfter({ commitOf: 'refund_insert' });
    case 'after the call to the provider, before its effect':
      return service.strike(hang);
    case 'after the provider refunded, before its answer':
      return service.strike({ ...hang, after: true }, () => refunded(paymentId) > 0);
    case 'after the answer of the provider, before it is booked':
      return tap.holdBefore({ commitOf: 'refund_update' });
    case 'after the booking, before the answer to the admin':
      return tap.holdAfter({ commitOf: 'refund_update' });
  }
}

function cancelAt(step: CancelStep, paymentId: string): Promise<void> {
  const hang: Fault = { provider: 'stripe', operation: 'payment_intents.cancel', kind: 'hang' };
  const cancelled = () => service.sandbox.stripe.intent(paymentId).status === 'canceled';
  switch (step) {
    case 'after the call to the provider, before its effect':
      return service.strike(hang);
    case 'after the provider cancelled, before its answer':
      return service.strike({ ...hang, after: true }, cancelled);
    case 'after the answer of the provider, before it is booked':
      return service.tap.holdBefore({ commitOf: 'donation_update' });
  }
}

async function go(donation: Underway, reached: Promise<void>, name: string): Promise<void> {
  underway.set(name, donation);
  service.leave(donation.ask());
  await reached;
}

const reconciled = async () => {
  const { code, output } = await service.reconcile();
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(' 0 need attention') });
};

describe.each(['card', 'wallet'] as const)('a refund of a %s donation interrupted by a crash', (method) => {
  beforeAll(async () => {
    for (const step of hangingLast(REFUND_STEPS, HANGING))
      for (const way of WAYS) {
        const donation = await paid(method);
        await go(donation, refundAt(step, method, donation.paymentId), `${method} ${way} ${step}`);
      }
    await service.crash();
  }, 90_000);

  it.each(REFUND_STEPS)('a repeated refund is made once after a crash %s', async (step) => {
    const { email, paymentId, ask } = named(method, 'asked again', step);
    const { status, body } = await ask();
    if (step === 'after the booking, before the answer to the admin')
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'DONATION_REFUNDED' });
    else expect({ status, body }).toMatchObject({ status: 200, body: { refund: { status: 'succeeded' } } });
    expect((await ask()).status).toBe(409);
    expect(refunded(paymentId)).toBe(2500);
    expect(await donationsOf(service, email)).toMatchObject([
      { status: 'REFUNDED', refunded: 2500, created: 1 },
    ]);
  });

  describe('not requested again', () => {
    beforeAll(reconciled, 60_000);

    it.each(REFUND_STEPS)('reconciliation makes a stored refund once after a crash %s', async (step) => {
      const { email, paymentId } = named(method, 'reconciled', step);
      const expected =
        step === 'before the refund is stored'
          ? { status: 'COMPLETED', refunded: 0 }
          : { status: 'REFUNDED', refunded: 2500 };
      expect(refunded(paymentId)).toBe(expected.refunded);
      expect(await donationsOf(service, email)).toMatchObject([{ ...expected, created: 1 }]);
    });
  });

  it('the totals are correct after crashes during refunds, even if the webhooks arrive later', async () => {
    await expectBooksOfProviders(service);
    await service.sandbox[method === 'card' ? 'stripe' : 'paypal'].deliveries.flush('shuffled');
    await expectBooksOfProviders(service);
  });
});

const OFFLINE_STEPS = [
  'before the refund is booked',
  'after the booking, before the answer to the admin',
] as const;

describe('a refund of an offline donation interrupted by a crash', () => {
  const asked = new Map<string, { id: string; email: string; ask: () => Promise<Answer> }>();
  const BODIES = {
    'one part': { shouldRefund: true, amount: 300 },
    'the whole amount': { shouldRefund: true },
  } as const;
  const cases = Object.keys(BODIES).flatMap((what) => OFFLINE_STEPS.map((step) => [what, step] as const));

  beforeAll(async () => {
    for (const [what, step] of cases) {
      const email = `offline-${asked.size}@example.org`;
      const sent = { amount: 1000, type: 'cash', eventId: await service.newEvent(), donorEmail: email };
      const id = String((await service.call('POST', '/donations', sent)).body.id);
      const key = { 'idempotency-key': `${what} of ${id}` };
      const ask = () =>
        service.call('POST', `/donations/${id}/cancel`, BODIES[what as keyof typeof BODIES], key);
      asked.set(`${what} ${step}`, { id, email, ask });
      const moment = { commitOf: 'refund_insert' };
      const reached =
        step === 'before the refund is booked'
          ? service.tap.holdBefore(moment)
          : service.tap.holdAfter(moment);
      service.leave(ask());
      await reached;
    }
    await service.crash();
  }, 60_000);

  it.each(cases)('a repeated refund of %s is booked once after a crash %s', async (what, step) => {
    const { id, email, ask } = asked.get(`${what} ${step}`) as NonNullable<ReturnType<typeof asked.get>>;
    const booked = await donationsOf(service, email);
    const amount = what === 'one part' ? 300 : 1000;
    expect(booked).toMatchObject([{ id, refunded: step === 'before the refund is booked' ? 0 : amount }]);
    for (let time = 0; time < 3; time += 1)
      expect(await ask()).toMatchObject({
        status: 200,
        body: { refundedAmount: amount, refund: { amount, status: 'succeeded' } },
      });
    expect(await donationsOf(service, email)).toMatchObject([
      { status: what === 'one part' ? 'COMPLETED' : 'REFUNDED', refunded: amount, created: 1 },
    ]);
  });

  it('the totals are correct after crashes during offline refunds', () => expectBooksOfProviders(service));
});

describe('a cancellation of an unpaid card donation interrupted by a crash', () => {
  beforeAll(async () => {
    for (const step of hangingLast(CANCEL_STEPS, HANGING))
      for (const way of WAYS) {
        const donation = await start('card', false);
        await go(donation, cancelAt(step, donation.paymentId), `cancelling ${way} ${step}`);
      }
    await service.crash();
  }, 90_000);

  it.each(CANCEL_STEPS)('a repeated cancellation succeeds after a crash %s', async (step) => {
    const { email, paymentId, ask } = named('cancelling', 'asked again', step);
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(409);
    expect(service.sandbox.stripe.intent(paymentId).status).toBe('canceled');
    expect(await donationsOf(service, email)).toMatchObject([{ status: 'CANCELLED', created: 0 }]);
  });

  describe('not requested again', () => {
    beforeAll(reconciled, 60_000);

    it.each(CANCEL_STEPS)(
      'reconciliation gives the donation the state of the provider after a crash %s',
      async (step) => {
        const { email, paymentId } = named('cancelling', 'reconciled', step);
        const cancelled = service.sandbox.stripe.intent(paymentId).status === 'canceled';
        expect(cancelled).toBe(step !== 'after the call to the provider, before its effect');
        expect(await donationsOf(service, email)).toMatchObject([
          { status: cancelled ? 'CANCELLED' : 'PENDING', created: 0 },
        ]);
      },
    );
  });

  it('the totals are correct after crashes during cancellations', () => expectBooksOfProviders(service));
});
