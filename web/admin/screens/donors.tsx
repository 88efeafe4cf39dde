import { useState } from 'preact/hooks';
import type { DonorDto, ErasedDonorDto, PersonDto } from '../../../src/donors/dto/donor.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { ConfirmDialog, FormDialog } from '../../desk/form-dialog.js';
import { LongList } from '../../desk/long-list.js';
import { Menu } from '../../desk/menu.js';
import { CheckField, SearchBox, SelectField, TextField } from '../../desk/fields.js';
import { Empty, Failed, NotHere, Pill, Skeleton } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { calendarDay, date, money, t, tn } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed, useList, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { kindOf, STATUS_TONE } from '../parts/donations.js';
import { download } from '../parts/downloads.js';
import { usePack } from '../parts/receipt-packs.js';
import { SealedReceipts } from '../parts/sealed-receipts.js';
import { go, href, setQuery, usePlace } from '../router.js';

const sums = (totals: DonorDto['totals']): string =>
  totals.map(({ currency, amount }) => money(amount, currency, { short: true })).join(' + ') || '0';

/** Donors, each with the donations to all events. */
export function Donors({ id }: { id: string | undefined }) {
  const { query } = usePlace();
  const list = useList<DonorDto>('/donors', { search: query.get('search') });
  const [showsSealed, setShowsSealed] = useState(false);
  const missing = isMissingRoute(list.error);
  const search = location.search;
  const columns: Column<DonorDto>[] = [
    {
      key: 'name',
      head: t('donor.one'),
      width: '2fr',
      phone: 'title',
      cell: ({ key, name, email }) => (
        <a href={href(`donors/${key}`) + search}>{name ?? email ?? t('donor.unnamed')}</a>
      ),
    },
    { key: 'email', head: t('field.email'), width: '2fr', phone: 'note', cell: ({ email }) => email ?? '–' },
    {
      key: 'count',
      head: t('donation.many'),
      width: '9rem',
      end: true,
      phone: 'state',
      cell: ({ donations }) => tn('donation.count', donations),
    },
    {
      key: 'sum',
      head: t('donor.given'),
      width: '10rem',
      end: true,
      phone: 'amount',
      cell: ({ totals }) => <strong class="number">{sums(totals)}</strong>,
    },
    {
      key: 'last',
      head: t('donor.last'),
      width: '8rem',
      end: true,
      wide: true,
      cell: ({ lastDonationAt }) => date(lastDonationAt),
    },
  ];
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.donors')}</h1>
        {!missing && can('sealed-receipts:list') && (
          <button type="button" class="button button--quiet" onClick={() => setShowsSealed(true)}>
            {t('sealed.title')}
          </button>
        )}
        {!missing && can('gift-aid:export') && (
          <a class="button button--quiet" href={href('donors/gift-aid')}>
            {t('giftAid.title')}
          </a>
        )}
      </header>
      {!missing && (
        <SearchBox
          label={t('filter.search')}
          value={query.get('search') ?? ''}
          onValue={(value) => setQuery({ search: value })}
        />
      )}
      {list.error && (missing ? <NotHere /> : <Failed error={list.error} retry={list.reload} />)}
      {list.loading && list.rows.length === 0 && <Skeleton rows={8} />}
      {!list.loading && !list.error && list.rows.length === 0 && (
        <Empty icon="donors" title={query.get('search') ? t('state.noMatch') : t('donor.none')}>
          {t('donor.noneText')}
        </Empty>
      )}
      {list.rows.length > 0 && (
        <DataTable
          label={t('nav.donors')}
          columns={columns}
          rows={list.rows}
          keyOf={({ key }) => key}
          total={list.total}
          more={list.more}
          loadingMore={list.loadingMore}
          isCurrent={({ key }) => key === id}
          onOpen={({ key }) => go(href(`donors/${key}`) + search)}
        />
      )}
      {showsSealed && <SealedReceipts onClose={() => setShowsSealed(false)} />}
      {id !== undefined && <PersonSheet id={id} onClose={() => go(href('donors') + location.search)} />}
    </>
  );
}

/** Sentences about the records that stay after an erasure: how many, until when, and why. */
const keptTexts = ({
  giftAidDeclarations,
  receipts = [],
  until,
}: NonNullable<PersonDto['kept']>): readonly string[] => [
  ...(giftAidDeclarations > 0
    ? [tn('donor.keepsText', giftAidDeclarations, { date: calendarDay(until) })]
    : []),
  ...receipts.map((kept) =>
    tn('donor.keepsReceipts', kept.receipts, { date: calendarDay(kept.until), law: kept.law }),
  ),
];

const Kept = ({ kept }: Pick<PersonDto, 'kept'>) => (
  <>
    {kept &&
      keptTexts(kept).map((text) => (
        <p key={text} class="note">
          {text}
        </p>
      ))}
  </>
);

const YEARS = 4;
/** Maximum number of donations that the server lists for one donor; the export contains all. */
const MOST_DONATIONS = 1_000;

/** Downloads the statement of a period, such as an accounting year. It begins with the last twelve whole months. */
function StatementDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const now = new Date();
  const [from, setFrom] = useState(dayOf(new Date(now.getFullYear() - 1, now.getMonth(), 1)));
  const [to, setTo] = useState(dayOf(new Date(now.getFullYear(), now.getMonth(), 0)));
  const [isList, setList] = useState(false);
  const pack = usePack();
  return (
    <FormDialog
      title={t('donor.statementTitle')}
      submit={t('action.download')}
      disabled={from === '' || to === '' || to < from}
      onSave={async () => {
        const form = isList ? '&form=list' : '';
        if (await download(`/donors/${id}/statement?from=${from}&to=${to}${form}`, 'statement.pdf'))
          onClose();
      }}
      onClose={onClose}
    >
      <TextField label={t('donor.statementFirst')} type="date" value={from} onValue={setFrom} />
      <TextField label={t('donor.statementLast')} type="date" value={to} onValue={setTo} />
      {pack?.hasAnnual && (
        <CheckField label={t('donor.statementList')} checked={isList} onChecked={setList} />
      )}
    </FormDialog>
  );
}

/** Issues the collective receipt of a year, or downloads a copy of it. */
function CollectiveDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const latest = new Date().getFullYear();
  const [year, setYear] = useState(String(latest - 1));
  const [isIncluding, setIncluding] = useState(false);
  return (
    <FormDialog
      title={t('donor.collectiveTitle')}
      submit={t('action.download')}
      onSave={async () => {
        const body = { year: Number(year), isIncluding };
        if (await download(`/donors/${id}/collective-receipt`, 'sammelbestaetigung.pdf', body)) onClose();
      }}
      onClose={onClose}
    >
      <SelectField
        label={t('donor.collectiveYear')}
        value={year}
        choices={Array.from({ length: YEARS }, (_, index) => String(latest - index)).map((value) => ({
          value,
          label: value,
        }))}
        onValue={setYear}
      />
      <CheckField
        label={t('donor.collectiveInclude')}
        hint={t('donor.collectiveHint')}
        checked={isIncluding}
        onChecked={setIncluding}
      />
    </FormDialog>
  );
}

/** The day of a moment in the browser, `YYYY-MM-DD`. */
const dayOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

function PersonSheet({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, reload } = useQuery<PersonDto>(`/donors/${id}`);
  const [erasing, setErasing] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const [collecting, setCollecting] = useState(false);
  const pack = usePack();
  const name = data?.name ?? data?.email ?? t('donor.unnamed');
  const year = new Date().getFullYear();
  return (
    <Dialog
      title={data ? (data.erased ? t('donor.erased') : name) : t('donor.one')}
      subtitle={data?.email}
      look="sheet"
      onClose={onClose}
      actions={
        data && (
          <>
            <Menu
              label={t('donor.statement')}
              class="button button--quiet"
              up
              items={[
                ...Array.from({ length: YEARS }, (_, index) => ({
                  label: String(year - index),
                  onSelect: () =>
                    void download(`/donors/${id}/statement?year=${year - index}`, 'statement.pdf'),
                })),
                { label: t('donor.statementOther'), onSelect: () => setChoosing(true) },
                pack?.hasCollective &&
                  can('donors:confirm') && {
                    label: t('donor.collective'),
                    onSelect: () => setCollecting(true),
                  },
              ]}
            >
              {t('donor.statement')}
            </Menu>
            <button
              type="button"
              class="button button--quiet"
              onClick={() => void download(`/donors/${id}/export`, 'donor.json')}
            >
              {t('donor.export')}
            </button>
            {can('donors:erase') && !data.erased && (
              <button type="button" class="button button--quiet button--bad" onClick={() => setErasing(true)}>
                {t('donor.erase')}
              </button>
            )}
          </>
        )
      }
    >
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton />}
      {data && (
        <div class="stack">
          <p>
            <strong class="number">{sums(data.totals)}</strong> · {tn('donation.count', data.donationCount)}
          </p>
          {data.erased && <Kept kept={data.kept} />}
          <LongList rows={data.donations} most={MOST_DONATIONS}>
            {(donation) => (
              <li key={donation.id} class="lines__row">
                <span>
                  <a href={href(`donations/${donation.id}`)}>{money(donation.amount, donation.currency)}</a>{' '}
                  <span class="lines__meta">
                    {donation.eventName} · {kindOf(donation)}
                  </span>
                </span>
                <span class="lines__meta">
                  <Pill tone={STATUS_TONE[donation.status]}>{t(`donation.status.${donation.status}`)}</Pill>{' '}
                  {date(donation.createdAt)}
                </span>
              </li>
            )}
          </LongList>
        </div>
      )}
      {collecting && <CollectiveDialog id={id} onClose={() => setCollecting(false)} />}
      {choosing && <StatementDialog id={id} onClose={() => setChoosing(false)} />}
      {erasing && data && (
        <ConfirmDialog
          title={t('donor.eraseTitle', { name })}
          confirm={t('donor.erase')}
          danger
          onClose={() => setErasing(false)}
          onConfirm={async () => {
            const { kept } = await api<ErasedDonorDto>(`/donors/${id}`, { method: 'DELETE' });
            changed('/donors', '/donations', '/gift-aid');
            say([t('donor.eraseDone'), ...(kept ? keptTexts(kept) : [])].join(' '));
          }}
        >
          <p>{tn('donor.eraseText', data.donationCount, { amount: sums(data.totals) })}</p>
          <Kept kept={data.kept} />
        </ConfirmDialog>
      )}
    </Dialog>
  );
}
