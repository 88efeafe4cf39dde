import { describe, expect, it } from '@jest/globals';
import type Stripe from 'stripe';
import { underWay } from './stripe-under-way.js';

const CREATED = 1_795_000_000;
const END = CREATED + 7 * 24 * 3600;

const waits = (next_action: object | null) =>
  underWay({
    amount: 1_000,
    created: CREATED,
    next_action: next_action as Stripe.PaymentIntent.NextAction | null,
  });
const until = (seconds: number) => ({ until: new Date(seconds * 1000) });

describe('underWay() for Stripe', () => {
  it.each([
    ['multibanco_display_details', { expires_at: END }],
    ['oxxo_display_details', { expires_after: END }],
    ['pix_display_qr_code', { expires_at: END }],
    ['klarna_display_qr_code', { data: 'x', expires_at: END }],
    ['swish_handle_redirect_or_display_qr_code', { qr_code: { expires_at: END } }],
    ['cashapp_handle_redirect_or_display_qr_code', { qr_code: { expires_at: END } }],
    ['card_await_notification', { charge_attempt_at: END }],
    ['a_kind_of_next_year', { expires_at: END }],
  ])('a payment with the next action %s is in progress until the end that Stripe names', (type, details) => {
    expect(waits({ type, [type]: details })).toEqual(until(END));
  });

  it('a payment by micro-deposits is in progress until Stripe ends it', () => {
    const details = { arrival_date: END, hosted_verification_url: 'https://example.org' };
    expect(waits({ type: 'verify_with_microdeposits', verify_with_microdeposits: details })).toEqual({});
  });

  it('a bank transfer is in progress for thirty days, and without end after a part has arrived', () => {
    const transfer = (amount_remaining: number | null) =>
      waits({
        type: 'display_bank_transfer_instructions',
        display_bank_transfer_instructions: { amount_remaining },
      });
    const thirtyDays = until(CREATED + 30 * 24 * 3600);
    expect(transfer(1_000)).toEqual(thirtyDays);
    expect(transfer(null)).toEqual(thirtyDays);
    expect(transfer(999)).toEqual({});
  });

  it('a voucher without an end is in progress until Stripe ends it', () => {
    expect(waits({ type: 'konbini_display_details', konbini_display_details: { expires_at: null } })).toEqual(
      {},
    );
    expect(waits({ type: 'new_display_details' })).toEqual({});
    expect(waits({ type: 'x_display_details', x_display_details: { expires_at: 'soon' } })).toEqual({});
  });

  it.each(['redirect_to_url', 'use_stripe_sdk', 'alipay_handle_redirect', 'blik_authorize'])(
    'a payment with the next action %s ends when the donor closes the page',
    (type) => {
      expect(waits({ type, [type]: { url: 'https://example.org' } })).toBeUndefined();
      expect(waits({ type, [type]: null })).toBeUndefined();
    },
  );

  it('an intent without a next action is not in progress', () => {
    expect(waits(null)).toBeUndefined();
  });
});
