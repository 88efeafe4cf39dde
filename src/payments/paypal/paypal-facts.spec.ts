import { describe, expect, it } from '@jest/globals';
import { newId } from '../../common/ids.js';
import {
  idInLink,
  orderFacts,
  orderIdOf,
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

describe('what a PayPal order says', () => {
  it.each(['CREATED', 'SAVED', 'PAYER_ACTION_REQUIRED', 'SOMETHING_NEW'])('%s: nothing yet', (status) => {
    expect(orderFacts(order(status))).toEqual([]);
  });

  it('approved and voided orders say so', () => {
    expect(orderFacts(order('APPROVED'))).toEqual([{ kind: 'approved', ...ref }]);
    expect(orderFacts(order('VOIDED'))).toEqual([{ kind: 'cancelled', ...ref }]);
  });

  it.each(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'])('a capture that is %s was paid', (status) => {
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
  });

  it.each([
    ['PENDING', 'processing'],
    ['DECLINED', 'failed'],
    ['FAILED', 'failed'],
  ])('a completed order whose capture is %s is %s, never paid', (status, kind) => {
    expect(orderFacts(order('COMPLETED', [capture({ status })]))).toMatchObject([{ kind }]);
  });

  it('a completed order without a capture is not paid', () => {
    expect(orderFacts(order('COMPLETED'))).toEqual([]);
  });

  it('a success outweighs an earlier decline', () => {
    const facts = orderFacts(order('COMPLETED', [capture({ id: 'CAP0', status: 'DECLINED' }), capture()]));
    expect(facts).toMatchObject([{ kind: 'paid', captureId: 'CAP1', amount: 2500n }]);
  });

  it('several captures of one order are its sum, currency by currency', () => {
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
    ['SOMETHING_NEW', 'pending'],
  ])('a refund that is %s is %s', (status, expected) => {
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

  it('knows our own refunds, not those that inherited the custom_id of the capture', () => {
    const refundId = newId();
    const ours = orderFacts(order('COMPLETED', [capture()], [refund('COMPLETED', refundCustomId(refundId))]));
    expect(ours[1]).toMatchObject({ refundId });
    const theirs = orderFacts(order('COMPLETED', [capture()], [refund('COMPLETED', DONATION)]));
    expect(theirs[1]).not.toHaveProperty('refundId');
  });

  it('names the payer, but keeps no text that could do harm', () => {
    const payer = (given_name: string, email_address: string) =>
      orderFacts(order('COMPLETED', [capture()], [], { payer: { name: { given_name }, email_address } }))[0];
    expect(payer('Zoe\u0308', 'zoe@example.org')).toMatchObject({
      donor: { name: 'Zoë', email: 'zoe@example.org' },
    });
    expect(payer('a\u0000b', 'x'.repeat(300))).not.toHaveProperty('donor');
    expect(payer('\ud800', '')).not.toHaveProperty('donor');
  });

  it('takes null for absent', () => {
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

describe('a reversal that PayPal shows as no refund', () => {
  const taken = (): PayPalCapture => captureSchema.parse(capture());

  it('loses what was not given back already', () => {
    const facts = reversalFacts(
      taken(),
      order('COMPLETED', [capture()], [refund('COMPLETED'), refund('FAILED')]),
    );
    expect(facts).toEqual([
      { kind: 'dispute', ...ref, disputeId: 'reversal:CAP1', amount: 1500n, currency: 'eur', status: 'lost' },
    ]);
  });

  it('is nothing once all was given back', () => {
    const all = refund('COMPLETED', undefined, '25.00');
    expect(reversalFacts(taken(), order('COMPLETED', [capture()], [all]))).toEqual([]);
  });
});

describe('a custom_id', () => {
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
  ])('%j refers to %j', (customId, expected) => {
    expect(referenceOf(customId)).toEqual(expected);
  });

  it('of the capture counts where the order shows none', () => {
    const bare = orderSchema.parse({
      id: 'ORDER1',
      status: 'COMPLETED',
      purchase_units: [{ payments: { captures: [{ ...capture(), custom_id: DONATION }] } }],
    });
    expect(orderFacts(bare)[0]).toMatchObject(ref);
  });
});

describe('links', () => {
  const up = (href: string) => [{ href, rel: 'up' }];

  it('lead from a capture to its order, unless it is of an older API', () => {
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
