import { MERCHANT_ID, type PayPalAccount } from '../account.js';
import { paypalPayments } from '../ledger.js';
import { money } from '../money.js';
import type { Add } from './call.js';

/**
 * Adds the route of the account's balances: the paid amounts less refunds, reversals and fees. The sandbox
 * withholds no money.
 */
export function addBalanceRoutes(account: PayPalAccount, add: Add): void {
  add('GET', '/v1/reporting/balances', 'balances.get', () => {
    const held = new Map<string, number>();
    for (const { currency, held: amount } of paypalPayments(account))
      held.set(currency, (held.get(currency) ?? 0) + amount);
    const time = account.clock.timestamp(-account.searchLagMs);
    return {
      status: 200,
      body: {
        balances: [...held].map(([currency, amount], index) => ({
          currency,
          primary: index === 0,
          total_balance: money(amount, currency),
          available_balance: money(amount, currency),
          withheld_balance: money(0, currency),
        })),
        account_id: MERCHANT_ID,
        as_of_time: time,
        last_refresh_time: time,
      },
    };
  });
}
