import { useState } from 'preact/hooks';
import type { TeamDto, TeamList } from '../../../src/teams/dto/team.dto.js';
import { SearchBox } from '../../desk/fields.js';
import { Icon } from '../../desk/icons.js';
import { Empty, Failed, NotHere, Pill, Skeleton } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { money, number, t, tn } from '../../desk/texts.js';
import { isMissingRoute } from '../api/errors.js';
import { useQuery } from '../api/query.js';
import { can } from '../me.js';
import { EventPicker } from '../parts/event-picker.js';
import type { DeskEvent } from '../parts/events.js';
import { TablesDialog, TeamDialog } from '../parts/team-dialog.js';
import { PrintCodes, teamsPath } from '../parts/teams.js';
import { WithEvent } from '../parts/with-event.js';
import { href } from '../router.js';

const LOOK_EVERY_MS = 20_000;
type Sort = 'number' | 'raised';

/** The tables, teams and persons of an event: list, changes, printed codes. */
export const Teams = () => (
  <WithEvent title={t('nav.teams')}>
    {(event, events) => <TeamsOf key={event.id} event={event} events={events} />}
  </WithEvent>
);

function TeamsOf({ event, events }: { event: DeskEvent; events: readonly DeskEvent[] }) {
  const [opened, setOpened] = useState<TeamDto | 'new' | 'tables'>();
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<Sort>('number');
  const list = useQuery<TeamList>(teamsPath(event.id), { every: LOOK_EVERY_MS });
  const missing = isMissingRoute(list.error);
  const all = list.data?.data ?? [];
  const wanted = search.trim().toLowerCase();
  const found = all.filter(({ name, slug }) => `${name} ${slug}`.toLowerCase().includes(wanted));
  const rows = sort === 'number' ? found : [...found].sort((one, other) => other.raised - one.raised);
  const mayChange = can('teams:manage');
  const close = () => setOpened(undefined);
  return (
    <>
      <header class="page__head">
        <div class="page__title">
          <h1 class="visually-hidden">{`${t('nav.teams')}: ${event.name}`}</h1>
          <EventPicker event={event} events={events} />
        </div>
        {!missing && (
          <div class="page__actions">
            {all.length > 0 && (
              <a
                class="button button--quiet"
                href={`/wall/${event.slug}?scene=board`}
                target="_blank"
                rel="noopener"
              >
                {t('team.board')}
              </a>
            )}
            {mayChange && all.some(({ isListed }) => isListed) && <PrintCodes event={event} />}
            {mayChange && (
              <button type="button" class="button button--quiet" onClick={() => setOpened('new')}>
                <Icon name="plus" size={16} /> {t('team.add')}
              </button>
            )}
            {mayChange && (
              <button type="button" class="button" onClick={() => setOpened('tables')}>
                <Icon name="plus" size={16} /> {t('team.addTables')}
              </button>
            )}
          </div>
        )}
      </header>
      {all.length > 0 && (
        <div class="filters">
          <SearchBox label={t('team.search')} value={search} onValue={setSearch} />
        </div>
      )}
      {all.length > 0 && (
        <p class="totals" role="status">
          <span>{tn('team.total', all.length)}</span>
          <span>
            <strong class="number">
              {money(
                all.reduce((sum, { raised }) => sum + raised, 0),
                event.currency,
                { short: true },
              )}
            </strong>{' '}
            {t('team.donatedFor')}
          </span>
        </p>
      )}
      {list.error && (missing ? <NotHere /> : <Failed error={list.error} retry={list.reload} />)}
      {list.loading && all.length === 0 && <Skeleton rows={8} />}
      {!list.loading && !list.error && rows.length === 0 && (
        <Empty icon="teams" title={all.length === 0 ? t('team.none') : t('state.noMatch')}>
          {all.length === 0 && t('team.noneText')}
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('nav.teams')}
          columns={COLUMNS(event, { open: mayChange ? setOpened : undefined, sort, setSort })}
          rows={rows}
          keyOf={({ id }) => id}
          {...(mayChange && { onOpen: setOpened })}
        />
      )}
      {opened === 'tables' && <TablesDialog event={event} onClose={close} />}
      {opened !== undefined && opened !== 'tables' && (
        <TeamDialog event={event} team={opened === 'new' ? undefined : opened} onClose={close} />
      )}
    </>
  );
}

interface View {
  readonly open: ((team: TeamDto) => void) | undefined;
  readonly sort: Sort;
  readonly setSort: (sort: Sort) => void;
}

const COLUMNS = (event: DeskEvent, { open, sort, setSort }: View): Column<TeamDto>[] => [
  {
    key: 'number',
    head: t('team.number'),
    width: '6rem',
    sort: { direction: sort === 'number' ? 'ascending' : 'none', onSort: () => setSort('number') },
    cell: (team) => <span class="number">{team.number ?? '–'}</span>,
  },
  {
    key: 'name',
    head: t('donor.name'),
    width: '2fr',
    phone: 'title',
    cell: (team) => (
      <>
        {open ? (
          <button type="button" class="linkbutton" onClick={() => open(team)}>
            {team.name}
          </button>
        ) : (
          team.name
        )}{' '}
        {!team.isListed && <Pill tone="quiet">{t('team.unlisted')}</Pill>}
      </>
    ),
  },
  {
    key: 'kind',
    head: t('donation.kind'),
    width: '7rem',
    wide: true,
    cell: ({ kind }) => t(`team.kind.${kind}`),
  },
  {
    key: 'seats',
    head: t('team.seats'),
    width: '6rem',
    end: true,
    wide: true,
    cell: ({ seats }) => <span class="number">{seats === null ? '–' : number(seats)}</span>,
  },
  {
    key: 'givers',
    head: t('donor.many'),
    width: '6rem',
    end: true,
    wide: true,
    cell: ({ givers }) => <span class="number">{number(givers)}</span>,
  },
  {
    key: 'gifts',
    head: t('nav.donations'),
    width: '9rem',
    end: true,
    phone: 'note',
    cell: ({ id, gifts }) => (
      <a href={href('donations', { event: event.slug, team: id })}>{tn('donation.count', gifts)}</a>
    ),
  },
  {
    key: 'raised',
    head: t('team.raised'),
    width: '12rem',
    end: true,
    phone: 'amount',
    sort: { direction: sort === 'raised' ? 'descending' : 'none', onSort: () => setSort('raised') },
    cell: ({ raised, goalAmount }) => (
      <>
        <span class="number">{money(raised, event.currency, { short: true })}</span>
        {goalAmount !== null && (
          <span class="cell__sub">
            {' '}
            {t('team.ofGoal', { amount: money(goalAmount, event.currency, { short: true }) })}
          </span>
        )}
      </>
    ),
  },
];
