import { choice, days, typed } from './control-options.js';
import { DISPUTE_OUTCOMES, DISPUTE_STAGES, DISPUTE_STATUSES } from './paypal/dispute-words.js';
import type { Sandbox } from './server.js';

type Options = Record<string, unknown>;
type Action = (target: string, options: Options) => unknown;

/** What banks, card networks and PayPal do about a payment that is disputed. */
export function disputeActions({ stripe, paypal }: Sandbox): Record<string, Action> {
  return {
    'stripe/escalate-dispute': (id, { dueInDays }) => stripe.escalateDispute(id, days({ dueInDays })),
    'stripe/submit-evidence': (id) => stripe.submitEvidence(id),
    'stripe/update-dispute': (id, { reason, dueInDays }) =>
      stripe.updateDispute(id, { ...(typeof reason === 'string' && { reason }), ...days({ dueInDays }) }),
    'stripe/open-dispute': (id, options) =>
      stripe.openDispute(id, { ...typed(options), ...days({ dueInDays: options.dueInDays }) }),
    'stripe/reopen-dispute': (id, { dueInDays }) => stripe.reopenDispute(id, days({ dueInDays })),
    'stripe/appeal-dispute': (id, { dueInDays }) => stripe.appealDispute(id, days({ dueInDays })),
    'stripe/prevent-dispute': (id, options) =>
      stripe.preventDispute(id, { ...amountOf(options), block: options.block === true }),
    'stripe/win-dispute': (id) => stripe.winDispute(id),
    'stripe/lose-dispute': (id) => stripe.loseDispute(id),
    'paypal/open-dispute': (id, options) =>
      paypal.openDispute(id, {
        ...typed(options),
        ...days({ dueInDays: options.dueInDays }),
        ...(options.stage !== undefined && { stage: choice(options.stage, DISPUTE_STAGES, 'stage') }),
      }),
    'paypal/escalate-dispute': (id, { stage, dueInDays }) =>
      paypal.escalateDispute(id, {
        ...(stage !== undefined && { stage: choice(stage, DISPUTE_STAGES, 'stage') }),
        ...days({ dueInDays }),
      }),
    'paypal/change-dispute': (id, { status, reason, dueInDays }) =>
      paypal.changeDispute(id, {
        ...(status !== undefined && { status: choice(status, DISPUTE_STATUSES, 'status') }),
        ...(typeof reason === 'string' && { reason }),
        ...days({ dueInDays }),
      }),
    'paypal/reopen-dispute': (id, { status, dueInDays }) =>
      paypal.reopenDispute(id, {
        ...(status !== undefined && { status: choice(status, DISPUTE_STATUSES, 'status') }),
        ...days({ dueInDays }),
      }),
    'paypal/resolve-dispute': (id, { outcome }) =>
      paypal.resolveDispute(id, { outcome: choice(outcome, DISPUTE_OUTCOMES, 'outcome') }),
  };
}

function amountOf(options: Options): { amount?: number } {
  const { amount } = typed(options);
  return amount === undefined ? {} : { amount };
}
