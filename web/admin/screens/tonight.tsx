import { useEffect } from 'preact/hooks';
import type { TonightDto } from '../../../src/reporting/evening/dto/tonight.dto.js';
import type { EventDetailDto } from '../../../src/events/dto/event.dto.js';
import { Icon } from '../../desk/icons.js';
import { Failed, Pill, Skeleton, type Tone } from '../../desk/states.js';
import { clock, t } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import { useQuery } from '../api/query.js';
import { type Live, useLive } from '../live.js';
import { can } from '../me.js';
import { useAfterChanges } from '../parts/after-changes.js';
import type { Donation } from '../parts/donations.js';
import { EventPicker } from '../parts/event-picker.js';
import { type DeskEvent, STATUS_TONE, useEvent } from '../parts/events.js';
import { FirstSteps } from '../parts/first-steps.js';
import { ModerationQueue } from '../parts/moderation.js';
import { PledgeMoney } from '../parts/pledge-money.js';
import { RoundsTonight } from '../parts/pledge-rounds.js';
import { FACTS_EVERY_MS } from '../parts/tonight/facts.js';
import { Floor } from '../parts/tonight/floor.js';
import { GuestsTonight } from '../parts/tonight/guests.js';
import { Health } from '../parts/tonight/health.js';
import { HeldRecords } from '../parts/tonight/held.js';
import { MilestonesTonight } from '../parts/tonight/milestones.js';
import { Needs } from '../parts/tonight/needs.js';
import { People } from '../parts/tonight/people.js';
import { Recent } from '../parts/tonight/recent.js';
import { Total } from '../parts/tonight/total.js';
import { WallRemote } from '../parts/wall-remote.js';
import { href } from '../router.js';

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
          <a class="button button--quiet" href={`/stage/${event.slug}`} target="_blank" rel="noopener">
            {t('tonight.stage')} <Icon name="out" size={15} />
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
          <HeldRecords event={event} live={live} />
          {isOpen && <MilestonesTonight event={event} live={live} />}
          <RoundsTonight event={event} live={live} />
          <PledgeMoney event={event} />
          <Recent recent={recent} live={live} />
        </div>
        <div class="tonight__side">
          {can('floor:list') && isOpen && <Floor event={event} />}
          {can('reviews:list') && <Needs />}
          {can('messages:list') && isOpen && <ModerationQueue eventId={event.id} changes={live.changes} />}
          {can('events:configure') && isOpen && <WallRemote eventId={event.id} live={live} />}
          <GuestsTonight event={event} />
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
