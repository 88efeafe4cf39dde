import type { StripeAccount } from '../account.js';
import { invalidParameter } from '../errors.js';
import type { Payout } from '../objects.js';
import { type Add, onlyKnown, optionalText } from './call.js';
import { expand, page, PAGING } from './lists.js';

/** Throws an error for a manual payout, because Stripe lists only the items of automatic payouts. */
function listable({ automatic }: Payout): void {
  if (automatic) return;
  throw invalidParameter(
    'payout',
    'Balance transaction history can only be filtered on automatic transfers, not manual.',
  );
}

/** Routes of the balance: its transactions with their fees. */
export function addBalanceRoutes(account: StripeAccount, add: Add): void {
  add('GET', '/v1/balance_transactions/:id', 'balance_transactions.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.movement(params.id ?? ''), form);
  });

  add('GET', '/v1/balance_transactions', 'balance_transactions.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'currency', 'payout', 'source', 'type']);
    const wanted = ['currency', 'source', 'type'].flatMap((name) => {
      const value = optionalText(form, name);
      return value === undefined ? [] : [{ name, value }];
    });
    const payout = optionalText(form, 'payout');
    if (payout !== undefined) listable(account.payout(payout));
    const rows = [...account.balance.values()].filter(
      (row) =>
        wanted.every(({ name, value }) => row[name] === value) &&
        (payout === undefined || account.paidOut.get(row.id) === payout),
    );
    return expand(account, page(rows, form, '/v1/balance_transactions'), form);
  });
}

/**
 * Adds the route of the account's balance. Money is pending until `available_on`, and available from then on.
 * Money that was paid out is not included.
 */
export function addAccountBalanceRoute(account: StripeAccount, add: Add): void {
  add('GET', '/v1/balance', 'balance.retrieve', ({ form }) => {
    onlyKnown(form, []);
    const held = [...account.balance.values()].filter(({ id }) => !account.paidOut.has(id));
    const currencies = [...new Set(held.map(({ currency }) => currency))].sort();
    const sums = (isAvailable: boolean) =>
      (currencies.length === 0 ? ['eur'] : currencies).map((currency) => {
        const amount = held
          .filter(
            (one) =>
              one.currency === currency && Number(one.available_on) <= account.seconds() === isAvailable,
          )
          .reduce((sum, { net }) => sum + net, 0);
        return { amount, currency, source_types: { card: amount } };
      });
    return { object: 'balance', available: sums(true), livemode: false, pending: sums(false) };
  });
}

export function addPayoutRoutes(account: StripeAccount, add: Add): void {
  add('GET', '/v1/payouts/:id', 'payouts.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.payout(params.id ?? ''), form);
  });

  add('GET', '/v1/payouts', 'payouts.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'arrival_date', 'status']);
    const status = optionalText(form, 'status');
    const rows = [...account.payouts.values()].filter((row) => (status ?? row.status) === row.status);
    return expand(account, page(rows, form, '/v1/payouts'), form);
  });
}
