import { beforeAll, describe, expect, it } from '@jest/globals';
import { CrashingService, hangingLast } from './crashing-service.js';
import { expectBooksOfProviders, donationsOf, paymentsOf } from './books.js';
import { withOpened } from '../support/setup.js';

/** The server dies while donors start their donations: one donation at each step. */

type Method = 'card' | 'wallet';

const STEPS = [
  'before the commit of the donation',
  'after the commit of the donation, before the call to the provider',
  'after the call to the provider, before its effect',
  'after the provider created the payment, before its answer',
  'after the answer of the provider, before it is recorded',
  'after the payment id is recorded, before the answer to the donor is stored',
  'after the answer is stored, before the donor receives it',
] as const;
type Step = (typeof STEPS)[number];
const HANGING = /before its (effect|answer)$/;

const service = withOpened(() => CrashingService.start());
let eventId: string;
const donor = (method: Method, healedBy: string, step: Step) =>
  `${method}-${healedBy}-${String(STEPS.indexOf(step))}@example.org`;

beforeAll(async () => {
  eventId = await service.newEvent();
}, 60_000);

const send = (method: Method, email: string) =>
  service.call(
    'POST',
    '/donations/intent',
    {
      amount: 2500,
      currency: 'eur',
      method,
      metadata: { eventId, donorName: 'Ada', donorEmail: email },
    },
    { 'idempotency-key': email },
  );

/** Resolves when the next intent is stopped at the step. */
function at(step: Step, method: Method): Promise<void> {
  const { tap, sandbox } = service;
  const inserted = { commitOf: 'donation_insert' };
  const create =
    method === 'card'
      ? ({ provider: 'stripe', operation: 'payment_intents.create', kind: 'hang' } as const)
      : ({ provider: 'paypal', operation: 'orders.create', kind: 'hang' } as const);
  const made = () => sandbox.stripe.payments().length + sandbox.paypal.payments().length;
  const before = made();
  switch (step) {
    case 'before the commit of the donation':
      return tap.holdBefore(inserted);
    case 'after the commit of the donation, before the call to the provider':
      return tap.holdAfter(inserted);
    case 'after the call to the provider, before its effect':
      return service.strike(create);
    case 'after the provider created the payment, before its answer':
      return service.strike({ ...create, after: true }, () => made() > before);
    case 'after the answer of the provider, before it is recorded':
      return tap.holdBefore({ statement: 'donation_attach_payment' });
    case 'after the payment id is recorded, before the answer to the donor is stored':
      return tap.holdBefore({ statement: 'idempotency_answer' });
    case 'after the answer is stored, before the donor receives it':
      return tap.holdAfter({ statement: 'idempotency_answer' });
  }
}

async function crashAtEveryStep(method: Method): Promise<void> {
  for (const step of hangingLast(STEPS, HANGING))
    for (const healedBy of ['retry', 'reconciled']) {
      const reached = at(step, method);
      service.leave(send(method, donor(method, healedBy, step)));
      await reached;
    }
  await service.crash();
}

/** The donor pays at the provider. The webhooks are delivered or lost. */
async function pay(method: Method, paymentId: string, messages: 'delivered' | 'lost'): Promise<void> {
  const { stripe, paypal } = service.sandbox;
  if (method === 'card') stripe.pay(paymentId);
  else paypal.approve(paymentId);
  const { deliveries } = service.sandbox[method === 'card' ? 'stripe' : 'paypal'];
  for (const id of deliveries.undelivered())
    if (messages === 'lost') deliveries.drop(id);
    else expect(await deliveries.deliver(id)).toEqual([200]);
}

describe.each(['card', 'wallet'] as const)('a %s intent interrupted by a crash', (method) => {
  beforeAll(() => crashAtEveryStep(method), 60_000);

  describe('sent again by the donor', () => {
    it.each(STEPS)('a repeated intent gives one donation with one payment after a crash %s', async (step) => {
      const email = donor(method, 'retry', step);
      const again = await send(method, email);
      expect(again).toMatchObject({ status: 201, body: { donationId: expect.any(String) } });
      expect((await send(method, email)).body).toEqual(again.body);
      const [donation, ...others] = await donationsOf(service, email);
      expect(others).toEqual([]);
      expect(donation).toMatchObject({ id: again.body.donationId, status: 'PENDING' });
      const [payment, ...more] = paymentsOf(service.sandbox, again.body.donationId as string);
      expect(more).toEqual([]);
      await pay(method, payment ?? '', 'delivered');
      expect(await donationsOf(service, email)).toMatchObject([
        { status: 'COMPLETED', amount: 2500, created: 1 },
      ]);
    });
  });

  describe('not sent again', () => {
    beforeAll(async () => {
      // The worst case for a donor: the payment succeeds although the donor never got an answer.
      for (const step of STEPS)
        for (const donation of await donationsOf(service, donor(method, 'reconciled', step)))
          for (const payment of paymentsOf(service.sandbox, donation.id)) await pay(method, payment, 'lost');
      const { code, output } = await service.reconcile();
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(' 0 need attention') });
    }, 60_000);

    it.each(STEPS)(
      'reconciliation leaves no donation without its payment and no payment without its donation after a crash %s',
      async (step) => {
        const donations = await donationsOf(service, donor(method, 'reconciled', step));
        if (step === 'before the commit of the donation') {
          expect(donations).toEqual([]);
          return;
        }
        const [donation] = donations;
        expect(donations).toHaveLength(1);
        const payments = paymentsOf(service.sandbox, donation?.id ?? '');
        expect(payments).toEqual([donation?.paymentId]);
        // At an early step the provider had no payment. Reconciliation created the payment.
        const early =
          STEPS.indexOf(step) <= STEPS.indexOf('after the call to the provider, before its effect');
        expect(donation).toMatchObject(
          early ? { status: 'PENDING', created: 0 } : { status: 'COMPLETED', amount: 2500, created: 1 },
        );
      },
    );
  });

  it('the totals are correct after crashes during intents, and every provider payment has its donation', () =>
    expectBooksOfProviders(service));
});
