import type { TonightDto } from '../../../../src/reporting/evening/dto/tonight.dto.js';
import { Empty, Failed, Skeleton } from '../../../desk/states.js';
import { ago, money, t, tn } from '../../../desk/texts.js';
import { isMissingRoute } from '../../api/errors.js';
import type { Query } from '../../api/query.js';
import { href } from '../../router.js';

/** The members at the tills, with their sums. */
export function People({
  facts: { data, error, reload },
  currency,
}: {
  facts: Query<TonightDto>;
  currency: string;
}) {
  if (error && isMissingRoute(error)) return null;
  return (
    <section class="panel" aria-labelledby="people">
      <header class="panel__head">
        <h2 class="panel__title" id="people">
          {t('tonight.people')}
        </h2>
        <a href={href('terminals')}>{t('nav.terminals')}</a>
      </header>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && data.waitingOnTerminals > 0 && (
        <p class="note note--warn">{tn('tonight.waiting', data.waitingOnTerminals)}</p>
      )}
      {data && !error && data.staffOn.length === 0 && <Empty icon="team" title={t('tonight.nobody')} />}
      <ul class="lines">
        {data?.staffOn.map((one) => (
          <li key={one.staffId} class="lines__row">
            <span>
              {one.name}
              {one.terminalName && <span class="lines__meta"> · {one.terminalName}</span>}
            </span>
            <span class="lines__meta number">
              {money(one.amount, currency, { short: true })} · {tn('donation.count', one.recorded)}
              {one.pledged > 0 &&
                ` · ${t('tonight.pledged', { amount: money(one.pledged, currency, { short: true }) })}`}
              {one.lastSeenAt !== null && ` · ${ago(one.lastSeenAt)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
