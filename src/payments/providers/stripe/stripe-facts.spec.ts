import { describe, expect, it } from '@jest/globals';
import type Stripe from 'stripe';
import type { PaidFact } from '../provider-port.js';
import { failedFact, feeOf, idOf, intentFacts, refundFact, USED_EVENTS } from './stripe-facts.js';

const AT = new Date('2026-11-21T10:00:00Z');
const REFUND = '019a0000-0000-7000-8000-000000000001';

const intent = (fields: object = {}) =>
  ({
    id: 'pi_1',
    status: 'succeeded',
    amount: 9_999,
    amount_received: 2_500,
    currency: 'EUR',
    latest_charge: 'ch_1',
    metadata: {},
    next_action: null,
    last_payment_error: null,
    ...fields,
  }) as unknown as Stripe.PaymentIntent;

describe('intentFacts() for Stripe', () => {
  it('gives the received amount and the charge of a paid intent; a missing name does not mean anonymous', () => {
    expect(intentFacts(intent(), AT)).toEqual([
      {
        kind: 'paid',
        paymentId: 'pi_1',
        captureId: 'ch_1',
        amount: 2_500n,
        currency: 'eur',
        paidAt: AT,
        donor: { isAnonymous: false },
      },
    ]);
  });

  it.each([
    [{ type: 'ideal', ideal: {} }, { method: 'ideal' }],
    [{ type: 'card', card: { wallet: null } }, { method: 'card' }],
    [
      { type: 'card', card: { wallet: { type: 'apple_pay' } } },
      { method: 'card', wallet: 'apple_pay' },
    ],
    [{ type: 'x'.repeat(300) }, { method: 'x'.repeat(40) }],
    [{ type: 'two\nlines' }, undefined],
    [{ type: 'card', card: { wallet: { type: '\u0000' } } }, { method: 'card' }],
    [null, undefined],
    [undefined, undefined],
  ])('gives the method of the charge with the details %j', (payment_method_details, method) => {
    const [fact] = intentFacts(intent({ latest_charge: { id: 'ch_1', payment_method_details } }), AT);
    expect((fact as PaidFact).method).toEqual(method);
  });

  it.each(['requires_confirmation', 'requires_capture'])(
    'gives no facts for an intent with the status %s',
    (status) => {
      expect(intentFacts(intent({ status }), AT)).toEqual([]);
    },
  );

  it('keeps an unknown status of an intent in the fact', () => {
    expect(intentFacts(intent({ status: 'something_new' }), AT)).toEqual([
      { kind: 'unknown', paymentId: 'pi_1', status: 'something_new' },
    ]);
  });

  it('names our donation, the event and the donor, and ignores other metadata', () => {
    const metadata = {
      donationId: REFUND,
      eventId: 'gala',
      donorName: ' Ada  Lovelace ',
      donorEmail: 'ada@example.org',
      message: 'two\nlines',
      isAnonymous: 'true',
      order: '17',
    };
    expect(intentFacts(intent({ metadata, latest_charge: { id: 'ch_2' } }), AT)).toEqual([
      {
        kind: 'paid',
        paymentId: 'pi_1',
        donationId: REFUND,
        eventRef: 'gala',
        captureId: 'ch_2',
        amount: 2_500n,
        currency: 'eur',
        paidAt: AT,
        donor: {
          name: expect.stringMatching(/^Ada\s+Lovelace$/),
          email: 'ada@example.org',
          message: 'two\nlines',
          isAnonymous: true,
        },
      },
    ]);
  });

  it.each([
    ['donorName', 'x'.repeat(201)],
    ['donorEmail', `${'x'.repeat(250)}@a.de`],
    ['message', 'x'.repeat(501)],
    ['donorName', 'two\nlines'],
  ])('leaves out a %s that breaks our rules', (field, text) => {
    const [fact] = intentFacts(intent({ metadata: { [field]: text } }), AT);
    expect(fact).toMatchObject({ donor: { isAnonymous: false } });
    expect(Object.keys((fact as { donor: object }).donor)).toEqual(['isAnonymous']);
  });

  it.each([
    ['donorName', 'x'.repeat(200), 'name'],
    ['donorEmail', `${'x'.repeat(249)}@a.de`, 'email'],
    ['message', 'x'.repeat(500), 'message'],
  ])('keeps a %s of the maximum length', (field, text, name) => {
    const [fact] = intentFacts(intent({ metadata: { [field]: text } }), AT);
    expect((fact as { donor: Record<string, unknown> }).donor[name]).toBe(text);
  });

  it('gives a fact for a processing, a cancelled and a declined intent', () => {
    expect(intentFacts(intent({ status: 'processing' }), AT)).toEqual([
      { kind: 'processing', paymentId: 'pi_1' },
    ]);
    expect(intentFacts(intent({ status: 'canceled' }), AT)).toEqual([
      { kind: 'cancelled', paymentId: 'pi_1' },
    ]);
    const declined = { status: 'requires_payment_method', last_payment_error: { code: 'card_declined' } };
    expect(intentFacts(intent(declined), AT)).toEqual([
      { kind: 'failed', paymentId: 'pi_1', reason: 'card_declined' },
    ]);
  });

  it.each(['requires_payment_method', 'requires_confirmation', 'requires_capture'])(
    'gives no facts for an intent with the status %s and no error',
    (status) => {
      expect(intentFacts(intent({ status }), AT)).toEqual([]);
    },
  );

  it.each(['sepa_debit', 'bacs_debit'])('gives a processing fact that waits for the bank of a %s', (type) => {
    const latest_charge = { id: 'ch_1', payment_method_details: { type } };
    expect(intentFacts(intent({ status: 'processing', latest_charge }), AT)).toEqual([
      { kind: 'processing', paymentId: 'pi_1', waitsFor: 'bank' },
    ]);
  });

  it('gives a processing fact until the end of a voucher, and no facts for other actions of the donor', () => {
    const waits = (next_action: unknown) =>
      intentFacts(intent({ status: 'requires_action', next_action }), AT);
    const until = new Date('2026-11-24T00:00:00Z');
    const details = { expires_at: until.getTime() / 1000 };
    expect(waits({ type: 'multibanco_display_details', multibanco_display_details: details })).toEqual([
      { kind: 'processing', paymentId: 'pi_1', waitsFor: 'donor', until },
    ]);
    expect(waits({ type: 'verify_with_microdeposits' })).toEqual([
      { kind: 'processing', paymentId: 'pi_1', waitsFor: 'donor' },
    ]);
    expect(waits({ type: 'redirect_to_url', redirect_to_url: {} })).toEqual([]);
    expect(waits(null)).toEqual([]);
  });
});

describe('failedFact() for Stripe', () => {
  it('gives the bank’s reason, or Stripe’s reason, or no reason', () => {
    const failed = (last_payment_error: unknown) => failedFact(intent({ last_payment_error }));
    expect(failed({ decline_code: 'lost_card', code: 'card_declined' })).toEqual({
      kind: 'failed',
      paymentId: 'pi_1',
      reason: 'lost_card',
    });
    expect(failed({ code: 'card_declined' })).toMatchObject({ reason: 'card_declined' });
    expect(failed({})).toEqual({ kind: 'failed', paymentId: 'pi_1' });
    expect(failed(null)).toEqual({ kind: 'failed', paymentId: 'pi_1' });
  });

  it.each([
    ['sepa_debit', true],
    ['us_bank_account', true],
    ['bacs_debit', true],
    ['card', undefined],
    ['multibanco', undefined],
    ['ideal', undefined],
  ])('for a payment by %s reports a decline after the donor left: %s', (type, wasUnderWay) => {
    const fact = failedFact(intent({ last_payment_error: { code: 'x', payment_method: { type } } }));
    expect(fact).toEqual({
      kind: 'failed',
      paymentId: 'pi_1',
      reason: 'x',
      ...(wasUnderWay && { wasUnderWay }),
    });
  });
});

describe('refundFact() for Stripe', () => {
  const refund = (fields: object = {}) =>
    refundFact({
      id: 're_1',
      payment_intent: 'pi_1',
      amount: 500,
      currency: 'EUR',
      status: 'succeeded',
      metadata: {},
      ...fields,
    } as unknown as Stripe.Refund);
  const fact = {
    kind: 'refund',
    paymentId: 'pi_1',
    providerRefundId: 're_1',
    amount: 500n,
    currency: 'eur',
    status: 'succeeded',
  };

  it('names the payment, and our refund row if the id is valid', () => {
    expect(refund()).toEqual([fact]);
    expect(refund({ payment_intent: { id: 'pi_1' }, metadata: null })).toEqual([fact]);
    expect(refund({ metadata: { refundId: REFUND } })).toEqual([{ ...fact, refundId: REFUND }]);
    // This id belongs to another system on the same account.
    expect(refund({ metadata: { refundId: 'R-17' } })).toEqual([fact]);
    expect(refund({ payment_intent: null })).toEqual([]);
  });

  it.each([
    ['pending', 'pending'],
    ['requires_action', 'pending'],
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['canceled', 'cancelled'],
    [null, 'pending'],
  ])('reads the status %s as %s', (status, ours) => {
    expect(refund({ status })).toEqual([{ ...fact, status: ours }]);
  });

  it('reads an unknown status as pending and keeps it', () => {
    expect(refund({ status: 'something_new' })).toEqual([
      { ...fact, status: 'pending', unknownStatus: 'something_new' },
    ]);
  });
});

describe('feeOf() for Stripe', () => {
  const movement = (fee: number, currency: string) => ({ fee, currency }) as Stripe.BalanceTransaction;

  it('adds the fees of one currency in minor units', () => {
    expect(feeOf([])).toBeUndefined();
    expect(feeOf([movement(25, 'EUR')])).toEqual({ amount: 25n, currency: 'eur' });
    expect(feeOf([movement(25, 'eur'), movement(5, 'usd'), movement(3, 'eur')])).toEqual({
      amount: 28n,
      currency: 'eur',
    });
    // ISK has two decimals at Stripe, none here.
    expect(feeOf([movement(1_500, 'isk')])).toEqual({ amount: 15n, currency: 'isk' });
  });
});

describe('idOf() for Stripe', () => {
  it('returns the same id for an expanded object and a plain id', () => {
    expect(idOf('ch_1')).toBe('ch_1');
    expect(idOf({ id: 'ch_1' })).toBe('ch_1');
    expect(idOf(null)).toBeUndefined();
    expect(idOf(undefined)).toBeUndefined();
  });
});

describe('USED_EVENTS of Stripe', () => {
  it('contains exactly the types of events that give facts', () => {
    expect([...USED_EVENTS].sort()).toEqual(
      [
        'payment_intent.succeeded',
        'payment_intent.processing',
        'payment_intent.payment_failed',
        'payment_intent.canceled',
        'charge.refunded',
        'charge.refund.updated',
        'refund.created',
        'refund.updated',
        'refund.failed',
        'charge.dispute.created',
        'charge.dispute.updated',
        'charge.dispute.closed',
        'charge.dispute.funds_withdrawn',
        'charge.dispute.funds_reinstated',
        'radar.early_fraud_warning.created',
      ].sort(),
    );
  });
});
