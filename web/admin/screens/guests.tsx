import { useState } from 'preact/hooks';
import type { GuestCount } from '../../../src/guests/dto/guest-list.dto.js';
import type { GuestDto } from '../../../src/guests/dto/guest.dto.js';
import { SearchBox } from '../../desk/fields.js';
import { Icon } from '../../desk/icons.js';
import { Menu } from '../../desk/menu.js';
import { Empty, Failed, NotHere, Pill, Skeleton } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { number, t, time, tn } from '../../desk/texts.js';
import { queryOf } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { useList, useQuery } from '../api/query.js';
import { spokenLanguage } from '../languages.js';
import { download } from '../parts/downloads.js';
import { EventPicker } from '../parts/event-picker.js';
import type { DeskEvent } from '../parts/events.js';
import { CountUnknown } from '../parts/guest-count.js';
import { GuestDialog } from '../parts/guest-dialog.js';
import { GuestImport } from '../parts/guest-import.js';
import { WithEvent } from '../parts/with-event.js';
import { href, setQuery, usePlace } from '../router.js';

const LOOK_EVERY_MS = 20_000;
const SHOWN = ['all', 'here', 'expected', 'contested'] as const;
type Shown = (typeof SHOWN)[number];

/** The guest list of an event: search, counts, changes, import and download. */
export const Guests = ({ part }: { part: string | undefined }) => (
  <WithEvent title={t('nav.guests')}>
    {(event, events) =>
      part === 'import' ? (
        <GuestImport key={event.id} event={event} />
      ) : (
        <GuestsOf key={event.id} event={event} events={events} />
      )
    }
  </WithEvent>
);

function GuestsOf({ event, events }: { event: DeskEvent; events: readonly DeskEvent[] }) {
  const { query } = usePlace();
  const [opened, setOpened] = useState<GuestDto | 'new'>();
  const path = `/events/${event.id}/guests`;
  const shown = SHOWN.find((one) => one === query.get('show')) ?? 'all';
  const search = query.get('search') ?? '';
  const list = useList<GuestDto>(path, { search, ...FILTERS[shown] });
  const missing = isMissingRoute(list.error);
  const isFiltered = search !== '' || shown !== 'all';
  return (
    <>
      <header class="page__head">
        <div class="page__title">
          <h1 class="visually-hidden">{`${t('nav.guests')}: ${event.name}`}</h1>
          <EventPicker event={event} events={events} />
        </div>
        {!missing && (
          <div class="page__actions">
            <Menu
              label={t('guest.download')}
              class="button button--quiet"
              items={[
                {
                  label: t('guest.downloadCsv'),
                  onSelect: () => void download(`${path}/export`, 'guests.csv'),
                },
                ...(['table', 'name'] as const).map((order) => ({
                  label: t(`guest.print.${order}`),
                  onSelect: () =>
                    void download(
                      `${path}/print${queryOf({ order, language: spokenLanguage() })}`,
                      'guest-list.pdf',
                    ),
                })),
              ]}
            >
              <Icon name="download" size={16} /> {t('guest.download')}
            </Menu>
            <a class="button button--quiet" href={href('guests/import', { event: event.slug })}>
              {t('guest.import')}
            </a>
            <button type="button" class="button" onClick={() => setOpened('new')}>
              <Icon name="plus" size={16} /> {t('guest.add')}
            </button>
          </div>
        )}
      </header>
      {!missing && <Counts path={path} />}
      {!missing && (
        <div class="filters">
          <SearchBox
            label={t('filter.search')}
            value={search}
            onValue={(value) => setQuery({ search: value })}
          />
          <label class="filters__choice">
            <span class="visually-hidden">{t('guest.show')}</span>
            <select
              class="input select"
              value={shown}
              onChange={({ currentTarget }) =>
                setQuery({ show: currentTarget.value === 'all' ? undefined : currentTarget.value })
              }
            >
              {SHOWN.map((value) => (
                <option key={value} value={value} selected={value === shown}>
                  {t(`guest.show.${value}`)}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {list.error && (missing ? <NotHere /> : <Failed error={list.error} retry={list.reload} />)}
      {list.loading && list.rows.length === 0 && <Skeleton rows={10} />}
      {!list.loading && !list.error && list.rows.length === 0 && (
        <Empty icon="donors" title={isFiltered ? t('state.noMatch') : t('guest.none')}>
          {!isFiltered && t('guest.noneText')}
        </Empty>
      )}
      {list.rows.length > 0 && (
        <div aria-busy={list.loading} class={list.loading ? 'stale' : undefined}>
          <DataTable
            label={t('nav.guests')}
            columns={COLUMNS(setOpened)}
            rows={list.rows}
            keyOf={({ id }) => id}
            total={list.total}
            more={list.more}
            loadingMore={list.loadingMore}
            onOpen={setOpened}
          />
        </div>
      )}
      {opened !== undefined && (
        <GuestDialog
          event={event}
          guest={opened === 'new' ? undefined : opened}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

const FILTERS: Readonly<Record<Shown, Readonly<Record<string, string>>>> = {
  all: {},
  here: { checkedIn: 'true' },
  expected: { checkedIn: 'false' },
  contested: { contested: 'true' },
};

/** Expected and checked-in guests. An unknown number is not shown as zero. */
function Counts({ path }: { path: string }) {
  const { data, error, reload } = useQuery<GuestCount>(`${path}/count`, { every: LOOK_EVERY_MS });
  if (error && !data) return <CountUnknown retry={reload} />;
  if (!data) return <p class="totals">{t('state.loading')}</p>;
  if (data.expected === 0) return null;
  return (
    <p class="totals" role="status">
      <span>
        <strong class="number">
          {t('guest.here', { count: number(data.checkedIn), total: number(data.expected) })}
        </strong>
      </span>
      {data.contested > 0 && (
        <button type="button" class="linkbutton" onClick={() => setQuery({ show: 'contested' })}>
          {tn('guest.contestedCount', data.contested)}
        </button>
      )}
    </p>
  );
}

/** Name of a column before its value. On a phone, the table has no head. */
const PhoneLabel = ({ text }: { text: string }) => <span class="cell__label">{text} </span>;

const COLUMNS = (open: (guest: GuestDto) => void): Column<GuestDto>[] => [
  {
    key: 'name',
    head: t('donor.name'),
    width: '2fr',
    phone: 'title',
    cell: (guest) => (
      <>
        <button type="button" class="linkbutton" onClick={() => open(guest)}>
          {guest.name}
        </button>{' '}
        {guest.isVip && <Pill tone="brand">{t('guest.field.isVip')}</Pill>}{' '}
        {guest.needsHelp && <Pill tone="warn">{t('guest.field.needsHelp')}</Pill>}
      </>
    ),
  },
  {
    key: 'table',
    head: t('guest.field.table'),
    width: '8rem',
    phone: 'note',
    cell: ({ table, seat }) =>
      table === null ? (
        '–'
      ) : (
        <>
          <PhoneLabel text={t('guest.field.table')} />
          {seat === null ? table : t('guest.tableSeat', { table, seat })}
        </>
      ),
  },
  {
    key: 'paddle',
    head: t('donation.paddle'),
    width: '8rem',
    phone: 'amount',
    cell: ({ paddle, contestedPaddle }) => (
      <>
        {paddle !== null && <PhoneLabel text={t('donation.paddle')} />}
        <span class="number">{paddle ?? '–'}</span>{' '}
        {contestedPaddle !== null && (
          <Pill tone="warn">{t('guest.contested', { paddle: contestedPaddle })}</Pill>
        )}
      </>
    ),
  },
  {
    key: 'here',
    head: t('guest.checkedIn'),
    width: '11rem',
    phone: 'state',
    cell: ({ checkedInAt, checkedInBy }) =>
      checkedInAt === null ? (
        <span class="lines__meta">{t('guest.notYet')}</span>
      ) : (
        [time(checkedInAt), checkedInBy].filter(Boolean).join(' · ')
      ),
  },
  {
    key: 'note',
    head: t('donation.note'),
    width: '2fr',
    wide: true,
    cell: ({ party, note }) => [party, note].filter(Boolean).join(' · ') || '–',
  },
];
