import { describe, expect, it } from '@jest/globals';
import type Stripe from 'stripe';
import { itemsOf, payoutOf } from './stripe-payout-facts.js';

const CREATED = 1_790_000_000;
const at = new Date(CREATED * 1000);

const payout = (fields: object = {}) =>
  payoutOf({
    id: 'po_1',
    amount: 12_345,
    currency: 'EUR',
    status: 'in_transit',
    automatic: true,
    reconciliation_status: 'completed',
    arrival_date: CREATED + 60,
    created: CREATED,
    ...fields,
  } as unknown as Stripe.Payout);

const movement = (fields: object = {}) =>
  itemsOf({
    id: 'txn_1',
    type: 'charge',
    reporting_category: 'charge',
    amount: 1_000,
    fee: 40,
    net: 960,
    currency: 'EUR',
    created: CREATED,
    source: { id: 'ch_1', object: 'charge', payment_intent: 'pi_1' },
    ...fields,
  } as unknown as Stripe.BalanceTransaction);

describe('payoutOf() for Stripe', () => {
  it('reads the amount and the arrival time', () => {
    expect(payout()).toEqual({
      payoutId: 'po_1',
      amount: 12_345n,
      currency: 'eur',
      status: 'in_transit',
      arrivesAt: new Date((CREATED + 60) * 1000),
      createdAt: at,
      isItemized: true,
    });
  });

  it('marks a payout as itemized only if it is automatic and its reconciliation is completed', () => {
    expect(payout({ automatic: false }).isItemized).toBe(false);
    expect(payout({ reconciliation_status: 'in_progress' }).isItemized).toBe(false);
    expect(payout({ reconciliation_status: 'not_applicable' }).isItemized).toBe(false);
  });
});

describe('itemsOf() for Stripe', () => {
  it('reads a payment with its fee', () => {
    expect(movement()).toEqual([
      {
        itemId: 'txn_1',
        kind: 'payment',
        amount: 1_000n,
        fee: 40n,
        net: 960n,
        currency: 'eur',
        paymentId: 'pi_1',
        at,
      },
    ]);
  });

  it.each([
    ['charge', 'payment'],
    ['charge_failure', 'payment'],
    ['refund', 'refund'],
    ['refund_failure', 'refund'],
    ['partial_capture_reversal', 'refund'],
    ['dispute', 'dispute'],
    ['dispute_reversal', 'dispute'],
    ['fee', 'fee'],
    ['something_new', 'other'],
  ])('reads the category %s as the kind %s', (reporting_category, kind) => {
    expect(movement({ reporting_category, amount: -700, net: -740 })).toMatchObject([
      { kind, amount: -700n, net: -740n },
    ]);
  });

  it.each(['payment_failure_refund', 'payment_reversal'])(
    'counts a returned debit (%s) against the payments, in every category',
    (type) => {
      for (const reporting_category of ['charge_failure', 'refund', 'something_new'])
        expect(movement({ type, reporting_category, amount: -1_000, net: -960 })).toMatchObject([
          { kind: 'payment', amount: -1_000n, net: -960n, paymentId: 'pi_1' },
        ]);
    },
  );

  it('names the payment of the source, if there is one', () => {
    const paymentOf = (source: unknown) => movement({ source })[0]?.paymentId;
    expect(paymentOf({ id: 're_1', payment_intent: { id: 'pi_2' } })).toBe('pi_2');
    expect(paymentOf({ id: 'ch_1', payment_intent: null })).toBeUndefined();
    expect(movement({ source: null })[0]).not.toHaveProperty('paymentId');
    expect(paymentOf('ch_1')).toBeUndefined();
    expect(paymentOf({ id: 'fee_1' })).toBeUndefined();
  });

  it('leaves out the payout itself', () => {
    expect(movement({ type: 'payout' })).toEqual([]);
  });
});
