import type { BalancesDto } from '../../../src/payments/payouts/dto/balances.dto.js';
import { Failed } from '../../desk/states.js';
import { money, t, time, word } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import { useQuery } from '../api/query.js';

/** Money that the payment providers still hold, for all events together. An unknown balance is never shown as zero. */
export function HeldByProviders() {
  const { data, error, reload } = useQuery<BalancesDto>('/payouts/balance');
  if (isMissingRoute(error) || data?.data.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="held">
      <h2 class="panel__title" id="held">
        {t('closing.held')}
      </h2>
      <p class="field__hint">{t('closing.heldHint')}</p>
      {error && !data && <Failed error={error} retry={reload} />}
      {!data && !error && <p class="lines__meta">{t('closing.heldChecking')}</p>}
      <ul class="lines">
        {data?.data.map(({ provider, state, balances, asOf }) =>
          state !== 'known' ? (
            <li key={provider} class="lines__row">
              <span>
                {word('provider', provider)}
                <br />
                <span class="lines__meta">{t(`closing.held.${state}`)}</span>
              </span>
              {state === 'unavailable' && (
                <button type="button" class="linkbutton" onClick={reload}>
                  {t('action.retry')}
                </button>
              )}
            </li>
          ) : (
            <li key={provider} class="lines__row">
              <span>
                {word('provider', provider)}
                <br />
                <span class="lines__meta">{asOf && t('live.asOf', { time: time(asOf) })}</span>
              </span>
              <span class="held__amounts">
                {balances.length === 0 && t('closing.held.empty')}
                {balances.map(({ currency, available, pending }) => (
                  <span key={currency}>
                    <strong class="number">{money(available, currency)}</strong> {t('closing.held.available')}
                    {pending !== 0 && (
                      <>
                        <br />
                        <span class="number">{money(pending, currency)}</span> {t('closing.held.pending')}
                      </>
                    )}
                  </span>
                ))}
              </span>
            </li>
          ),
        )}
      </ul>
    </section>
  );
}
