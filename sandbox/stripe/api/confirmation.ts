import { DAY_MS } from '../../common/clock.js';
import type { StripeAccount } from '../account.js';
import { openDispute } from '../disputes.js';
import { StripeError } from '../errors.js';
import { beginAttempt, declineIntent, payIntent, type PayOptions, processIntent } from '../intents.js';
import {
  giveInstructions,
  instructionsOf,
  issueVoucher,
  requireAuthentication,
  VOUCHER_KINDS,
} from '../next-actions.js';
import type { PaymentIntent } from '../objects.js';
import { byMethod, byNumber, type CardOutcome } from '../test-cards.js';
import { optionalText } from './call.js';
import { fieldOf, type Form, textOf } from './form.js';

/**
 * Confirms an intent with a card, a test method or a slow method. The card number or the name of the method
 * determines the result.
 */
export function confirmIntent(
  account: StripeAccount,
  intent: PaymentIntent,
  form: Form,
  decline: boolean,
): void {
  beginAttempt(intent);
  const type = textOf(form.payment_method_data, 'type') ?? 'card';
  const voucher = VOUCHER_KINDS.find((kind) => kind === type);
  const instructions = instructionsOf(type);
  if (voucher) {
    issueVoucher(account, intent, voucher);
  } else if (instructions) {
    giveInstructions(account, intent, { kind: instructions });
  } else if (type !== 'card') {
    processIntent(account, intent, type);
  } else {
    const outcome: CardOutcome = decline
      ? { kind: 'declines', declineCode: 'generic_decline' }
      : cardOutcome(form);
    if (outcome.kind === 'pays') payIntent(account, intent, walletOf(form));
    else payByCard(account, intent, outcome, optionalText(form, 'return_url') ?? null);
  }
}

function cardOutcome(form: Form): CardOutcome {
  const number = textOf(fieldOf(form.payment_method_data, 'card'), 'number');
  if (number !== undefined) return byNumber(number);
  return byMethod(optionalText(form, 'payment_method') ?? '');
}

/** A wallet sends the token of its card and the billing details. */
function walletOf(form: Form): PayOptions {
  const wallet = textOf(fieldOf(form.payment_method_data, 'card'), 'token')?.replace('tok_', '');
  if (wallet !== 'apple_pay' && wallet !== 'google_pay' && wallet !== 'link') return {};
  const billing = fieldOf(form.payment_method_data, 'billing_details');
  const [name, email] = [textOf(billing, 'name'), textOf(billing, 'email')];
  return { payer: { wallet, ...(name !== undefined && { name }), ...(email !== undefined && { email }) } };
}

function payByCard(
  account: StripeAccount,
  intent: PaymentIntent,
  outcome: Exclude<CardOutcome, { kind: 'pays' }>,
  returnUrl: string | null,
): void {
  switch (outcome.kind) {
    case 'disputed':
      payIntent(account, intent);
      disputeNextDay(account, intent);
      return;
    case 'processes':
      processIntent(account, intent);
      return;
    case 'authenticates':
      requireAuthentication(account, intent, returnUrl);
      return;
    case 'invalid':
      throw cardError({ code: outcome.code, message: outcome.message, param: 'number' });
    case 'declines':
      declineIntent(account, intent, outcome.declineCode);
      throw cardError({
        code: 'card_declined',
        decline_code: outcome.declineCode,
        message: 'Your card was declined.',
        charge: intent.latest_charge ?? '',
        payment_intent: structuredClone(intent),
      });
  }
}

function disputeNextDay(account: StripeAccount, intent: PaymentIntent): void {
  account.clock.plan(DAY_MS, () => {
    const charge = account.charges.get(intent.latest_charge ?? '');
    if (charge && !charge.disputed && !charge.refunded) openDispute(account, charge);
  });
}

function cardError(fields: Omit<ConstructorParameters<typeof StripeError>[1], 'type'>): StripeError {
  return new StripeError(402, { type: 'card_error', ...fields });
}
