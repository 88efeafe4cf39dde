import * as z from 'zod';
import { MissingRightError } from '../provider-errors.js';
import type { ProviderBalance } from '../provider-port.js';
import { fromPayPalMoney } from './paypal-amounts.js';
import type { PayPalClient } from './paypal-client.js';

const money = z.object({ currency_code: z.string(), value: z.string() });
const balancesSchema = z.object({
  balances: z.array(z.object({ total_balance: money, available_balance: money.nullish() })).nullish(),
});

/**
 * Returns the balance of the account; undefined if the application lacks the feature "Transaction search". PayPal updates the
 * balance up to three hours late.
 */
export async function payPalBalance(client: PayPalClient): Promise<ProviderBalance[] | undefined> {
  try {
    const answer = await client.get('/v1/reporting/balances', balancesSchema);
    return (answer?.balances ?? []).map(({ total_balance, available_balance }) => {
      const { amount: total, currency } = fromPayPalMoney(total_balance);
      // If PayPal omits this field, the whole balance is available.
      const available = available_balance ? fromPayPalMoney(available_balance).amount : total;
      return { currency, available, pending: total - available };
    });
  } catch (error) {
    if (error instanceof MissingRightError) return undefined;
    throw error;
  }
}
