import { useEffect, useRef, useState } from 'preact/hooks';
import type { AssignedStaff } from '../../../src/staff/dto/staff.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { Icon } from '../../desk/icons.js';
import { SearchBox } from '../../desk/fields.js';
import { Empty, Failed, Pill, Skeleton } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { date, money, t } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { api, queryOf } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { EventForm, type EventFields } from '../parts/event-form.js';
import { type DeskEvent, STATUS_TONE } from '../parts/events.js';
import { ImageField } from '../parts/image-field.js';
import { go, href, setQuery, usePlace } from '../router.js';

const PAGE = 200;

/** Reads all events or the matches of a search, newest first. The next page starts after the id of the last event. */
function usePages(search: string) {
  const path = `/events${queryOf({ limit: PAGE, search })}`;
  const first = useQuery<readonly DeskEvent[]>(path);
  const [rest, setRest] = useState<readonly DeskEvent[]>([]);
  const [ended, setEnded] = useState(false);
  const [loadingMore, setLoadingMore] = useState(false);
  const reading = useRef(path);
  reading.current = path;
  useEffect(() => {
    setRest([]);
    setEnded(false);
    setLoadingMore(false);
  }, [path, first.at]);
  const rows = [...(first.data ?? []), ...rest];
  const last = rows.at(-1)?.id;
  const hasMore = !ended && rows.length > 0 && rows.length % PAGE === 0;
  const more = () => {
    if (last === undefined || loadingMore) return;
    setLoadingMore(true);
    api<readonly DeskEvent[]>(`${path}&after=${last}`)
      .then((page) => {
        // The search text has changed meanwhile, so this page belongs to the previous search.
        if (reading.current !== path) return;
        setRest((before) => [...before, ...page]);
        if (page.length < PAGE) setEnded(true);
      }, sayError)
      .finally(() => setLoadingMore(false));
  };
  return { ...first, rows, more: hasMore ? more : undefined, loadingMore };
}

const TYPING_MS = 220;

/** Returns the search text with a delay: it changes only after a pause in typing. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export function Events() {
  const { query } = usePlace();
  const [search, setSearch] = useState('');
  const wanted = useSettled(search.trim());
  const { rows, data, error, reload, more, loadingMore } = usePages(wanted);
  const isFiltered = search.trim() !== '' || wanted !== '';
  const creating = query.get('new') !== null;
  const columns: Column<DeskEvent>[] = [
    {
      key: 'name',
      head: t('event.one'),
      width: '3fr',
      phone: 'title',
      cell: (event) => <a href={href(`events/${event.slug}`)}>{event.name}</a>,
    },
    {
      key: 'status',
      head: t('event.state'),
      width: '8rem',
      phone: 'state',
      cell: ({ status }) => <Pill tone={STATUS_TONE[status]}>{t(`event.status.${status}`)}</Pill>,
    },
    { key: 'date', head: t('event.date'), width: '9rem', phone: 'note', cell: (event) => date(event.date) },
    {
      key: 'raised',
      head: t('tonight.raised'),
      width: '9rem',
      end: true,
      phone: 'amount',
      cell: ({ totalRaised, currency }) =>
        totalRaised === undefined ? t('ledger.unknown') : money(totalRaised, currency, { short: true }),
    },
    {
      key: 'goal',
      head: t('event.goal'),
      width: '9rem',
      end: true,
      wide: true,
      cell: ({ goalAmount, currency }) =>
        goalAmount > 0 ? money(goalAmount, currency, { short: true }) : '–',
    },
  ];
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.events')}</h1>
        {can('events:create') && (
          <div class="page__actions">
            <a class="button" href={href('events', { new: '1' })}>
              <Icon name="plus" size={16} /> {t('event.new')}
            </a>
          </div>
        )}
      </header>
      {(rows.length > 8 || isFiltered) && (
        <SearchBox label={t('event.search')} value={search} onValue={(value) => setSearch(value)} />
      )}
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton />}
      {data?.length === 0 && !isFiltered && (
        <Empty icon="events" title={t('event.none')}>
          {t('event.noneText')}
        </Empty>
      )}
      {data?.length === 0 && isFiltered && <Empty title={t('state.noMatch')} />}
      {rows.length > 0 && (
        <DataTable
          label={t('nav.events')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          more={more}
          loadingMore={loadingMore}
          onOpen={({ slug }) => go(href(`events/${slug}`))}
        />
      )}
      {creating && can('events:create') && (
        <CreateEvent
          events={rows}
          copyOf={query.get('new') ?? ''}
          onClose={() => setQuery({ new: undefined })}
        />
      )}
    </>
  );
}

/** Dialog for a new event. `copyOf` is the slug of an event to duplicate. */
function CreateEvent({
  events,
  copyOf,
  onClose,
}: {
  events: readonly DeskEvent[];
  copyOf: string;
  onClose: () => void;
}) {
  const original = events.find(({ slug }) => slug === copyOf);
  const start: Partial<EventFields> | undefined = original && {
    name: t('event.copyName', { name: original.name }),
    slug: `${original.slug}-2`,
    goalAmount: original.goalAmount,
    description: original.description,
    currency: original.currency,
  };
  const create = async (fields: EventFields, status: 'active' | 'draft') => {
    const event = await api<DeskEvent>('/events', { method: 'POST', body: { ...fields, status } });
    if (original) await copyOver(original, event);
    if (picture !== undefined) await showPicture(event, picture);
    changed('/events');
    say(t(status === 'active' ? 'event.created' : 'event.createdDraft', { name: event.name }));
    if (event.warning !== undefined) say(event.warning, 'bad');
    go(href(`events/${event.slug}`), { replace: true });
  };
  const [status, setStatus] = useState<'active' | 'draft'>('active');
  const [picture, setPicture] = useState<string>();
  return (
    <Dialog
      title={original ? t('event.duplicateTitle', { name: original.name }) : t('event.new')}
      onClose={onClose}
      actions={
        <>
          <button
            type="submit"
            form="new-event"
            class="button button--quiet"
            onClick={() => setStatus('draft')}
          >
            {t('event.saveDraft')}
          </button>
          <button type="submit" form="new-event" class="button" onClick={() => setStatus('active')}>
            {t('event.create')}
          </button>
        </>
      }
    >
      {original && <p class="field__hint">{t('event.duplicateText')}</p>}
      <EventForm
        key={original?.id ?? 'new'}
        id="new-event"
        {...(start && { start })}
        onSave={(fields) => create(fields, status)}
      />
      {!original && can('images:upload') && (
        <ImageField
          label={t('settings.picture')}
          hint={t('settings.pictureHint')}
          value={picture ?? ''}
          onValue={setPicture}
        />
      )}
    </Dialog>
  );
}

/** Shows the picture on the pages of a new event. The event exists even if the picture is refused. */
async function showPicture(event: DeskEvent, picture: string): Promise<void> {
  try {
    await api(`/events/${event.id}/branding`, { method: 'PATCH', body: { assets: { picture } } });
  } catch (error) {
    sayError(error);
  }
}

/** Copies the team and the own settings of the original event to its duplicate. */
async function copyOver(original: DeskEvent, event: DeskEvent): Promise<void> {
  const [staff, settings, global] = await Promise.all([
    api<readonly AssignedStaff[]>(`/events/${original.id}/staff?pins=false`),
    api<Record<string, unknown>>(`/events/${original.id}/settings`),
    api<Record<string, unknown>>('/settings/global'),
  ]);
  for (const { id } of staff) await api(`/events/${event.id}/staff/${id}`, { method: 'POST' });
  const overrides = Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => name in global && JSON.stringify(value) !== JSON.stringify(global[name]),
    ),
  );
  // Does not copy the state of the walls, because the walls of the new event must not start paused.
  const { wall: _, ...live } = (overrides['live'] ?? {}) as Record<string, unknown>;
  if ('live' in overrides) overrides['live'] = live;
  if (Object.keys(overrides).length > 0)
    await api(`/events/${event.id}/settings`, { method: 'PATCH', body: overrides });
}
