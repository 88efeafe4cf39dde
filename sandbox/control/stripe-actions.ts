import { WALLETS } from '../stripe/methods.js';
import { INSTRUCTION_KINDS, VOUCHER_KINDS } from '../stripe/next-actions.js';
import { Controls } from './controls.js';
import { type Action, choice, ControlError, days, isCount, type Options, typed } from './options.js';

/** Stripe controls: actions of donors, their banks, the card networks and dashboard users. */
export function stripeActions({ stripe }: Controls): Record<string, Action> {
  return {
    'stripe/pay': (id, { method, wallet, ...options }) =>
      stripe.pay(id, {
        ...typed(options),
        ...(typeof method === 'string' && { method }),
        ...(wallet !== undefined && { wallet: choice(wallet, WALLETS, 'wallet') }),
      }),
    'stripe/decline': (id, options) => stripe.decline(id, typed(options)),
    'stripe/process': (id, { method }) => stripe.process(id, typeof method === 'string' ? { method } : {}),
    'stripe/require-authentication': (id, { returnUrl }) =>
      stripe.requireAuthentication(id, typeof returnUrl === 'string' ? { returnUrl } : {}),
    'stripe/fail-authentication': (id) => stripe.failAuthentication(id),
    'stripe/confirm-setup': (id, { number }) =>
      stripe.confirmSetup(id, { number: typeof number === 'string' ? number : '4242424242424242' }),
    'stripe/authenticate-setup': (id) => stripe.authenticateSetup(id),
    'stripe/fail-setup': (id) => stripe.failSetup(id),
    'stripe/issue-voucher': (id, { kind, expiresInDays }) =>
      stripe.issueVoucher(id, {
        kind: choice(kind ?? 'multibanco', VOUCHER_KINDS, 'kind'),
        ...days({ expiresInDays }),
      }),
    'stripe/expire-voucher': (id) => stripe.expireVoucher(id),
    'stripe/change-account': () => {
      stripe.changeAccount();
    },
    'stripe/change-account-back': () => {
      stripe.changeAccountBack();
    },
    'stripe/cancel': (id, options) => stripe.cancel(id, typed(options)),
    'stripe/expire': (id) => stripe.expire(id),
    'stripe/create-intent': (_, options) => stripe.createIntent(newIntent(options)),
    'stripe/create-paid': (_, options) => stripe.createPaid(newIntent(options)),
    'stripe/refund': (id, options) =>
      stripe.refund(id, { ...typed(options), requiresAction: options.requiresAction === true }),
    'stripe/settle-refund': (id) => stripe.settleRefund(id),
    'stripe/fail-refund': (id, options) => stripe.failRefund(id, typed(options)),
    'stripe/give-instructions': (id, { kind, expiresInDays, received }) =>
      stripe.giveInstructions(id, {
        kind: choice(kind, INSTRUCTION_KINDS, 'kind'),
        ...days({ expiresInDays }),
        ...(isCount(received) && { received }),
      }),
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
  };
}

function newIntent({ amount, currency, metadata }: Options) {
  if (!isCount(amount) || typeof currency !== 'string')
    throw new ControlError('amount and currency are required');
  return { amount, currency: currency.toLowerCase(), metadata: textFields(metadata) };
}

function textFields(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, String(field)]));
}

function amountOf(options: Options): { amount?: number } {
  const { amount } = typed(options);
  return amount === undefined ? {} : { amount };
}
