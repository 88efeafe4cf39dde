import { Empty, Failed, Skeleton } from '../../../desk/states.js';
import { moment, money, t } from '../../../desk/texts.js';
import type { Live } from '../../live.js';
import { href } from '../../router.js';
import { type Donation, DonationState, isOnline, kindOf, nameOf, Paddle } from '../donations.js';

/** The newest donations. Screen readers announce each one that arrives. */
export function Recent({
  recent,
  live,
}: {
  recent: { data: { data: readonly Donation[] } | undefined; error: Error | undefined; reload: () => void };
  live: Live;
}) {
  const rows = recent.data?.data;
  return (
    <section class="panel" aria-labelledby="recent">
      <header class="panel__head">
        <h2 class="panel__title" id="recent">
          {t('tonight.recent')}
        </h2>
        <a href={href('donations')}>{t('tonight.all')}</a>
      </header>
      <p class="visually-hidden" role="status">
        {live.arrived &&
          t('tonight.arrived', {
            amount: live.arrived.amount === null ? '♥' : money(live.arrived.amount, live.arrived.currency),
            name: live.arrived.donorName,
          })}
      </p>
      {recent.error && !rows && <Failed error={recent.error} retry={recent.reload} />}
      {!rows && !recent.error && <Skeleton />}
      {rows?.length === 0 && (
        <Empty icon="donations" title={t('tonight.none')}>
          {t('tonight.noneText')}
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <ul class="feed">
          {rows.map((donation) => (
            <li key={donation.id} class="feed__row">
              <span class="feed__amount number">{money(donation.amount, donation.currency)}</span>
              <a class="feed__name" href={href(`donations/${donation.id}`)}>
                {nameOf(donation)}
                {donation.isAnonymous && donation.donorName !== null && (
                  <span class="feed__hidden"> · {t('donation.hidden')}</span>
                )}
                <Paddle donation={donation} class="feed__hidden" />
              </a>
              <span class="feed__how">
                {kindOf(donation)}
                {donation.staffName !== null && ` · ${donation.staffName}`}
                {isOnline(donation) && ` · ${t('donation.online')}`}
              </span>
              {(donation.status !== 'COMPLETED' || donation.wallState === 'held' || donation.dispute) && (
                <span class="feed__state">
                  <DonationState donation={donation} />
                </span>
              )}
              <time class="feed__time" dateTime={donation.createdAt}>
                {moment(donation.createdAt)}
              </time>
              {donation.message !== null && <q class="feed__message">{donation.message}</q>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
