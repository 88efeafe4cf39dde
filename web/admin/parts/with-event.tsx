import type { ComponentChildren } from 'preact';
import { Empty, Failed, Skeleton } from '../../desk/states.js';
import { t } from '../../desk/texts.js';
import { can } from '../me.js';
import { href } from '../router.js';
import { type DeskEvent, useEvent } from './events.js';

interface WithEventProps {
  /** Name of the screen, shown while there is no event. */
  readonly title: string;
  readonly children: (event: DeskEvent, events: readonly DeskEvent[]) => ComponentChildren;
}

/** A screen about one event. Without an event, offers to add one. */
export function WithEvent({ title, children }: WithEventProps) {
  const { event, events, loading, error } = useEvent();
  if (loading) return <Skeleton />;
  if (error && !event) return <Failed error={error} />;
  if (event) return <>{children(event, events)}</>;
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{title}</h1>
      </header>
      <Empty icon="events" title={t('event.none')}>
        {can('events:create') && <a href={href('events', { new: '1' })}>{t('first.event')}</a>}
      </Empty>
    </>
  );
}
