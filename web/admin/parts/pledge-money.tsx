import type { PledgeShareDto, ReceivedPledgesList } from '../../../src/pledges/dto/open-pledge.dto.js';
import { money, number, percent, t } from '../../desk/texts.js';
import { useQuery } from '../api/query.js';
import { can } from '../me.js';
import type { DeskEvent } from './events.js';

const LOOK_EVERY_MS = 300_000;

/** The share of the pledged money that has arrived. Nothing for an event without pledges, and while the figures are not known. */
export function PledgeMoney({ event }: { event: DeskEvent }) {
  const path = can('pledges:read') ? `/pledges/received?eventId=${event.id}` : null;
  const { data } = useQuery<ReceivedPledgesList>(path, { every: LOOK_EVERY_MS });
  if (!data || data.data.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="pledge-money">
      <h2 class="panel__title" id="pledge-money">
        {t('pledges.received')}
      </h2>
      {data.data.map(({ currency, all, old }) => (
        <div key={currency} class="pledge-money" data-currency={currency}>
          <div class="round__head">
            <strong class="pledge-money__share number">{shareText(all)}</strong>
            <span class="round__sum">
              {t('pledges.receivedOf', {
                received: money(all.received.sum, currency, { short: true }),
                pledged: money(all.pledged.sum, currency, { short: true }),
                count: number(all.received.count),
                total: number(all.pledged.count),
              })}
            </span>
          </div>
          {all.share !== null && (
            <progress
              class="meter meter--thin"
              max={1}
              value={all.share}
              aria-label={`${t('pledges.received')}: ${shareText(all)}`}
            />
          )}
          <p class="field__hint">
            {t('pledges.afterDays', { days: number(data.afterDays), percent: shareText(old) })}
          </p>
        </div>
      ))}
    </section>
  );
}

/** An unknown share is not 0 %. */
const shareText = ({ share, received, pledged }: PledgeShareDto): string =>
  share === null ? t('pledges.notYet') : percent(received.sum, pledged.sum);
