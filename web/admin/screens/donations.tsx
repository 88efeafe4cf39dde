import { useState } from 'preact/hooks';
import type { DonationTotalsDto } from '../../../src/reporting/explain/dto/explain.dto.js';
import { Icon } from '../../desk/icons.js';
import { Menu } from '../../desk/menu.js';
import { Empty, Failed, Skeleton } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { moment, money, number, t, tn } from '../../desk/texts.js';
import { queryOf } from '../api/client.js';
import { useList, useQuery } from '../api/query.js';
import { spokenLanguage } from '../languages.js';
import { can } from '../me.js';
import { DonationSheet } from '../parts/donation-sheet.js';
import { Filters, FOLDED, useFilters } from '../parts/donation-filters.js';
import { type Donation, DonationState, kindOf, nameOf, Paddle } from '../parts/donations.js';
import { download } from '../parts/downloads.js';
import { useEventNamed } from '../parts/events.js';
import { less } from '../parts/ledger.js';
import { OpenPledges } from '../parts/open-pledges.js';
import { PasteReferences } from '../parts/paste-references.js';
import { RecordDialog } from '../parts/record-dialog.js';
import { go, href, setQuery } from '../router.js';

const newer = (row: Donation, other: Donation | undefined): Donation =>
  other && other.updatedAt > row.updatedAt ? other : row;

export function Donations({ id }: { id: string | undefined }) {
  const { api: filters, sort, event, query } = useFilters();
  const { events, event: chosen } = useEventNamed(event ?? null);
  const list = useList<Donation>('/donations', { ...filters, sort });
  const totals = useQuery<DonationTotalsDto>(`/donations/totals${queryOf(filters)}`, { typed: true });
  const [recording, setRecording] = useState(false);
  const [collecting, setCollecting] = useState(false);
  const [pasting, setPasting] = useState(false);
  // Donations loaded by the sheet, which can be newer than the same donations in the list.
  const [fresh, setFresh] = useState<ReadonlyMap<string, Donation>>(new Map());
  const keepFresh = (donation: Donation) => setFresh((before) => new Map(before).set(donation.id, donation));
  const rows = list.rows.map((row) => newer(row, fresh.get(row.id)));
  const open = id === undefined ? undefined : rows.find((row) => row.id === id);
  const search = location.search;
  const onlyName = ['event', 'eventId', 'search', ...FOLDED].every((name) => !query.has(name));
  const bySort = (field: 'createdAt' | 'amount') => ({
    direction:
      sort === field
        ? ('ascending' as const)
        : sort === `-${field}`
          ? ('descending' as const)
          : ('none' as const),
    onSort: () => setQuery({ sort: sort === `-${field}` ? field : `-${field}` }),
  });
  const columns: Column<Donation>[] = [
    {
      key: 'amount',
      head: t('donation.amount'),
      width: '8.5rem',
      end: true,
      phone: 'amount',
      sort: bySort('amount'),
      cell: (row) => (
        <strong class={row.status === 'COMPLETED' ? 'number' : 'number number--soft'}>
          {money(row.amount, row.currency)}
        </strong>
      ),
    },
    {
      key: 'status',
      head: t('donation.state'),
      // Wide enough for the marks of a status and of a dispute.
      width: rows.some(({ dispute }) => dispute) ? '13rem' : '9.5rem',
      phone: 'state',
      cell: (row) => (
        <>
          <DonationState donation={row} />
          {row.refundedAmount > 0 && row.status === 'COMPLETED' && (
            <span class="cell__sub" title={t('donation.partBack')}>
              {less(row.refundedAmount, row.currency)}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'name',
      head: t('donor.one'),
      width: '2.4fr',
      phone: 'title',
      cell: (row) => (
        <>
          <a href={href(`donations/${row.id}`) + search}>{nameOf(row)}</a>
          {row.isAnonymous && row.donorName !== null && (
            <span class="cell__sub"> · {t('donation.hidden')}</span>
          )}
          <Paddle donation={row} class="cell__sub" />
        </>
      ),
    },
    {
      key: 'kind',
      head: t('donation.kind'),
      width: '1.6fr',
      phone: 'note',
      cell: (row) => (
        <>
          {kindOf(row)}
          {row.staffName !== null && <span class="cell__sub"> · {row.staffName}</span>}
        </>
      ),
    },
    ...(chosen
      ? []
      : [
          {
            key: 'event',
            head: t('event.one'),
            width: '1.6fr',
            wide: true,
            cell: (row: Donation) => events.find(({ id: one }) => one === row.eventId)?.name ?? '',
          },
        ]),
    {
      key: 'when',
      head: t('donation.when'),
      width: '8.5rem',
      end: true,
      wide: true,
      sort: bySort('createdAt'),
      cell: (row) => <time dateTime={row.createdAt}>{moment(row.createdAt)}</time>,
    },
  ];
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.donations')}</h1>
        <div class="page__actions">
          {can('donations:export') && <Exports filters={filters} event={chosen?.slug} />}
          {chosen && can('donations:fulfil') && (filters.type === 'pledge' || filters.pledge) && (
            <button type="button" class="button button--quiet" onClick={() => setCollecting(true)}>
              {t('pledges.open')}
            </button>
          )}
          {can('transfers:receive') && (
            <button type="button" class="button button--quiet" onClick={() => setPasting(true)}>
              {t('transfers.open')}
            </button>
          )}
          {can('donations:record') && events[0] && (
            <button type="button" class="button" onClick={() => setRecording(true)}>
              <Icon name="plus" size={16} /> {t('record.open')}
            </button>
          )}
        </div>
      </header>
      <Filters query={query} event={event} chosen={chosen} events={events} />
      <p class="totals" role="status">
        {list.total !== undefined && (
          <span>
            {list.isEstimate
              ? t('donation.about', { count: number(list.total) })
              : tn('donation.count', list.total)}
          </span>
        )}
        {totals.data?.byCurrency.map((one) => (
          <span key={one.currency}>
            <strong class="number">{money(one.inTotals, one.currency)}</strong> {t('totals.counted')}
            {one.received !== one.inTotals &&
              ` · ${t('totals.of', {
                amount: money(one.received, one.currency),
                refunded: money(one.received - one.inTotals, one.currency),
              })}`}
            {one.unpaid > 0 && ` · ${t('totals.unpaid', { amount: money(one.unpaid, one.currency) })}`}
          </span>
        ))}
        {totals.error && (
          <span>
            {t('totals.unknown')}{' '}
            <button type="button" class="linkbutton" onClick={totals.reload}>
              {t('action.retry')}
            </button>
          </span>
        )}
        {list.loading && list.rows.length > 0 && <span class="totals__wait">{t('state.loading')}</span>}
      </p>
      {list.error && <Failed error={list.error} retry={list.reload} />}
      {list.loading && list.rows.length === 0 && <Skeleton rows={10} />}
      {!list.loading && !list.error && list.rows.length === 0 && (
        <Empty
          icon={onlyName ? 'donations' : 'search'}
          title={onlyName ? t('donation.none') : t('state.noMatch')}
        >
          {onlyName ? (
            t('donation.noneText')
          ) : (
            <button type="button" class="linkbutton" onClick={() => go(href('donations'), { replace: true })}>
              {t('filter.clear')}
            </button>
          )}
        </Empty>
      )}
      {list.rows.length > 0 && (
        <div aria-busy={list.loading} class={list.loading ? 'stale' : undefined}>
          <DataTable
            label={t('nav.donations')}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.id}
            total={list.total}
            more={list.more}
            loadingMore={list.loadingMore}
            isCurrent={(row) => row.id === id}
            onOpen={(row) => go(href(`donations/${row.id}`) + search)}
          />
        </div>
      )}
      {id !== undefined && (
        <DonationSheet
          key={id}
          id={id}
          known={open}
          onFresh={keepFresh}
          onClose={() => go(href('donations') + location.search)}
        />
      )}
      {collecting && chosen && <OpenPledges event={chosen} onClose={() => setCollecting(false)} />}
      {pasting && <PasteReferences onClose={() => setPasting(false)} />}
      {recording && events[0] && (
        <RecordDialog events={events} event={chosen ?? events[0]} onClose={() => setRecording(false)} />
      )}
    </>
  );
}

type Filter = Readonly<Record<string, string | undefined>>;

/** Other systems that import donations, by the format of the export. */
const SYSTEMS = { npsp: 'Salesforce NPSP', civicrm: 'CiviCRM', raisersedge: 'Raiser’s Edge' };

function Exports({ filters, event }: { filters: Filter; event: string | undefined }) {
  return (
    <Menu
      label={t('export.menu')}
      class="button button--quiet"
      items={[
        {
          label: t('export.people'),
          onSelect: () =>
            void download(
              `/donations/export${queryOf({ ...filters, format: 'xlsx', language: spokenLanguage() })}`,
              'donations.xlsx',
            ),
        },
        {
          label: t('export.machine'),
          onSelect: () => void download(`/donations/export${queryOf(filters)}`, 'donations.csv'),
        },
        event !== undefined && {
          label: t('export.receipts'),
          onSelect: () => void download(`/export/receipts/zip${queryOf({ eventId: event })}`, 'receipts.zip'),
        },
        ...Object.entries(SYSTEMS).map(([format, system]) => ({
          label: t('export.system', { system }),
          onSelect: () =>
            void download(`/donations/export${queryOf({ ...filters, format })}`, `${format}.zip`),
        })),
      ]}
    >
      <Icon name="download" size={16} /> {t('export.menu')}
    </Menu>
  );
}
