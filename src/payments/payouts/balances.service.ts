import { Injectable, Logger } from '@nestjs/common';
import { answerCache } from '../../common/caching/answer-cache.js';
import { within } from '../../common/concurrency/within.js';
import { toJsonAmount } from '../../common/money/money.js';
import { PaymentProviders } from '../providers/payment-providers.js';
import type { PaymentProvider } from '../providers/provider-port.js';
import type { BalancesDto, BalanceState } from './dto/balances.dto.js';

type Balance = BalancesDto['data'][number];

const KEPT_MS = 60_000;
/**
 * Lifetime of a failed answer. It is shorter than for other answers, but long enough that not every view of
 * the page causes a request.
 */
const FAILED_KEPT_MS = 5_000;
/** Maximum wait for the answer of a provider, so that a provider that hangs does not block the page. */
const PATIENCE_MS = 8_000;

/** The balances of the providers' accounts, for all events together. Providers are asked at most once a minute. */
@Injectable()
export class Balances {
  private readonly logger = new Logger(Balances.name);
  private readonly answers = answerCache<string, Balance, PaymentProvider>(
    { max: 10, keptMs: KEPT_MS },
    async (_name, { context, keepFor }) => {
      const balance = await this.ask(context);
      if (balance.state === 'unavailable') keepFor(FAILED_KEPT_MS);
      return balance;
    },
  );

  constructor(private readonly providers: PaymentProviders) {}

  async all(): Promise<BalancesDto> {
    const data = await Promise.all(
      this.providers.all.map(async (provider) => {
        const balance = await this.answers.fetch(provider.name, { context: provider });
        return balance ?? without(provider, 'unavailable');
      }),
    );
    return { data };
  }

  private async ask(provider: PaymentProvider): Promise<Balance> {
    if (!provider.balance) return without(provider, 'not_offered');
    try {
      const balances = await within(PATIENCE_MS, provider.balance());
      if (!balances) return without(provider, 'not_permitted');
      return {
        provider: provider.name,
        state: 'known',
        balances: balances.map(({ currency, available, pending }) => ({
          currency,
          available: toJsonAmount(available),
          pending: toJsonAmount(pending),
        })),
        asOf: new Date().toISOString(),
      };
    } catch (error) {
      this.logger.warn({ msg: 'Cannot read the balance', provider: provider.name, err: error as Error });
      return without(provider, 'unavailable');
    }
  }
}

const without = (provider: PaymentProvider, state: BalanceState): Balance => ({
  provider: provider.name,
  state,
  balances: [],
  asOf: null,
});
