import { describe, expect, it } from '@jest/globals';
import type Stripe from 'stripe';
import { disputeFact, USED_EVENTS } from './stripe-facts.js';

const AT = new Date('2026-11-21T10:00:00Z');

describe('disputeFact() for Stripe', () => {
  const dispute = (fields: object = {}) =>
    disputeFact(
      {
        id: 'dp_1',
        payment_intent: 'pi_1',
        amount: 2_500,
        currency: 'EUR',
        status: 'needs_response',
        reason: 'fraudulent',
        ...fields,
      } as unknown as Stripe.Dispute,
      AT,
    );

  it('reads the reason, deadline, fee and time of the statement', () => {
    const due = Math.floor(AT.getTime() / 1000) + 3600;
    expect(
      dispute({
        evidence_details: { due_by: due },
        balance_transactions: [
          { fee: 2_000, currency: 'EUR' },
          { fee: 150, currency: 'EUR' },
        ],
      }),
    ).toEqual([
      {
        kind: 'dispute',
        paymentId: 'pi_1',
        disputeId: 'dp_1',
        amount: 2_500n,
        currency: 'eur',
        status: 'open',
        providerStatus: 'needs_response',
        reason: 'fraudulent',
        isInquiry: false,
        needsAnswer: true,
        dueBy: new Date(due * 1000),
        fee: { amount: 2_150n, currency: 'eur' },
        asOf: AT,
      },
    ]);
  });

  it('reads disputes of other API versions without deadline and fee', () => {
    const [fact] = dispute({ evidence_details: { due_by: null } });
    expect(fact).not.toHaveProperty('dueBy');
    expect(fact).not.toHaveProperty('fee');
    expect(dispute()[0]).not.toHaveProperty('dueBy');
    expect(dispute({ payment_intent: null })).toEqual([]);
  });

  it.each([
    ['needs_response', 'open', false, true],
    ['under_review', 'open', false, false],
    ['warning_needs_response', 'open', true, true],
    ['warning_under_review', 'open', true, false],
    ['warning_closed', 'won', true, false],
    ['prevented', 'won', false, false],
    ['won', 'won', false, false],
    ['lost', 'lost', false, false],
    ['appeal_needs_response', 'lost', false, true],
    ['appeal_under_review', 'lost', false, false],
    ['something_new', 'open', false, true],
  ])(
    'reads the status %s as %s (inquiry: %s, needs an answer: %s)',
    (providerStatus, status, isInquiry, needsAnswer) => {
      expect(dispute({ status: providerStatus })[0]).toMatchObject({
        status,
        providerStatus,
        isInquiry,
        needsAnswer,
      });
    },
  );

  const withdrawn = { fee: 0, amount: -2_500, currency: 'eur' };
  const reinstated = { fee: 0, amount: 2_500, currency: 'eur' };
  it.each([
    ['prevented and the charity paid', 'prevented', [withdrawn], 'lost'],
    ['prevented and the charity did not pay', 'prevented', [], 'won'],
    ['appealed while the bank has the money', 'appeal_under_review', [withdrawn], 'lost'],
    ['appealed after the money came back', 'appeal_needs_response', [withdrawn, reinstated], 'open'],
  ])('decides by the movements of money for a dispute that is %s (%s)', (_, status, movements, standing) => {
    expect(dispute({ status, balance_transactions: movements })[0]).toMatchObject({ status: standing });
  });

  it('marks an appealed dispute and an unknown status', () => {
    expect(dispute({ status: 'appeal_under_review' })[0]).toMatchObject({ isAppeal: true });
    expect(dispute({ status: 'something_new' })[0]).toMatchObject({ isUnknown: true });
    for (const status of ['lost', 'under_review']) {
      expect(dispute({ status })[0]).not.toHaveProperty('isAppeal');
      expect(dispute({ status })[0]).not.toHaveProperty('isUnknown');
    }
  });
});

describe('the used types of Stripe events', () => {
  it('fit into one list request to Stripe', () => {
    expect(USED_EVENTS.length).toBeLessThanOrEqual(20);
  });
});
