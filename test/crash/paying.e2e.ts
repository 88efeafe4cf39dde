import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../sandbox/calls/faults.js';
import { newId } from '../../src/common/crypto/ids.js';
import { expectBooksOfProviders, donationsOf, paymentsOf } from './books.js';
import { CrashingService, hangingLast } from './crashing-service.js';
import { withOpened } from '../support/setup.js';

/** The server dies while it hears that donations were paid, and while it captures them: one of them at each step. */

const STEPS = [
  "a card's message, before its commit",
  "a card's message, after its commit and before the 200",
  "a card's message about one of several tries, before its commit",
  "a card's message about one of several tries, after its commit and before the 200",
  "a wallet's message, while PayPal is asked again",
  "a wallet's message, before its commit",
  "an approval's message, when PayPal has captured and not answered",
  'a capture by the page, before PayPal did anything',
  'a capture by the page, when PayPal has captured and not answered',
  'a capture by the page, answered and before its commit',
  'a capture by the page, after its commit and before the donor knows',
] as const;
type Step = (typeof STEPS)[number];
const HANGING = /PayPal/;

const WAYS = ['sent again', 'reconciled'] as const;

interface Underway {
  readonly email: string;
  readonly paymentId: string;
  /** What the outside does, and does again where it gets no answer; gives the status. */
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
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
}

async function goTo(step: Step, email: string): Promise<Underway> {
  const { tap, sandbox } = service;
  const isCard = step.startsWith("a card's");
  const checkout = step.includes('several tries') ? { checkoutId: newId() } : {};
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
  if (step.startsWith("a wallet's")) sandbox.paypal.capture(paymentId);
  switch (step) {
    case "a card's message, before its commit":
      return await reached(tap.holdBefore(claimed), card);
    case "a card's message, after its commit and before the 200":
      return await reached(tap.holdAfter(claimed), card);
    case "a card's message about one of several tries, before its commit":
      return await reached(tap.holdBefore(claimed), card);
    case "a card's message about one of several tries, after its commit and before the 200":
      return await reached(tap.holdAfter(claimed), card);
    case "a wallet's message, while PayPal is asked again":
      return await reached(
        service.strike({ provider: 'paypal', operation: 'captures.get', kind: 'hang' }),
        wallet,
      );
    case "a wallet's message, before its commit":
      return await reached(tap.holdBefore(claimed), wallet);
    case "an approval's message, when PayPal has captured and not answered":
      return await reached(service.strike({ ...capture, after: true }, captured), approval);
    case 'a capture by the page, before PayPal did anything':
      return await reached(service.strike(capture), page);
    case 'a capture by the page, when PayPal has captured and not answered':
      return await reached(service.strike({ ...capture, after: true }, captured), page);
    case 'a capture by the page, answered and before its commit':
      return await reached(tap.holdBefore(booked), page);
    case 'a capture by the page, after its commit and before the donor knows':
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

describe('what the server was told when it died', () => {
  it.each(STEPS)('%s: is booked once when it is told again', async (step) => {
    const donation = named('sent again', step);
    expect(await donation.act()).toBe(200);
    await expectOnePaidDonation(donation);
    expect(await donation.act()).toBe(200);
    await expectOnePaidDonation(donation);
  });

  describe('and is never told again', () => {
    beforeAll(async () => {
      const { code, output } = await service.reconcile();
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(' 0 need a person') });
    }, 60_000);

    it.each(STEPS)('%s: is booked once by reconciliation', async (step) => {
      await expectOnePaidDonation(named('reconciled', step));
    });
  });

  it('leaves right books, also when every message comes after all', async () => {
    await expectBooksOfProviders(service);
    await service.sandbox.stripe.deliveries.flush('shuffled');
    await service.sandbox.paypal.deliveries.flush('shuffled');
    await expectBooksOfProviders(service);
  });
});
