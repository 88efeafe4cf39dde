import type { AuditEntryDto } from '../../../src/audit/dto/audit.dto.js';
import { Icon } from '../../desk/icons.js';
import { Empty, Failed, Skeleton } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { dateTime, t, word } from '../../desk/texts.js';
import { queryOf } from '../api/client.js';
import { useList } from '../api/query.js';
import { detailText } from '../parts/audit-words.js';
import { download } from '../parts/downloads.js';
import { whoOf } from '../parts/who.js';
import { setQuery, usePlace } from '../router.js';
import { usePacks } from '../parts/receipt-packs.js';

/** Resources to filter by: the parts of the action names before the dot. */
const RESOURCES = [
  'admin',
  'session',
  'staff',
  'team',
  'terminal',
  'shift',
  'event',
  'settings',
  'floor',
  'rehearsal',
  'gift_aid',
  'guest',
  'guests',
  'image',
  'import',
  'match_pool',
  'donation',
  'donations',
  'donor',
  'receipt',
  'receipts',
  'review',
  'sealed_receipt',
  'summary',
  'audit',
  'email',
  'payment',
  'provider',
  'pledge',
  'pledge_round',
  'milestone',
  'wall_moment',
  'webhook',
  'api_key',
  'card',
  'card_batch',
  'transfer',
  'tribute',
] as const;
const ACTORS = [
  'admin',
  'accountant',
  'staff',
  'donor',
  'provider',
  'system',
  'api',
] as const satisfies readonly AuditEntryDto['actor'][];

const dayStart = (day: string | null, add = 0): string | undefined => {
  if (!day) return undefined;
  const at = new Date(`${day}T00:00`);
  at.setDate(at.getDate() + add);
  return at.toISOString();
};

/** The audit log: the person, the action, its time and the address of the client. */
export function Audit() {
  // The entries name fields of the countries.
  usePacks();
  const { query } = usePlace();
  const filters = {
    action: query.get('action'),
    actor: query.get('actor'),
    subjectId: query.get('subjectId'),
    from: dayStart(query.get('from')),
    to: dayStart(query.get('to'), 1),
  };
  const list = useList<AuditEntryDto>('/audit', filters);
  const columns: Column<AuditEntryDto>[] = [
    {
      key: 'when',
      head: t('donation.when'),
      width: '9.5rem',
      phone: 'amount',
      cell: ({ createdAt }) => <time dateTime={createdAt}>{dateTime(createdAt)}</time>,
    },
    {
      key: 'who',
      head: t('audit.who'),
      width: '8rem',
      phone: 'state',
      cell: (entry) => {
        const who = whoOf(entry, list.names);
        const kind = word('actor', entry.actor);
        return <span title={who === kind ? kind : `${who} (${kind})`}>{who}</span>;
      },
    },
    {
      key: 'what',
      head: t('audit.what'),
      width: '12.5rem',
      phone: 'title',
      cell: ({ action }) => <strong title={action}>{word('deed', action)}</strong>,
    },
    {
      key: 'detail',
      head: t('audit.detail'),
      width: '2fr',
      phone: 'note',
      cell: (entry) => {
        const text = detailText(entry, list.names);
        return <span title={text}>{text}</span>;
      },
    },
    {
      key: 'where',
      head: t('audit.where'),
      width: '8rem',
      wide: true,
      cell: ({ address, client }) => [address, client].filter(Boolean).join(' · '),
    },
  ];
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.audit')}</h1>
        <div class="page__actions">
          <button
            type="button"
            class="button button--quiet"
            onClick={() => void download(`/audit/export${queryOf(filters)}`, 'audit.csv')}
          >
            <Icon name="download" size={16} /> CSV
          </button>
        </div>
      </header>
      <div class="filters" role="search" aria-label={t('audit.filter')}>
        <Pick
          label={t('audit.what')}
          all={t('audit.everything')}
          name="action"
          value={filters.action}
          choices={RESOURCES.map((one) => [one, word('resource', one)])}
        />
        <Pick
          label={t('audit.who')}
          all={t('filter.everybody')}
          name="actor"
          value={filters.actor}
          choices={ACTORS.map((one) => [one, word('actor', one)])}
        />
        {(['from', 'to'] as const).map((name) => (
          <label key={name} class="filters__day">
            <span>{t(`filter.${name}`)}</span>
            <input
              type="date"
              class="input"
              value={query.get(name) ?? ''}
              onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
            />
          </label>
        ))}
      </div>
      {list.error && <Failed error={list.error} retry={list.reload} />}
      {list.loading && list.rows.length === 0 && <Skeleton rows={10} />}
      {!list.loading && !list.error && list.rows.length === 0 && (
        <Empty icon="audit" title={t('state.noMatch')} />
      )}
      {list.rows.length > 0 && (
        <div aria-busy={list.loading}>
          <DataTable
            label={t('nav.audit')}
            columns={columns}
            rows={list.rows}
            keyOf={({ id }) => id}
            more={list.more}
            loadingMore={list.loadingMore}
          />
        </div>
      )}
    </>
  );
}

const Pick = ({
  label,
  all,
  name,
  value,
  choices,
}: {
  label: string;
  all: string;
  name: string;
  value: string | null;
  choices: readonly (readonly [string, string])[];
}) => (
  <label class="filters__choice">
    <span class="visually-hidden">{label}</span>
    <select
      class="input select"
      value={value ?? ''}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    >
      <option value="">{all}</option>
      {choices.map(([one, text]) => (
        <option key={one} value={one} selected={one === value}>
          {text}
        </option>
      ))}
    </select>
  </label>
);
