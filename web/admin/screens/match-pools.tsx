import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { MatchDrawDto, MatchPoolDto, MatchPoolList } from '../../../src/match/dto/match-pool.dto.js';
import type { MatchSettlementList } from '../../../src/match/dto/match-settlement.dto.js';
import { Icon } from '../../desk/icons.js';
import { LongList } from '../../desk/long-list.js';
import { Empty, Failed, NotHere, Pill, Skeleton, type Tone } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { calendarDay, dateTime, money, moment, number, t, tn, word } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import { useList, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { useAfterChanges } from '../parts/after-changes.js';
import { STATUS_TONE } from '../parts/donations.js';
import { download } from '../parts/downloads.js';
import { EventPicker } from '../parts/event-picker.js';
import type { DeskEvent } from '../parts/events.js';
import { MatchPoolDialog } from '../parts/match-pool-dialog.js';
import { PaymentDialog, type Step, StepDialog, stepsOf } from '../parts/match-pool-steps.js';
import { WithEvent } from '../parts/with-event.js';
import { go, href } from '../router.js';

const LOOK_EVERY_MS = 10_000;
/** Maximum number of payments that the server lists. */
const MOST_PAYMENTS = 500;

const TONES: Readonly<Record<MatchPoolDto['status'], Tone>> = {
  draft: 'quiet',
  scheduled: 'brand',
  open: 'good',
  paused: 'warn',
  ended: 'warn',
  settled: 'good',
  cancelled: 'quiet',
};

/** The match pools of an event, or one of them. */
export const MatchPools = ({ id }: { id: string | undefined }) =>
  id === undefined ? (
    <WithEvent title={t('nav.matchPools')}>
      {(event, events) => <PoolsOf key={event.id} event={event} events={events} />}
    </WithEvent>
  ) : (
    <PoolPage key={id} id={id} />
  );

const Status = ({ pool: { status, left } }: { pool: MatchPoolDto }) => (
  <>
    <Pill tone={TONES[status]}>{t(`match.status.${status}`)}</Pill>
    {status === 'open' && left === 0 && (
      <>
        {' '}
        <Pill tone="brand">{t('match.usedUp')}</Pill>
      </>
    )}
  </>
);

function PoolsOf({ event, events }: { event: DeskEvent; events: readonly DeskEvent[] }) {
  const [isAdding, setAdding] = useState(false);
  const list = useQuery<MatchPoolList>(`/match-pools?eventId=${event.id}`, { every: LOOK_EVERY_MS });
  const missing = isMissingRoute(list.error);
  const rows = list.data?.data ?? [];
  const addressOf = ({ id }: MatchPoolDto) => href(`match-pools/${id}`, { event: event.slug });
  const sum = (
    key: 'cap' | 'drawn' | 'kept' | 'left' | 'settled' | 'due',
    rest: Partial<Column<MatchPoolDto>> = {},
  ): Column<MatchPoolDto> => ({
    key,
    // The column is too narrow for "Kept for pledges".
    head: t(key === 'kept' ? 'match.draw.kept' : `match.${key}`),
    end: true,
    cell: (pool) => <span class="number">{money(pool[key], pool.currency, { short: true })}</span>,
    ...rest,
  });
  const columns: Column<MatchPoolDto>[] = [
    {
      key: 'name',
      head: t('donor.name'),
      width: '2.4fr',
      phone: 'title',
      cell: (pool) => (
        <>
          <a href={addressOf(pool)}>{pool.name}</a>{' '}
          <span class="cell__sub">{pool.matcherName ?? t('match.supporter')}</span>
        </>
      ),
    },
    {
      key: 'state',
      head: t('milestone.state'),
      width: '1.3fr',
      phone: 'state',
      cell: (pool) => <Status pool={pool} />,
    },
    sum('cap', { phone: 'amount' }),
    sum('drawn'),
    sum('kept', { wide: true }),
    sum('left', {
      phone: 'note',
      cell: ({ left, currency }) => (
        <>
          <span class="cell__label">{t('match.left')}: </span>
          <span class="number">{money(left, currency, { short: true })}</span>
        </>
      ),
    }),
    sum('settled', { wide: true }),
    sum('due', { wide: true }),
  ];
  return (
    <>
      <header class="page__head">
        <div class="page__title">
          <h1 class="visually-hidden">{`${t('nav.matchPools')}: ${event.name}`}</h1>
          <EventPicker event={event} events={events} />
        </div>
        {!missing && can('match:manage') && (
          <div class="page__actions">
            <button type="button" class="button" onClick={() => setAdding(true)}>
              <Icon name="plus" size={16} /> {t('match.add')}
            </button>
          </div>
        )}
      </header>
      {list.error && (missing ? <NotHere /> : <Failed error={list.error} retry={list.reload} />)}
      {list.loading && rows.length === 0 && <Skeleton rows={6} />}
      {!list.loading && !list.error && rows.length === 0 && (
        <Empty icon="match" title={t('match.none')}>
          {t('match.noneText')}
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('nav.matchPools')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          onOpen={(pool) => go(addressOf(pool))}
        />
      )}
      {isAdding && (
        <MatchPoolDialog
          eventId={event.id}
          currency={event.currency}
          pool={undefined}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}

function PoolPage({ id }: { id: string }) {
  const [opened, setOpened] = useState<Step | 'edit' | 'pay'>();
  const read = useQuery<MatchPoolDto>(`/match-pools/${id}`, { every: LOOK_EVERY_MS });
  const pool = read.data;
  if (!pool) return read.error ? <Failed error={read.error} retry={read.reload} /> : <Skeleton />;
  const mayChange = can('match:manage');
  const close = () => setOpened(undefined);
  return (
    <>
      <p class="crumb">
        <a href={href('match-pools', { event: pool.eventId })}>
          <Icon name="left" size={16} /> {t('nav.matchPools')}
        </a>
      </p>
      <header class="page__head">
        <div class="page__title">
          <h1 class="page__name">{pool.name}</h1>
          <Status pool={pool} />
        </div>
        {mayChange && pool.status !== 'cancelled' && (
          <div class="page__actions">
            <button type="button" class="button button--quiet" onClick={() => setOpened('edit')}>
              {t('action.edit')}
            </button>
            {stepsOf(pool).map((step, index) => (
              <button
                key={step}
                type="button"
                class={index === 0 ? 'button' : 'button button--quiet'}
                onClick={() => setOpened(step)}
              >
                {t(`match.step.${step}`)}
              </button>
            ))}
          </div>
        )}
      </header>
      {read.error && <Failed error={read.error} retry={read.reload} />}
      <div class="columns">
        <section class="panel" aria-labelledby="pool-sums">
          <h2 class="panel__title" id="pool-sums">
            {t('closing.figures')}
          </h2>
          <Sums pool={pool} />
        </section>
        <div class="columns__side">
          <section class="panel" aria-labelledby="pool-terms">
            <h2 class="panel__title" id="pool-terms">
              {t('match.terms')}
            </h2>
            <Terms pool={pool} />
          </section>
        </div>
        <Payments pool={pool} onPay={mayChange ? () => setOpened('pay') : undefined} />
      </div>
      <Draws pool={pool} />
      {opened === 'edit' ? (
        <MatchPoolDialog eventId={pool.eventId} currency={pool.currency} pool={pool} onClose={close} />
      ) : opened === 'pay' ? (
        <PaymentDialog pool={pool} onClose={close} />
      ) : (
        opened && <StepDialog pool={pool} step={opened} onClose={close} />
      )}
    </>
  );
}

/** Rows of labels and values. Rows without a value are left out. */
const Facts = ({ rows }: { rows: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {rows
      .filter(([, value]) => value)
      .map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
  </dl>
);

function Sums({ pool }: { pool: MatchPoolDto }) {
  const { cap, drawn, kept, left, gifts, settled, due, overpaid, currency } = pool;
  const sum = (amount: number) => <span class="number">{money(amount, currency)}</span>;
  return (
    <>
      <progress
        class="meter meter--thin"
        max={1}
        value={(drawn + kept) / cap}
        aria-label={`${t('match.drawn')}: ${money(drawn, currency)}`}
      />
      <Facts
        rows={[
          [t('match.cap'), sum(cap)],
          [
            t('match.drawn'),
            <>
              {sum(drawn)} · {tn('donation.count', gifts)}
            </>,
          ],
          [t('match.kept'), sum(kept)],
          [t('match.left'), sum(left)],
          [t('match.settled'), sum(settled)],
          [
            t('match.due'),
            <>
              {sum(due)}
              {due > 0 && pool.dueOn !== null && ` · ${t('match.dueBy', { date: calendarDay(pool.dueOn) })}`}
            </>,
          ],
          [t('match.overpaid'), overpaid > 0 && sum(overpaid)],
          [t('match.reason'), pool.settledNote],
        ]}
      />
    </>
  );
}

function Terms({ pool }: { pool: MatchPoolDto }) {
  const sum = (amount: number | null) => amount !== null && money(amount, pool.currency, { short: true });
  return (
    <Facts
      rows={[
        [t('match.matcher'), pool.matcherName ?? t('match.supporter')],
        [t('donation.inPublic'), pool.isMatcherAnonymous && t('match.supporter')],
        [t('match.email'), pool.matcherEmail],
        [t('match.ratio'), number(pool.ratio / 100)],
        [t('match.remainder'), t(`match.remainder.${pool.remainder}`)],
        [t('match.perGiftCap'), sum(pool.perGiftCap)],
        [t('match.perDonorCap'), sum(pool.perDonorCap)],
        [t('match.minGift'), sum(pool.minGift)],
        [t('donation.kind'), pool.kinds?.map((kind) => word('type', kind)).join(', ')],
        [t('match.opensAt'), pool.opensAt && dateTime(pool.opensAt)],
        [t('match.closesAt'), pool.closesAt && dateTime(pool.closesAt)],
        [
          t('match.pledges'),
          pool.pledges === 'keep'
            ? `${t('match.keepDays')}: ${number(pool.keepDays)}`
            : t('match.pledges.when_paid'),
        ],
      ]}
    />
  );
}

function Payments({ pool, onPay }: { pool: MatchPoolDto; onPay: (() => void) | undefined }) {
  const { data, error, reload } = useQuery<MatchSettlementList>(`/match-pools/${pool.id}/settlements`);
  const takes = pool.status !== 'draft' && pool.status !== 'cancelled';
  return (
    <section class="panel" aria-labelledby="pool-payments">
      <h2 class="panel__title" id="pool-payments">
        {t('match.payments')}
      </h2>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={2} />}
      {data?.data.length === 0 && <p>{t('match.noPayments')}</p>}
      {data && data.data.length > 0 && (
        <LongList rows={data.data} most={MOST_PAYMENTS} label={t('match.payments')}>
          {({ donationId, amount, refundedAmount, type, status, receivedAt }) => (
            <li key={donationId} class="lines__row">
              <span>
                <a class="number" href={href(`donations/${donationId}`, { event: pool.eventId })}>
                  {money(amount - refundedAmount, pool.currency)}
                </a>{' '}
                {status !== 'COMPLETED' && (
                  <Pill tone={STATUS_TONE[status]}>{t(`donation.status.${status}`)}</Pill>
                )}
              </span>
              <span class="lines__meta">
                {word('type', type)} · {moment(receivedAt)}
              </span>
            </li>
          )}
        </LongList>
      )}
      {takes && (
        <p class="panel__links">
          {onPay && (
            <button type="button" class="button button--quiet button--small" onClick={onPay}>
              {t('match.pay')}
            </button>
          )}
          <button
            type="button"
            class="button button--quiet button--small"
            onClick={() => void download(`/match-pools/${pool.id}/letter`, 'match-letter.pdf')}
          >
            <Icon name="download" size={16} /> {t('match.letter')}
          </button>
        </p>
      )}
    </section>
  );
}

/** State of a draw in one word, with its tone. */
const stateOf = ({ state, amount }: MatchDrawDto): readonly [string, Tone] =>
  state === 'drawn' && amount === 0
    ? [t('match.draw.nothing'), 'quiet']
    : [t(`match.draw.${state}`), state === 'drawn' ? 'good' : state === 'kept' ? 'warn' : 'quiet'];

function Draws({ pool: { id, eventId, currency, drawn, kept } }: { pool: MatchPoolDto }) {
  const list = useList<MatchDrawDto>(`/match-pools/${id}/draws`);
  useAfterChanges(drawn + kept, LOOK_EVERY_MS, list.reload);
  const addressOf = ({ donationId }: MatchDrawDto) => href(`donations/${donationId}`, { event: eventId });
  const columns: Column<MatchDrawDto>[] = [
    {
      key: 'donation',
      head: t('donation.one'),
      width: '2fr',
      phone: 'title',
      cell: (draw) => (
        <>
          <a href={addressOf(draw)}>{dateTime(draw.givenAt)}</a>{' '}
          <span class="cell__sub">{draw.receiptNumber}</span>
        </>
      ),
    },
    {
      key: 'given',
      head: t('donation.amount'),
      width: '9rem',
      end: true,
      phone: 'note',
      cell: ({ donationAmount }) => <span class="number">{money(donationAmount, currency)}</span>,
    },
    {
      key: 'drawn',
      head: t('match.drawn'),
      width: '9rem',
      end: true,
      phone: 'amount',
      cell: ({ amount, kept }) => <strong class="number">{money(amount + kept, currency)}</strong>,
    },
    {
      key: 'state',
      head: t('milestone.state'),
      width: '10rem',
      phone: 'state',
      cell: (draw) => {
        const [state, tone] = stateOf(draw);
        return <Pill tone={tone}>{state}</Pill>;
      },
    },
  ];
  return (
    <section class="gap" aria-labelledby="pool-draws">
      <h2 class="section__title" id="pool-draws">
        {t('match.draws')}
      </h2>
      {list.error && <Failed error={list.error} retry={list.reload} />}
      {list.loading && list.rows.length === 0 && <Skeleton rows={4} />}
      {!list.loading && !list.error && list.rows.length === 0 && <p>{t('match.noDraws')}</p>}
      {list.rows.length > 0 && (
        <DataTable
          label={t('match.draws')}
          columns={columns}
          rows={list.rows}
          keyOf={({ donationId }) => donationId}
          more={list.more}
          loadingMore={list.loadingMore}
          onOpen={(draw) => go(addressOf(draw))}
        />
      )}
    </section>
  );
}
