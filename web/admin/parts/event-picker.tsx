import { t } from '../../desk/texts.js';
import { remember } from '../preferences.js';
import { setQuery } from '../router.js';
import type { DeskEvent } from './events.js';

/** Chooses the event of the screen. */
export const EventPicker = ({ event, events }: { event: DeskEvent; events: readonly DeskEvent[] }) => (
  <label class="picker">
    <span class="visually-hidden">{t('event.one')}</span>
    <select
      class="picker__select"
      value={event.slug}
      onChange={({ currentTarget }) => {
        remember('event', currentTarget.value);
        setQuery({ event: currentTarget.value });
      }}
    >
      {events.map(({ id, slug, name }) => (
        <option key={id} value={slug} selected={slug === event.slug}>
          {name}
        </option>
      ))}
    </select>
  </label>
);
