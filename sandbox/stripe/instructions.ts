import type { StripeAccount } from './account.js';
import { awaitDonor } from './actions.js';
import { declineIntent, unexpectedState } from './intents.js';
import type { NextAction, PaymentIntent } from './objects.js';

const DAY = 24 * 3600;

export const INSTRUCTION_KINDS = ['microdeposits', 'bank_transfer', 'pix', 'swish'] as const;
export type InstructionKind = (typeof INSTRUCTION_KINDS)[number];

export interface NewInstructions {
  kind: InstructionKind;
  /** Of codes; micro-deposits and bank transfers name no end. */
  expiresInDays?: number;
  /** Minor units that came by bank transfer so far; the rest is still to come. */
  received?: number;
}

/** What each kind is confirmed with. */
const METHODS: Readonly<Record<InstructionKind, string>> = {
  microdeposits: 'us_bank_account',
  bank_transfer: 'customer_balance',
  pix: 'pix',
  swish: 'swish',
};

export const instructionsOf = (method: string): InstructionKind | undefined =>
  INSTRUCTION_KINDS.find((kind) => kind !== 'microdeposits' && METHODS[kind] === method);

/** The donor knows how to pay and does so later: `pay`, `process`, `failVerification` or `expireVoucher` ends it. */
export function giveInstructions(
  account: StripeAccount,
  intent: PaymentIntent,
  wanted: NewInstructions,
): PaymentIntent {
  return awaitDonor(account, intent, METHODS[wanted.kind], nextAction(account, intent, wanted));
}

/** The donor did not say within ten days how much the two small deposits were. */
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
