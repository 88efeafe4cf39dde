import { useEffect } from 'preact/hooks';
import type { TonightDto } from '../../../src/reporting/evening/dto/tonight.dto.js';
import type { EventDetailDto } from '../../../src/events/dto/event.dto.js';
import type { HealthReport } from '../../../src/health/dto/health.dto.js';
import type { OpenReviewItemsDto } from '../../../src/reporting/review/dto/open-review-items.dto.js';
import { Icon } from '../../desk/icons.js';
import { Empty, Failed, Pill, Skeleton, type Tone } from '../../desk/states.js';
import { ago, clock, money, moment, number, percent, t, tn, word } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import { type Query, useQuery } from '../api/query.js';
import { type Live, useLive } from '../live.js';
import { can } from '../me.js';
import { useAfterChanges } from '../parts/after-changes.js';
import { WebhookWarning } from '../parts/connections.js';
import { type Donation, DonationState, isOnline, kindOf, nameOf, Paddle } from '../parts/donations.js';
import { EventPicker } from '../parts/event-picker.js';
import { type DeskEvent, STATUS_TONE, useEvent } from '../parts/events.js';
import { ExplainButton } from '../parts/explain.js';
import { FirstSteps } from '../parts/first-steps.js';
import { ModerationQueue } from '../parts/moderation.js';
import { RoundsTonight } from '../parts/pledge-rounds.js';
import { FIRST_ITEMS, titleOf } from '../parts/review-words.js';
import { Sparkline } from '../parts/sparkline.js';
import { WallRemote } from '../parts/wall-remote.js';
import { href } from '../router.js';

const FACTS_EVERY_MS = 30_000;
/** Shortest time between two refreshes of the list. */
const LIST_EVERY_MS = 3_000;
/** Shortest time between two refreshes of the chart and the people at the tills. The total is live. */
const FIGURES_EVERY_MS = 10_000;
const RECENT = 25;

/** The page that stays open during the event. */
export function Tonight() {
  const { event, events, loading, error } = useEvent();
  if (loading) return <Skeleton />;
  if (error && !event) return <Failed error={error} />;
  if (!event) return <FirstSteps />;
  return <Evening key={event.id} event={event} events={events} />;
}

function Evening({ event, events }: { event: DeskEvent; events: readonly DeskEvent[] }) {
  const isOpen = event.status !== 'draft' && event.status !== 'archived';
  const live = useLive(isOpen ? event.id : undefined);
  const detail = useQuery<EventDetailDto>(`/events/${event.id}`);
  const facts = useQuery<TonightDto>(`/events/${event.id}/tonight`, { every: FACTS_EVERY_MS });
  const recent = useQuery<{ data: readonly Donation[] }>(`/donations?eventId=${event.id}&limit=${RECENT}`);
  useAfterChanges(live.changes, LIST_EVERY_MS, recent.reload);
  useAfterChanges(live.changes, FIGURES_EVERY_MS, () => {
    if (facts.data) facts.reload();
  });
  // When the connection is back, repeats the requests that failed without it.
  useEffect(() => {
    if (live.connection !== 'live') return;
    if (recent.error) recent.reload();
    if (detail.error) detail.reload();
    if (facts.error && !isMissingRoute(facts.error)) facts.reload();
  }, [live.connection]);
  const totals = live.totals ?? detail.data;
  const now = detail.data ?? event;
  return (
    <>
      <header class="page__head">
        <div class="page__title">
          <h1 class="visually-hidden">{`${t('nav.tonight')}: ${event.name}`}</h1>
          <EventPicker event={event} events={events} />
          <Pill tone={STATUS_TONE[event.status]}>{t(`event.status.${event.status}`)}</Pill>
          {isOpen && <ConnectionPill live={live} />}
        </div>
        <nav class="page__actions" aria-label={t('tonight.pages')}>
          <a class="button button--quiet" href={`/wall/${event.slug}`} target="_blank" rel="noopener">
            {t('tonight.wall')} <Icon name="out" size={15} />
          </a>
          <a class="button button--quiet" href={`/donate/${event.slug}`} target="_blank" rel="noopener">
            {t('tonight.donate')} <Icon name="out" size={15} />
          </a>
          <a class="button button--quiet" href={href(`events/${event.slug}`)}>
            {t('tonight.event')}
          </a>
        </nav>
      </header>
      {event.status === 'draft' && <p class="note note--warn">{t('event.meaning.draft')}</p>}
      <FirstSteps event={event} donations={recent.data?.data.length} />
      <div class="tonight">
        <div class="tonight__main">
          <Total event={now} totals={totals} live={live} facts={facts.data} />
          <RoundsTonight event={event} live={live} />
          <Recent recent={recent} live={live} />
        </div>
        <div class="tonight__side">
          {can('reviews:list') && <Needs />}
          {can('messages:list') && isOpen && <ModerationQueue eventId={event.id} changes={live.changes} />}
          {can('events:configure') && isOpen && <WallRemote eventId={event.id} live={live} />}
          <People facts={facts} currency={event.currency} />
          <Health facts={facts} live={live} />
        </div>
      </div>
    </>
  );
}

function ConnectionPill({ live: { connection, heardAt } }: { live: Live }) {
  const tone: Tone = connection === 'live' ? 'good' : connection === 'connecting' ? 'quiet' : 'bad';
  return (
    <span role="status" class="connection">
      <Pill tone={tone}>
        <span class={`dot dot--${tone}`} aria-hidden="true" />
        {t(`live.${connection}`)}
      </Pill>
      {connection === 'lost' && heardAt !== undefined && (
        <span class="connection__age">{t('live.asOf', { time: clock(heardAt) })}</span>
      )}
    </span>
  );
}

interface TotalProps {
  readonly event: DeskEvent;
  readonly totals: Pick<EventDetailDto, 'totalRaised' | 'donorCount' | 'totals'> | undefined;
  readonly live: Live;
  readonly facts: TonightDto | undefined;
}

function Total({ event, totals, live, facts }: TotalProps) {
  const { currency, goalAmount } = event;
  const part = goalAmount > 0 && totals ? totals.totalRaised / goalAmount : undefined;
  const inPercent = goalAmount > 0 && totals ? percent(totals.totalRaised, goalAmount) : '';
  const hour = facts?.perMinute.reduce((sum, { amount }) => sum + amount, 0);
  return (
    <section class="panel total" aria-label={t('tonight.total')} data-stale={live.connection === 'lost'}>
      <div class="total__figures">
        <p class="total__label">{t('tonight.raised')}</p>
        <p class="total__amount number" data-testid="total">
          {totals ? money(totals.totalRaised, currency, { short: true }) : '…'}
        </p>
        {part !== undefined && (
          <>
            <progress
              class="meter"
              max={1}
              value={Math.min(1, part)}
              aria-label={t('tonight.ofGoalLabel', { percent: inPercent })}
            />
            <p class="total__goal">
              <span>
                {t('tonight.ofGoal', {
                  percent: inPercent,
                  goal: money(goalAmount, currency, { short: true }),
                })}
              </span>
              <span>
                {totals && totals.totalRaised < goalAmount
                  ? t('tonight.left', {
                      amount: money(goalAmount - totals.totalRaised, currency, { short: true }),
                    })
                  : t('tonight.reached')}
              </span>
            </p>
          </>
        )}
        <p class="total__line">
          {totals && <span>{tn('donor.count', totals.donorCount)}</span>}
          {totals?.totals
            .filter((other) => other.currency !== currency)
            .map((other) => (
              <span key={other.currency}>+ {money(other.totalRaised, other.currency)}</span>
            ))}
          <ExplainButton eventId={event.id} currency={currency} name={event.name} />
        </p>
      </div>
      {facts && facts.perMinute.length > 0 && (
        <figure class="total__hour">
          <figcaption>
            {t('tonight.lastHour')}{' '}
            <strong class="number">{money(hour ?? 0, currency, { short: true })}</strong>
          </figcaption>
          <Sparkline points={facts.perMinute} currency={currency} />
        </figure>
      )}
    </section>
  );
}

function Recent({
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
            amount: money(live.arrived.amount, live.arrived.currency),
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
              {(donation.status !== 'COMPLETED' || donation.dispute) && <DonationState donation={donation} />}
              <time class="feed__time" dateTime={donation.createdAt}>
                {moment(donation.createdAt)}
              </time>
              {donation.message !== null && <span class="feed__message">“{donation.message}”</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Needs() {
  const { data, error, reload } = useQuery<OpenReviewItemsDto>(FIRST_ITEMS, { every: FACTS_EVERY_MS });
  const items = data?.data ?? [];
  return (
    <section class="panel" aria-labelledby="needs">
      <header class="panel__head">
        <h2 class="panel__title" id="needs">
          {t('tonight.needs')}
        </h2>
        {data && items.length > 0 && (
          <a href={href('review')}>{t('tonight.needsAll', { count: number(data.total) })}</a>
        )}
      </header>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && !error && items.length === 0 && <Empty icon="check" title={t('review.empty')} />}
      <ul class="lines">
        {items.map((item) => (
          <li key={item.id} class="lines__row">
            <a href={href(`review/${item.id}`)}>{titleOf(item)}</a>
            <span class="lines__meta">
              {item.dueBy === null ? ago(item.createdAt) : t('review.due', { time: moment(item.dueBy) })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function People({
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

const PROVIDER_TONE: Readonly<Record<string, Tone>> = { ok: 'good', failing: 'bad', unknown: 'quiet' };

/** State of the connections. A connection is shown as working only after a message has arrived through it. */
function Health({
  facts: { data: facts, error, at: factsAt },
  live,
}: {
  facts: Query<TonightDto>;
  live: Live;
}) {
  const health = useQuery<HealthReport>('/health', { every: FACTS_EVERY_MS });
  // A server of the previous release does not send this field.
  const { crowdedAddresses: crowded = [] }: Partial<TonightDto> = facts ?? {};
  return (
    <section class="panel" aria-labelledby="health">
      <header class="panel__head">
        <h2 class="panel__title" id="health">
          {t('health.title')}
        </h2>
        {factsAt !== undefined && (
          <span class="panel__count">{t('live.asOf', { time: clock(factsAt) })}</span>
        )}
      </header>
      <ul class="lines">
        <li class="lines__row">
          <span>{t('health.live')}</span>
          <Pill tone={live.connection === 'live' ? 'good' : 'bad'}>{t(`live.${live.connection}`)}</Pill>
        </li>
        <li class="lines__row">
          <span>{t('health.server')}</span>
          <Pill tone={health.error ? 'bad' : health.data ? 'good' : 'quiet'}>
            {health.error ? t('health.down') : health.data ? t('health.ok') : t('health.unknown')}
          </Pill>
        </li>
        {crowded.map(({ address, refused }) => (
          <li key={address} class="lines__row">
            <span>
              {t('health.crowded', { address, count: number(refused) })}
              <span class="lines__meta"> · {t('health.crowdedHint')}</span>
            </span>
            <Pill tone="warn">{t('health.refused')}</Pill>
          </li>
        ))}
        {!facts && (
          <li class="lines__row">
            <span>{t('connections.payments')}</span>
            <Pill tone={error ? 'bad' : 'quiet'}>{t(error ? 'closing.notChecked' : 'closing.checking')}</Pill>
          </li>
        )}
        {facts?.providers
          .filter(({ enabled }) => enabled)
          .map((provider) => (
            <li key={provider.name} class="lines__row">
              <span>
                {word('provider', provider.name)}
                <span class="lines__meta">
                  {' · '}
                  {provider.lastWebhookAt === null
                    ? t('health.neverHeard')
                    : t('health.heard', { ago: ago(provider.lastWebhookAt) })}
                </span>
                <WebhookWarning of={provider} />
              </span>
              <Pill tone={PROVIDER_TONE[provider.state] ?? 'quiet'}>
                {provider.state === 'ok'
                  ? t('health.ok')
                  : provider.state === 'failing'
                    ? t('health.failing')
                    : t('health.unknown')}
              </Pill>
            </li>
          ))}
      </ul>
    </section>
  );
}
