import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../sandbox/calls/faults.js';
import { newId } from '../../src/common/crypto/ids.js';
import { expectBooksOfProviders, donationsOf, paymentsOf } from './books.js';
import { CrashingService, hangingLast } from './crashing-service.js';
import { withOpened } from '../support/setup.js';

/** The server dies while it handles payment webhooks and while it captures payments: one donation at each step. */

const STEPS = [
  'a card webhook, before its commit',
  'a card webhook, after its commit and before the 200',
  'a card webhook for one of several payment attempts, before its commit',
  'a card webhook for one of several payment attempts, after its commit and before the 200',
  'a wallet webhook, while the server queries PayPal',
  'a wallet webhook, before its commit',
  'an approval webhook, after the capture at PayPal and before its answer',
  'a capture from the page, before PayPal captures',
  'a capture from the page, after the capture at PayPal and before its answer',
  'a capture from the page, after the answer and before its commit',
  'a capture from the page, after its commit and before the answer to the donor',
] as const;
type Step = (typeof STEPS)[number];
const HANGING = /PayPal/;

const WAYS = ['sent again', 'reconciled'] as const;

interface Underway {
  readonly email: string;
  readonly paymentId: string;
  /** Sends the webhook or the capture. Without an answer, sends it again. Returns the status. */
  readonly act: () => Promise<number | null>;
}

const service = withOpened(() => CrashingService.start());
const underway = new Map<string, Underway>();
const named = (way: string, step: Step) => underway.get(`${way} ${step}`) as Underway;

async function start(email: string, method: 'card' | 'wallet', checkout: object): Promise<string> {
  const { body } = await service.call('POST', '/donations/intent', {
    amount: 2500,
    currency: 'eur',
    method,
    metadata: { eventId: await service.newEvent(), donorName: 'Ada', donorEmail: email, ...checkout },
  });
  return String(body.clientSecret ?? body.orderId).replace(/_secret_.*$/, '');
}

function messageAbout(kind: string, paymentId: string): string {
  const { stripe, paypal } = service.sandbox;
  const found =
    stripe.events().find(({ type, data }) => type === kind && data.object.id === paymentId)?.id ??
    paypal
      .events()
      .find(({ event_type, resource }) => event_type === kind && JSON.stringify(resource).includes(paymentId))
      ?.id;
  if (found === undefined) throw new Error(`no ${kind} event in the sandbox`);
  return found;
}

async function goTo(step: Step, email: string): Promise<Underway> {
  const { tap, sandbox } = service;
  const isCard = step.startsWith('a card webhook');
  const checkout = step.includes('several payment attempts') ? { checkoutId: newId() } : {};
  const paymentId = await start(email, isCard ? 'card' : 'wallet', checkout);
  const captured = () => sandbox.paypal.payments().some(({ id, paid }) => id === paymentId && paid > 0);
  const capture: Fault = { provider: 'paypal', operation: 'orders.capture', kind: 'hang' };
  const claimed = { commitOf: 'webhook_event_claim' };
  const booked = { commitOf: 'donation_update' };
  const delivering = (provider: 'stripe' | 'paypal', kind: string) => async () =>
    (await sandbox[provider].deliveries.deliver(messageAbout(kind, paymentId)))[0] ?? null;
  const reached = async (moment: Promise<void>, act: Underway['act']) => {
    service.leave(act());
    await moment;
    return { email, paymentId, act };
  };
  const card = delivering('stripe', 'payment_intent.succeeded');
  const wallet = delivering('paypal', 'PAYMENT.CAPTURE.COMPLETED');
  const approval = delivering('paypal', 'CHECKOUT.ORDER.APPROVED');
  const page = async () => (await service.call('POST', `/donations/wallet/${paymentId}/capture`)).status;

  if (isCard) sandbox.stripe.pay(paymentId);
  else sandbox.paypal.approve(paymentId);
  if (step.startsWith('a wallet webhook')) sandbox.paypal.capture(paymentId);
  switch (step) {
    case 'a card webhook, before its commit':
      return await reached(tap.holdBefore(claimed), card);
    case 'a card webhook, after its commit and before the 200':
      return await reached(tap.holdAfter(claimed), card);
    case 'a card webhook for one of several payment attempts, before its commit':
      return await reached(tap.holdBefore(claimed), card);
    case 'a card webhook for one of several payment attempts, after its commit and before the 200':
      return await reached(tap.holdAfter(claimed), card);
    case 'a wallet webhook, while the server queries PayPal':
      return await reached(
        service.strike({ provider: 'paypal', operation: 'captures.get', kind: 'hang' }),
        wallet,
      );
    case 'a wallet webhook, before its commit':
      return await reached(tap.holdBefore(claimed), wallet);
    case 'an approval webhook, after the capture at PayPal and before its answer':
      return await reached(service.strike({ ...capture, after: true }, captured), approval);
    case 'a capture from the page, before PayPal captures':
      return await reached(service.strike(capture), page);
    case 'a capture from the page, after the capture at PayPal and before its answer':
      return await reached(service.strike({ ...capture, after: true }, captured), page);
    case 'a capture from the page, after the answer and before its commit':
      return await reached(tap.holdBefore(booked), page);
    case 'a capture from the page, after its commit and before the answer to the donor':
      return await reached(tap.holdAfter(booked), page);
  }
}

beforeAll(async () => {
  for (const step of hangingLast(STEPS, HANGING))
    for (const way of WAYS) {
      const name = `${way} ${step}`;
      underway.set(name, await goTo(step, `${String(underway.size)}@example.org`));
    }
  await service.crash();
}, 90_000);

async function expectOnePaidDonation({ email, paymentId }: Underway): Promise<void> {
  const donations = await donationsOf(service, email);
  expect(donations).toMatchObject([
    { status: 'COMPLETED', amount: 2500, refunded: 0, paymentId, created: 1 },
  ]);
  expect(paymentsOf(service.sandbox, donations[0]?.id ?? '')).toEqual([paymentId]);
  const { stripe, paypal } = service.sandbox;
  const paid = [...stripe.payments(), ...paypal.payments()].filter(({ id }) => id === paymentId);
  expect(paid).toMatchObject([{ paid: 2500, held: 2500 }]);
}

describe('a webhook or a capture interrupted by a crash', () => {
  it.each(STEPS)('a repeated message is booked once after a crash during %s', async (step) => {
    const donation = named('sent again', step);
    expect(await donation.act()).toBe(200);
    await expectOnePaidDonation(donation);
    expect(await donation.act()).toBe(200);
    await expectOnePaidDonation(donation);
  });

  describe('not sent again', () => {
    beforeAll(async () => {
      const { code, output } = await service.reconcile();
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(' 0 need attention') });
    }, 60_000);

    it.each(STEPS)('reconciliation books the payment once after a crash during %s', async (step) => {
      await expectOnePaidDonation(named('reconciled', step));
    });
  });

  it('the totals are correct after crashes during payments, even if all webhooks arrive later', async () => {
    await expectBooksOfProviders(service);
    await service.sandbox.stripe.deliveries.flush('shuffled');
    await service.sandbox.paypal.deliveries.flush('shuffled');
    await expectBooksOfProviders(service);
  });
});
