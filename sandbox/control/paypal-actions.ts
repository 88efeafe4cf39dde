import { CERTIFICATE_KINDS } from '../paypal/certificates.js';
import { DISPUTE_OUTCOMES, DISPUTE_STAGES, DISPUTE_STATUSES, PENDING_REASONS } from '../paypal/objects.js';
import { Controls } from './controls.js';
import { type Action, choice, ControlError, days, isCount, type Options, typed } from './options.js';

/** PayPal controls: actions of donors, their banks and dashboard users. */
export function paypalActions({ paypal }: Controls): Record<string, Action> {
  return {
    'paypal/approve': (id, { source }) => paypal.approve(id, typeof source === 'string' ? { source } : {}),
    'paypal/capture': (id, options) => paypal.capture(id, typed(options)),
    'paypal/capture-again': (id, options) => paypal.captureAgain(id, typed(options)),
    'paypal/hide': (id, { status }) => {
      paypal.hide(id, { status: choice(status ?? 404, [403, 404] as const, 'status') });
    },
    'paypal/reveal': (id) => {
      paypal.reveal(id);
    },
    'paypal/keep-refusals': (_, { keep }) => {
      paypal.keepRefusals(keep !== false);
    },
    'paypal/complete-capture': (id) => paypal.completeCapture(id),
    'paypal/deny-capture': (id) => paypal.denyCapture(id),
    'paypal/void': (id) => paypal.void(id),
    'paypal/forget': (id) => {
      paypal.forget(id);
    },
    'paypal/create-approved-order': (_, options) => paypal.createApprovedOrder(ownOrder(options)),
    'paypal/create-captured-order': (_, options) => paypal.createCapturedOrder(ownOrder(options)),
    'paypal/refund': (id, options) => paypal.refund(id, typed(options)),
    'paypal/settle-refund': (id) => paypal.settleRefund(id),
    'paypal/fail-refund': (id) => paypal.failRefund(id),
    'paypal/reverse': (id, options) => paypal.reverse(id, typed(options)),
    'paypal/revoke-tokens': () => {
      paypal.revokeTokens();
    },
    'paypal/use-certificate': (kind) => {
      paypal.useCertificate(choice(kind, CERTIFICATE_KINDS, 'certificate'));
    },
    'paypal/on-capture': (id, { outcome, reason }) =>
      paypal.onCapture(id, {
        outcome: choice(outcome, ['complete', 'pending', 'decline'] as const, 'outcome'),
        ...(reason !== undefined && { reason: choice(reason, PENDING_REASONS, 'reason') }),
      }),
    'paypal/hold-capture': (id, { reason }) =>
      paypal.holdCapture(id, { reason: choice(reason, PENDING_REASONS, 'reason') }),
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

function ownOrder({ amount, currency, custom_id, merchantId }: Options) {
  if (!isCount(amount) || typeof currency !== 'string')
    throw new ControlError('amount and currency are required');
  return {
    amount,
    currency,
    ...(typeof custom_id === 'string' && { custom_id }),
    ...(typeof merchantId === 'string' && { merchantId }),
  };
}
