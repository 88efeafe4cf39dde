import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../common/crypto/ids.js';
import {
  idInLink,
  orderFacts,
  orderIdOf,
  orderRef,
  otherPayee,
  partCustomId,
  referenceOf,
  refundCustomId,
  reversalFacts,
} from './paypal-facts.js';
import { captureSchema, orderSchema, type PayPalCapture } from './paypal-objects.js';

const DONATION = '019a0000-0000-7000-8000-000000000001';

interface CaptureOptions {
  id?: string;
  status?: string;
  value?: string;
  currency?: string;
}

const capture = ({
  id = 'CAP1',
  status = 'COMPLETED',
  value = '25.00',
  currency = 'EUR',
}: CaptureOptions = {}) => ({
  id,
  status,
  amount: { currency_code: currency, value },
  create_time: '2026-11-21T10:00:00Z',
});

const refund = (status: string, custom_id?: string, value = '10.00') => ({
  id: 'REF1',
  status,
  amount: { currency_code: 'EUR', value },
  custom_id,
});

const order = (status: string, captures: unknown[] = [], refunds: unknown[] = [], more: object = {}) =>
  orderSchema.parse({
    id: 'ORDER1',
    status,
    purchase_units: [{ custom_id: DONATION, payments: { captures, refunds } }],
    ...more,
  });

const ref = { paymentId: 'ORDER1', donationId: DONATION, eventRef: DONATION };

describe('orderFacts() for PayPal', () => {
  it.each(['CREATED', 'SAVED', 'PAYER_ACTION_REQUIRED'])(
    'gives no facts for an order with the status %s',
    (status) => {
      expect(orderFacts(order(status))).toEqual([]);
    },
  );

  it('gives a fact for an approved and for a voided order', () => {
    expect(orderFacts(order('APPROVED'))).toEqual([{ kind: 'approved', ...ref }]);
    expect(orderFacts(order('VOIDED'))).toEqual([{ kind: 'cancelled', ...ref }]);
  });

  it.each(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'])(
    'gives a paid fact for a capture with the status %s',
    (status) => {
      expect(orderFacts(order('COMPLETED', [capture({ status })]))).toEqual([
        {
          kind: 'paid',
          ...ref,
          captureId: 'CAP1',
          amount: 2500n,
          currency: 'eur',
          paidAt: new Date('2026-11-21T10:00:00Z'),
        },
      ]);
    },
  );

  it.each([
    ['PENDING', 'processing'],
    ['DECLINED', 'failed'],
    ['FAILED', 'failed'],
  ])('for a completed order whose capture is %s gives the fact %s, not paid', (status, kind) => {
    expect(orderFacts(order('COMPLETED', [capture({ status })]))).toMatchObject([{ kind }]);
  });

  it.each([
    ['2026-11-21T10:00:00Z', undefined],
    ['2026-11-21T10:01:00Z', undefined],
    ['2026-11-27T09:00:00Z', true],
  ])('for a capture declined at %s reports that it was pending before: %s', (update_time, wasUnderWay) => {
    const declined = { ...capture({ status: 'DECLINED' }), update_time };
    const [fact] = orderFacts(order('COMPLETED', [declined]));
    expect(fact).toMatchObject({ kind: 'failed' });
    expect(fact && 'wasUnderWay' in fact ? fact.wasUnderWay : undefined).toBe(wasUnderWay);
  });

  it('gives no facts for a completed order without a capture', () => {
    expect(orderFacts(order('COMPLETED'))).toEqual([]);
  });

  it('gives a paid fact if a capture succeeded after an earlier decline', () => {
    const facts = orderFacts(order('COMPLETED', [capture({ id: 'CAP0', status: 'DECLINED' }), capture()]));
    expect(facts).toMatchObject([{ kind: 'paid', captureId: 'CAP1', amount: 2500n }]);
  });

  it('adds several captures of one currency', () => {
    const several = [
      capture(),
      capture({ id: 'CAP2', value: '5.00' }),
      capture({ id: 'CAP3', value: '7.00', currency: 'USD' }),
      capture({ id: 'CAP4', value: '9.00', status: 'PENDING' }),
    ];
    expect(orderFacts(order('COMPLETED', several))).toMatchObject([
      { amount: 3000n, currency: 'eur', captureId: 'CAP1' },
    ]);
  });

  it.each([
    ['PENDING', 'pending'],
    ['COMPLETED', 'succeeded'],
    ['FAILED', 'failed'],
    ['CANCELLED', 'cancelled'],
  ])('reads a refund with the status %s as %s', (status, expected) => {
    const [, fact] = orderFacts(order('COMPLETED', [capture()], [refund(status)]));
    expect(fact).toEqual({
      kind: 'refund',
      ...ref,
      providerRefundId: 'REF1',
      amount: 1000n,
      currency: 'eur',
      status: expected,
    });
  });

  it('keeps an unknown status of an order, capture or refund unchanged', () => {
    expect(orderFacts(order('SLEEPING'))).toEqual([{ kind: 'unknown', ...ref, status: 'SLEEPING' }]);
    expect(orderFacts(order('COMPLETED', [capture({ status: 'SLEEPING' })]))).toEqual([
      { kind: 'unknown', ...ref, status: 'SLEEPING' },
    ]);
    expect(orderFacts(order('COMPLETED', [capture()], [refund('SLEEPING')]))[1]).toMatchObject({
      status: 'pending',
      unknownStatus: 'SLEEPING',
    });
  });

  it('recognises our refunds, but not refunds with the custom_id of the capture', () => {
    const refundId = newId();
    const ours = orderFacts(order('COMPLETED', [capture()], [refund('COMPLETED', refundCustomId(refundId))]));
    expect(ours[1]).toMatchObject({ refundId });
    const theirs = orderFacts(order('COMPLETED', [capture()], [refund('COMPLETED', DONATION)]));
    expect(theirs[1]).not.toHaveProperty('refundId');
  });

  it('names the payer and drops unsafe text of the payer', () => {
    const payer = (given_name: string, email_address: string) =>
      orderFacts(order('COMPLETED', [capture()], [], { payer: { name: { given_name }, email_address } }))[0];
    expect(payer('Zoe\u0308', 'zoe@example.org')).toMatchObject({
      payer: { name: 'Zoë', email: 'zoe@example.org' },
    });
    expect(payer('a\u0000b', 'x'.repeat(300))).not.toHaveProperty('payer');
    expect(payer('\ud800', '')).not.toHaveProperty('payer');
  });

  it('accepts null instead of absent fields', () => {
    const parsed = orderSchema.parse({
      id: 'O',
      status: 'CREATED',
      purchase_units: null,
      payer: null,
      links: null,
    });
    expect(orderFacts(parsed)).toEqual([]);
  });
});

describe('reversalFacts() for PayPal', () => {
  const taken = (): PayPalCapture => captureSchema.parse(capture());

  it('gives a lost dispute of the amount that was not refunded yet', () => {
    const facts = reversalFacts(
      taken(),
      order('COMPLETED', [capture()], [refund('COMPLETED'), refund('FAILED')]),
    );
    expect(facts).toEqual([
      { kind: 'dispute', ...ref, disputeId: 'reversal:CAP1', amount: 1500n, currency: 'eur', status: 'lost' },
    ]);
  });

  it('gives no facts if the whole capture was refunded', () => {
    const all = refund('COMPLETED', undefined, '25.00');
    expect(reversalFacts(taken(), order('COMPLETED', [capture()], [all]))).toEqual([]);
  });
});

describe('the reference of a PayPal order', () => {
  it.each([
    [DONATION, { donationId: DONATION, eventRef: DONATION }],
    [DONATION.toUpperCase(), { donationId: DONATION, eventRef: DONATION }],
    ['event:spring-gala', { eventRef: 'spring-gala' }],
    [`event:${DONATION}`, { eventRef: DONATION }],
    ['event: spring-gala ', { eventRef: 'spring-gala' }],
    ['event:', {}],
    ['event:two words', {}],
    ['SHOP-17', {}],
    ['', {}],
  ])('reads the custom_id %j as %j', (customId, expected) => {
    expect(referenceOf(customId)).toEqual(expected);
  });

  it('combines the donation in the custom_id with the event in the reference_id', () => {
    const event = '0190a1b2-0000-7000-8000-00000000e0e0';
    const ours = (reference_id: string) =>
      orderRef(
        orderSchema.parse({
          id: 'ORDER1',
          status: 'CREATED',
          purchase_units: [{ reference_id, custom_id: DONATION }],
        }),
      );
    expect(ours(`event:${event}`)).toEqual({ paymentId: 'ORDER1', donationId: DONATION, eventRef: event });
    expect(ours('default')).toMatchObject({ donationId: DONATION, eventRef: DONATION });
  });

  it('uses the custom_id of the capture if the order has none', () => {
    const bare = orderSchema.parse({
      id: 'ORDER1',
      status: 'COMPLETED',
      purchase_units: [{ payments: { captures: [{ ...capture(), custom_id: DONATION }] } }],
    });
    expect(orderFacts(bare)[0]).toMatchObject(ref);
  });
});

describe('PayPal links', () => {
  const up = (href: string) => [{ href, rel: 'up' }];

  it('lead from a capture to its order, except for captures of older APIs', () => {
    const base = 'https://api.paypal.com';
    const related = { ...capture(), supplementary_data: { related_ids: { order_id: 'ORDER9' } } };
    expect(orderIdOf(captureSchema.parse(related))).toBe('ORDER9');
    const linked = captureSchema.parse({ ...capture(), links: up(`${base}/v2/checkout/orders/ORDER8`) });
    expect(orderIdOf(linked)).toBe('ORDER8');
    const old = captureSchema.parse({ ...capture(), links: up(`${base}/v1/payments/payment/PAY-1`) });
    expect(orderIdOf(old)).toBeUndefined();
    expect(idInLink(up(`${base}/v2/payments/captures/../orders/X`), 'up', 'captures')).toBeUndefined();
  });
});

describe('otherPayee() for PayPal', () => {
  const paying = (...payees: (object | undefined)[]) =>
    orderSchema.parse({
      id: 'ORDER1',
      status: 'COMPLETED',
      purchase_units: payees.map((payee) => ({ custom_id: DONATION, payee })),
    });

  it('returns undefined if our account is not configured', () => {
    expect(otherPayee(paying({ merchant_id: 'THEIRS' }), undefined)).toBeUndefined();
  });

  it('returns undefined if the order names our account or no payee', () => {
    expect(otherPayee(paying({ merchant_id: 'OURS' }), 'OURS')).toBeUndefined();
    expect(otherPayee(paying(undefined), 'OURS')).toBeUndefined();
  });

  it('returns the payee if any unit pays another account', () => {
    expect(otherPayee(paying({ merchant_id: 'OURS' }, { merchant_id: 'THEIRS' }), 'OURS')).toBe('THEIRS');
    expect(otherPayee(paying({}), 'OURS')).toBeNull();
  });
});

describe('orderFacts() for PayPal, fees', () => {
  const kept = (id: string, value?: string, currency = 'EUR') => ({
    ...capture({ id }),
    ...(value !== undefined && {
      seller_receivable_breakdown: { paypal_fee: { currency_code: currency, value } },
    }),
  });
  const feeOf = (...captures: object[]) => orderFacts(order('COMPLETED', captures))[0];

  it('adds the fees of all captures, and gives no fee while one is missing', () => {
    expect(feeOf(kept('A', '0.85'))).toMatchObject({ fee: { amount: 85n, currency: 'eur' } });
    expect(feeOf(kept('A', '0.85'), kept('B', '1.15'))).toMatchObject({
      fee: { amount: 200n, currency: 'eur' },
    });
    expect(feeOf(kept('A'))).not.toHaveProperty('fee');
    expect(feeOf(kept('A', '0.85'), kept('B'))).not.toHaveProperty('fee');
  });

  it('gives no fee if the fees have different currencies', () => {
    expect(feeOf(kept('A', '0.85'), kept('B', '1.15', 'USD'))).not.toHaveProperty('fee');
  });

  it('marks the amount as growing if the order has several captures', () => {
    expect(feeOf(kept('A'), kept('B'))).toMatchObject({ isGrowing: true, amount: 5_000n });
    expect(feeOf(kept('A'))).not.toHaveProperty('isGrowing');
  });
});

describe('orderFacts() for PayPal, payer', () => {
  const payerOf = (payer: object) => {
    const [fact] = orderFacts(order('COMPLETED', [capture()], [], { payer }));
    return fact?.kind === 'paid' ? fact.payer : 'nothing was paid';
  };

  it('names the payer by given name and surname, or by one of them', () => {
    expect(payerOf({ name: { given_name: 'Ada', surname: 'Lovelace' } })).toEqual({ name: 'Ada Lovelace' });
    expect(payerOf({ name: { surname: 'Lovelace' } })).toEqual({ name: 'Lovelace' });
  });

  it('gives only the e-mail address of a payer without a name, and no payer without both', () => {
    const only = payerOf({ email_address: 'ada@example.org' });
    expect(only).toEqual({ email: 'ada@example.org' });
    expect(only).not.toHaveProperty('name');
    expect(payerOf({ name: { given_name: 'Ada' } })).not.toHaveProperty('email');
    expect(payerOf({})).toBeUndefined();
  });
});

describe('the reading of foreign references', () => {
  it('ignores a reference inside a longer text', () => {
    expect(referenceOf('an event:spring-gala')).toEqual({});
    const refundId = newId();
    const custom = (text: string) =>
      orderFacts(order('COMPLETED', [capture()], [refund('COMPLETED', text)]))[1];
    for (const text of [`my-${refundCustomId(refundId)}`, partCustomId(refundId), 'refund-17'])
      expect(custom(text)).not.toHaveProperty('refundId');
    expect(partCustomId(refundId)).toContain(refundId);
  });

  it('ignores a link with another relation', () => {
    const links = [
      { href: 'https://api.paypal.com/v2/checkout/orders/OTHER1', rel: 'self' },
      { href: 'https://api.paypal.com/v2/elsewhere', rel: 'up' },
      { href: 'https://api.paypal.com/v2/checkout/orders/ORDER9', rel: 'up' },
    ];
    expect(idInLink(links, 'up', 'orders')).toBe('ORDER9');
    expect(idInLink(undefined, 'up', 'orders')).toBeUndefined();
  });
});

describe('reversalFacts() for PayPal, refunds', () => {
  const back = (...refunds: object[]) =>
    reversalFacts(captureSchema.parse(capture()), order('COMPLETED', [capture()], refunds));

  it('subtracts finished and pending refunds in the currency of the capture', () => {
    expect(back(refund('PENDING'))).toMatchObject([{ amount: 1_500n, status: 'lost' }]);
    expect(back(refund('FAILED'))).toMatchObject([{ amount: 2_500n }]);
    const dollars = { ...refund('COMPLETED'), amount: { currency_code: 'USD', value: '10.00' } };
    expect(back(dollars)).toMatchObject([{ amount: 2_500n }]);
  });

  it('gives a lost dispute for an order without captures', () => {
    const bare = orderSchema.parse({
      id: 'ORDER1',
      status: 'COMPLETED',
      purchase_units: [{ custom_id: DONATION }],
    });
    expect(reversalFacts(captureSchema.parse(capture()), bare)).toMatchObject([{ amount: 2_500n }]);
    expect(orderFacts(bare)).toEqual([]);
  });
});
