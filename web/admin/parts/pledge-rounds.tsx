import type { DonationFilterDto } from '../../../src/donations/dto/list-donations.dto.js';
import type { MatchPoolList } from '../../../src/match/dto/match-pool.dto.js';
import type {
  PledgeConversionDto,
  PledgeConversionList,
  PledgeFatesDto,
} from '../../../src/pledges/dto/pledge-conversion.dto.js';
import { Failed, Pill, Skeleton } from '../../desk/states.js';
import { money, number, percent, t, tn } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import { type Query, useQuery } from '../api/query.js';
import type { Live } from '../live.js';
import { can } from '../me.js';
import { href } from '../router.js';
import { useAfterChanges } from './after-changes.js';
import type { DeskEvent } from './events.js';

const READ_EVERY_MS = 3_000;
const SHOWN_TONIGHT = 4;

type Fate = NonNullable<DonationFilterDto['pledge']>[number];

export const FATES = [
  'open',
  'kept_at_till',
  'kept_online',
  'returned',
  'withdrawn',
] as const satisfies readonly Fate[];

const FIGURES: Readonly<Record<Fate, keyof PledgeFatesDto>> = {
  open: 'open',
  kept_at_till: 'keptAtTill',
  kept_online: 'keptOnline',
  returned: 'returned',
  withdrawn: 'withdrawn',
};
/**
 * Outcomes of pledges that are included in `count` and `sum` of a round, for the filter of the donation list.
 */
const PROMISED = FATES.filter((fate) => fate !== 'withdrawn').join(',');

/** A round with its latest figures. `pledges` is undefined until it is loaded. */
type Round = Omit<PledgeConversionDto, 'pledges' | 'closedAt' | 'createdAt' | 'eventId'> & {
  readonly pledges: PledgeFatesDto | undefined;
};

export const levelOf = ({ amount, currency, name }: Pick<Round, 'amount' | 'currency' | 'name'>): string =>
  [money(amount, currency, { short: true }), name].filter(Boolean).join(' · ');

const useConversion = (event: DeskEvent): Query<PledgeConversionList> =>
  useQuery(can('pledges:read') ? `/pledge-rounds/conversion?eventId=${event.id}` : null);

/** During the event: the pledges of each level live, and their outcome, refreshed when the totals change. */
export function RoundsTonight({ event, live }: { event: DeskEvent; live: Live }) {
  const read = useConversion(event);
  const rounds = known(read, live);
  useAfterChanges(live.changes, READ_EVERY_MS, () => {
    // If the event has no paddle raise, nothing is loaded again.
    if (rounds.length > 0 || read.error) read.reload();
  });
  const isRunning = rounds.some(({ status }) => status === 'open');
  const pools = useQuery<MatchPoolList>(
    isRunning && can('match:list') ? `/match-pools?eventId=${event.id}` : null,
  );
  const late = pools.data?.data.filter(
    ({ status, pledges, left }) => status === 'open' && pledges === 'when_paid' && left > 0,
  );
  const failure = read.error && !isMissingRoute(read.error) ? read.error : undefined;
  if (rounds.length === 0 && !failure) return null;
  return (
    <section class="panel" aria-labelledby="rounds">
      <header class="panel__head">
        <h2 class="panel__title" id="rounds">
          {t('round.title')}
        </h2>
        <a href={href('closing', { event: event.slug })}>{t('round.all')}</a>
      </header>
      {failure && <Failed error={failure} retry={read.reload} />}
      <Rounds event={event} rounds={rounds.slice(0, SHOWN_TONIGHT)} />
      {isRunning &&
        late?.map(({ id, name }) => (
          <p key={id} class="note note--warn gap" role="alert">
            {t('match.roundWarning', { name })}
          </p>
        ))}
    </section>
  );
}

/** After the event: the outcome of the pledges of each level and of all levels. */
export function RoundsAfter({ event }: { event: DeskEvent }) {
  const { data, error, loading, reload } = useConversion(event);
  if (error) return isMissingRoute(error) ? null : <Failed error={error} retry={reload} />;
  if (!data) return loading ? <Skeleton rows={3} /> : null;
  if (data.data.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="rounds">
      <h2 class="panel__title" id="rounds">
        {t('round.title')}
      </h2>
      <Rounds event={event} rounds={data.data} />
      {data.data.length > 1 &&
        data.totals.map((total) => (
          <div key={total.currency} class="round round--all" data-round="all">
            <div class="round__head">
              <strong>{t('round.together')}</strong>
              <Promised count={total.count} sum={total.sum} currency={total.currency} />
            </div>
            <Fates event={event} pledges={total.pledges} currency={total.currency} />
          </div>
        ))}
    </section>
  );
}

/** Combines loaded rounds with live messages. Messages are newer, and can be about rounds that are not loaded yet. */
function known({ data, at = 0 }: Query<PledgeConversionList>, { rounds }: Live): Round[] {
  const read: readonly Round[] = data?.data ?? [];
  const fresh = [...rounds.values()].filter(({ round }) => !read.some(({ id }) => id === round.roundId));
  return [
    ...fresh.reverse().map(({ round: { roundId, name = null, ...round } }) => ({
      ...round,
      id: roundId,
      name,
      pledges: undefined,
    })),
    ...read.map((round) => {
      const heard = rounds.get(round.id);
      if (!heard || heard.heardAt < at) return round;
      const { count, sum, status } = heard.round;
      return { ...round, count, sum, status };
    }),
  ];
}

const Rounds = ({ event, rounds }: { event: DeskEvent; rounds: readonly Round[] }) => (
  <ul class="rounds">
    {rounds.map((round) => (
      <li key={round.id} class="round" data-round={round.id}>
        <div class="round__head">
          <a href={listOf(event, PROMISED, round.id)}>{levelOf(round)}</a>
          <Pill tone={round.status === 'open' ? 'good' : 'quiet'}>
            {t(round.status === 'open' ? 'round.running' : 'round.ended')}
          </Pill>
          <Promised {...round} />
        </div>
        {round.pledges && round.count > 0 && <Kept count={round.count} kept={round.pledges.kept.count} />}
        {round.pledges && (
          <Fates event={event} pledges={round.pledges} currency={round.currency} roundId={round.id} />
        )}
      </li>
    ))}
  </ul>
);

const Promised = ({ count, sum, currency }: Pick<Round, 'count' | 'sum' | 'currency'>) => (
  <span class="round__sum">
    {tn('round.pledges', count)} · <strong class="number">{money(sum, currency, { short: true })}</strong>
  </span>
);

/**
 * Shows the share of the pledges that the donors have paid. A new pledge is in `count` before its outcome is
 * loaded.
 */
const Kept = ({ count, kept }: { count: number; kept: number }) => (
  <progress
    class="meter meter--thin"
    max={1}
    value={Math.min(1, kept / count)}
    aria-label={t('round.keptLabel', { percent: percent(kept, count) })}
  />
);

function Fates({
  event,
  pledges,
  currency,
  roundId,
}: {
  event: DeskEvent;
  pledges: PledgeFatesDto;
  currency: string;
  roundId?: string;
}) {
  const lines = FATES.map((fate) => {
    const { count, sum } = pledges[FIGURES[fate]];
    return { fate, count, sum };
  }).filter(({ count, sum }) => count > 0 || sum !== 0);
  if (lines.length === 0) return null;
  return (
    <table class="sum round__fates">
      <caption class="visually-hidden">{t('filter.pledge')}</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">{t('filter.pledge')}</th>
          <th scope="col">{t('donation.many')}</th>
          <th scope="col">{t('donation.amount')}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ fate, count, sum }) => (
          <tr key={fate} data-fate={fate}>
            <th scope="row">
              {/* Parts that went back are of what is kept: no row of their own. */}
              {count > 0 ? (
                <a href={listOf(event, fate, roundId)}>{t(`round.fate.${fate}`)}</a>
              ) : (
                t(`round.fate.${fate}`)
              )}
            </th>
            <td>{count > 0 ? number(count) : '–'}</td>
            <td class="number">{money(sum, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const listOf = (event: DeskEvent, pledge: string, round?: string): string =>
  href('donations', { event: event.slug, round, pledge });
