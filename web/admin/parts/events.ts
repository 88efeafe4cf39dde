import { useEffect } from 'preact/hooks';
import type { EventDetailDto, EventDto, ListedEventDto } from '../../../src/events/dto/event.dto.js';
import type { Tone } from '../../desk/states.js';
import { t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { remember, remembered } from '../preferences.js';
import { setQuery, usePlace } from '../router.js';

/** An event of a list. Its totals are absent if they are too large for JSON. */
export type DeskEvent = ListedEventDto;
export type EventStatus = EventDto['status'];

/** Maximum number of events in the picker. Older events are on the page "Events". */
const CHOICES = 200;

export const useEvents = () => useQuery<readonly DeskEvent[]>(`/events?limit=${CHOICES}`);

/** Next states that the page offers for each state. The server checks each change again. */
export const NEXT_STATUS: Readonly<Record<EventStatus, readonly EventStatus[]>> = {
  draft: ['active', 'archived'],
  active: ['paused', 'closed', 'archived'],
  paused: ['active', 'closed', 'archived'],
  closed: ['active', 'archived'],
  archived: [],
};

/**
 * Moves the event to a state, unless somebody moved it after this page had read its state.
 * @throws ApiError EDIT_CONFLICT
 */
export async function moveEvent(
  { id, name }: Pick<DeskEvent, 'id' | 'name'>,
  status: EventStatus,
  expected: { readonly status: EventStatus },
): Promise<void> {
  await api(`/events/${id}`, { method: 'PATCH', body: { status, expected } }).finally(() =>
    changed('/events'),
  );
  say(t('event.isNow', { name, state: t(`event.status.${status}`) }));
}

export const STATUS_TONE: Readonly<Record<EventStatus, Tone>> = {
  draft: 'quiet',
  active: 'good',
  paused: 'warn',
  closed: 'brand',
  archived: 'quiet',
};

const ORDER: readonly EventStatus[] = ['active', 'paused', 'closed', 'draft', 'archived'];

interface ChosenEvent {
  readonly event: DeskEvent | undefined;
  /** Events to choose from: the newest events. If the chosen event is older, it comes first. */
  readonly events: readonly DeskEvent[];
  readonly loading: boolean;
  readonly error: Error | undefined;
}

/** Returns the event with this id or slug, even if it is older than the events in the picker. */
export function useEventNamed(ref: string | null): ChosenEvent {
  const list = useEvents();
  const recent = list.data?.find(({ id, slug }) => id === ref || slug === ref);
  const isOlder = ref !== null && list.data !== undefined && !recent;
  const older = useQuery<EventDetailDto>(isOlder ? `/events/${encodeURIComponent(ref)}` : null);
  const found = isOlder ? older.data : undefined;
  return {
    event: recent ?? found,
    events: [...(found ? [found] : []), ...(list.data ?? [])],
    loading:
      ref !== null && ((list.data === undefined && list.loading) || (isOlder && older.loading && !found)),
    error: list.error,
  };
}

/**
 * Chooses the event of a screen: the event in the address, otherwise the last viewed or the open event. The choice is
 * written into the address. So the screen keeps this event, also after the event is closed.
 */
export function useEvent(): ChosenEvent {
  const { query } = usePlace();
  const inAddress = query.get('event');
  const list = useEvents();
  const named = useEventNamed(inAddress ?? remembered('event') ?? null);
  const running = [...(list.data ?? [])].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))[0];
  const event = named.event ?? (named.loading ? undefined : running);
  const slug = event?.slug;
  useEffect(() => {
    if (slug === undefined) return;
    remember('event', slug);
    if (inAddress !== slug) setQuery({ event: slug });
  }, [slug, inAddress]);
  return { ...named, event, loading: event === undefined && (named.loading || list.loading) };
}
