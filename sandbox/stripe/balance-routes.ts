import type { StripeAccount } from './account.js';
import { expand, page, PAGING } from './lists.js';
import { onlyKnown, optionalText } from './params.js';
import type { Add } from './routes.js';

/** The account's balance, movement by movement, with the fees. */
export function addBalanceRoutes(account: StripeAccount, add: Add): void {
  add('GET', '/v1/balance_transactions/:id', 'balance_transactions.retrieve', ({ params, form }) => {
    onlyKnown(form, []);
    return expand(account, account.movement(params.id ?? ''), form);
  });

  add('GET', '/v1/balance_transactions', 'balance_transactions.list', ({ form }) => {
    onlyKnown(form, [...PAGING, 'currency', 'source', 'type']);
    const wanted = ['currency', 'source', 'type'].flatMap((name) => {
      const value = optionalText(form, name);
      return value === undefined ? [] : [{ name, value }];
    });
    const rows = [...account.balance.values()].filter((row) =>
      wanted.every(({ name, value }) => row[name] === value),
    );
    return expand(account, page(rows, form, '/v1/balance_transactions'), form);
  });
}
