import { randomInt } from 'node:crypto';
import type { StripeAccount } from './account.js';
import { declineIntent, unexpectedState } from './intents.js';
import type { NextAction, PaymentIntent } from './objects.js';

const DAY = 24 * 3600;

export type VoucherKind = 'multibanco' | 'oxxo' | 'boleto' | 'konbini';
export const VOUCHER_KINDS: readonly VoucherKind[] = ['multibanco', 'oxxo', 'boleto', 'konbini'];

/** The bank wants to see the donor: 3-D Secure on a page of the sandbox, which leads back to `returnUrl`. */
export function requireAuthentication(
  account: StripeAccount,
  intent: PaymentIntent,
  returnUrl: string | null = null,
): PaymentIntent {
  const url = `${account.baseUrl}/3ds/${intent.id}`;
  return awaitDonor(account, intent, 'card', {
    type: 'redirect_to_url',
    redirect_to_url: { return_url: returnUrl, url },
  });
}

/** The donor was not who they said, or gave up at the bank's page. */
export function failAuthentication(account: StripeAccount, intent: PaymentIntent): PaymentIntent {
  if (intent.status !== 'requires_action') throw unexpectedState(intent, 'authenticate');
  return declineIntent(account, intent, 'authentication_failed', {
    code: 'payment_intent_authentication_failure',
    doc_url: 'https://docs.stripe.com/error-codes/payment-intent-authentication-failure',
    message:
      'The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new ' +
      'PaymentMethod to attempt to fulfill this PaymentIntent again.',
    type: 'invalid_request_error',
  });
}

/** The donor took a slip to pay at a shop or a cash machine, some days from now or never. */
export function issueVoucher(
  account: StripeAccount,
  intent: PaymentIntent,
  kind: VoucherKind,
  expiresInDays = 3,
): PaymentIntent {
  const expires = account.seconds() + expiresInDays * DAY;
  const page = { hosted_voucher_url: `${account.baseUrl}/voucher/${intent.id}` };
  return awaitDonor(account, intent, kind, {
    type: `${kind}_display_details`,
    [`${kind}_display_details`]: { ...page, ...slip(kind, expires) },
  });
}

/** Nobody paid the slip in time. */
export function expireVoucher(account: StripeAccount, intent: PaymentIntent): PaymentIntent {
  if (intent.status !== 'requires_action') throw unexpectedState(intent, 'expire');
  return declineIntent(account, intent, 'expired', {
    code: 'payment_intent_payment_attempt_expired',
    doc_url: 'https://docs.stripe.com/error-codes/payment-intent-payment-attempt-expired',
    message: 'The latest payment attempt for the PaymentIntent has expired.',
    type: 'invalid_request_error',
  });
}

/** `requires_action`: what comes next is the donor's. */
export function awaitDonor(
  account: StripeAccount,
  intent: PaymentIntent,
  method: string,
  action: NextAction,
): PaymentIntent {
  if (intent.status !== 'requires_payment_method') throw unexpectedState(intent, 'confirm');
  intent.status = 'requires_action';
  intent.next_action = action;
  intent.last_payment_error = null;
  if (!intent.payment_method_types.includes(method)) intent.payment_method_types.push(method);
  account.emit('payment_intent.requires_action', intent);
  return intent;
}

function slip(kind: VoucherKind, expires: number): Record<string, unknown> {
  switch (kind) {
    case 'multibanco':
      return { entity: '11249', reference: digits(9), expires_at: expires };
    case 'oxxo':
      return { number: digits(24), expires_after: expires };
    case 'boleto':
      return { number: digits(47), expires_at: expires, pdf: null };
    case 'konbini':
      return { expires_at: expires, stores: null };
  }
}

function digits(count: number): string {
  return Array.from({ length: count }, () => String(randomInt(10))).join('');
}
