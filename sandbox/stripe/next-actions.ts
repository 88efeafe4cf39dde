import { digits } from '../common/ids.js';
import type { StripeAccount } from './account.js';
import { declineIntent, unexpectedState } from './intents.js';
import type { NextAction, PaymentIntent } from './objects.js';

const DAY = 24 * 3600;

export const VOUCHER_KINDS = ['multibanco', 'oxxo', 'boleto', 'konbini'] as const;
export type VoucherKind = (typeof VOUCHER_KINDS)[number];

/** Requires 3-D Secure. The page of the bank is a page of the sandbox, which returns the donor to `returnUrl`. */
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

/** Declines the payment, because the donor failed the authentication or left the bank's page. */
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

/** Creates a voucher. The donor pays the voucher at a shop or a cash machine, perhaps days later or never. */
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

/** Declines the payment, because the voucher expired unpaid. */
export function expireVoucher(account: StripeAccount, intent: PaymentIntent): PaymentIntent {
  if (intent.status !== 'requires_action') throw unexpectedState(intent, 'expire');
  return declineIntent(account, intent, 'expired', {
    code: 'payment_intent_payment_attempt_expired',
    doc_url: 'https://docs.stripe.com/error-codes/payment-intent-payment-attempt-expired',
    message: 'The latest payment attempt for the PaymentIntent has expired.',
    type: 'invalid_request_error',
  });
}

/** Sets `requires_action`: the donor must act next. */
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

export const INSTRUCTION_KINDS = ['microdeposits', 'bank_transfer', 'pix', 'swish'] as const;
export type InstructionKind = (typeof INSTRUCTION_KINDS)[number];

export interface NewInstructions {
  kind: InstructionKind;
  /** Only for codes. Micro-deposits and bank transfers do not expire. */
  expiresInDays?: number;
  /** Amount received by bank transfer so far, in minor units. */
  received?: number;
}

/** Payment method that confirms each kind. */
const METHODS: Readonly<Record<InstructionKind, string>> = {
  microdeposits: 'us_bank_account',
  bank_transfer: 'customer_balance',
  pix: 'pix',
  swish: 'swish',
};

export const instructionsOf = (method: string): InstructionKind | undefined =>
  INSTRUCTION_KINDS.find((kind) => kind !== 'microdeposits' && METHODS[kind] === method);

/**
 * Creates payment instructions for the donor, who pays later. The status is `requires_action` until `pay`, `process`,
 * `failVerification` or `expireVoucher`.
 */
export function giveInstructions(
  account: StripeAccount,
  intent: PaymentIntent,
  wanted: NewInstructions,
): PaymentIntent {
  return awaitDonor(account, intent, METHODS[wanted.kind], nextAction(account, intent, wanted));
}

/** Declines the payment, because the donor did not confirm the two small deposits within ten days. */
export function failVerification(account: StripeAccount, intent: PaymentIntent): PaymentIntent {
  if (intent.status !== 'requires_action') throw unexpectedState(intent, 'verify');
  return declineIntent(account, intent, undefined, {
    code: 'payment_method_microdeposit_verification_timeout',
    decline_code: undefined,
    doc_url: 'https://docs.stripe.com/error-codes/payment-method-microdeposit-verification-timeout',
    message: 'Microdeposit verification timed out.',
    type: 'invalid_request_error',
  });
}

function nextAction(
  account: StripeAccount,
  intent: PaymentIntent,
  { kind, expiresInDays = 1, received = 0 }: NewInstructions,
): NextAction {
  const now = account.seconds();
  const expires = now + expiresInDays * DAY;
  const page = `${account.baseUrl}/voucher/${intent.id}`;
  const image = { image_url_png: `${page}.png`, image_url_svg: `${page}.svg` };
  switch (kind) {
    case 'microdeposits':
      return {
        type: 'verify_with_microdeposits',
        verify_with_microdeposits: {
          arrival_date: now + 2 * DAY,
          hosted_verification_url: page,
          microdeposit_type: 'descriptor_code',
        },
      };
    case 'bank_transfer':
      return {
        type: 'display_bank_transfer_instructions',
        display_bank_transfer_instructions: {
          amount_remaining: intent.amount - received,
          currency: intent.currency,
          financial_addresses: [],
          hosted_instructions_url: page,
          reference: 'SANDBOX1234',
          type: 'eu_bank_transfer',
        },
      };
    case 'pix':
      return {
        type: 'pix_display_qr_code',
        pix_display_qr_code: {
          data: '00020101021226',
          expires_at: expires,
          hosted_instructions_url: page,
          ...image,
        },
      };
    case 'swish':
      return {
        type: 'swish_handle_redirect_or_display_qr_code',
        swish_handle_redirect_or_display_qr_code: {
          hosted_instructions_url: page,
          mobile_auth_url: page,
          qr_code: { data: page, expires_at: expires, ...image },
        },
      };
  }
}
