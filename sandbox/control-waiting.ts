import { choice, days, isCount } from './control-options.js';
import { PENDING_REASONS } from './paypal/objects.js';
import type { Sandbox } from './server.js';
import { INSTRUCTION_KINDS } from './stripe/instructions.js';

type Action = (target: string, options: Record<string, unknown>) => unknown;

/** Controls of what takes days: payments that donors complete later, and what comes back. */
export function waitingActions({ stripe, paypal }: Sandbox): Record<string, Action> {
  return {
    'stripe/give-instructions': (id, { kind, expiresInDays, received }) =>
      stripe.giveInstructions(id, {
        kind: choice(kind, INSTRUCTION_KINDS, 'kind'),
        ...days({ expiresInDays }),
        ...(isCount(received) && { received }),
      }),
    'paypal/on-capture': (id, { outcome, reason }) =>
      paypal.onCapture(id, {
        outcome: choice(outcome, ['complete', 'pending', 'decline'] as const, 'outcome'),
        ...(reason !== undefined && { reason: choice(reason, PENDING_REASONS, 'reason') }),
      }),
    'paypal/hold-capture': (id, { reason }) =>
      paypal.holdCapture(id, { reason: choice(reason, PENDING_REASONS, 'reason') }),
    'stripe/warn-of-fraud': (id, { fraudType }) =>
      stripe.warnOfFraud(id, typeof fraudType === 'string' ? { fraudType } : {}),
    'stripe/cancel-refund': (id) => stripe.cancelRefund(id),
    'stripe/pay-out': (_, { currency, manual, itemizedLater, arrivesInDays }) =>
      stripe.payOut({
        ...(typeof currency === 'string' && { currency: currency.toLowerCase() }),
        ...(manual === true && { manual }),
        ...(itemizedLater === true && { itemizedLater }),
        ...days({ arrivesInDays }),
      }),
    'stripe/itemize-payout': (id) => stripe.itemizePayout(id),
    'stripe/fail-verification': (id) => stripe.failVerification(id),
  };
}
