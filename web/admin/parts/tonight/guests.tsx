import type { GuestCount } from '../../../../src/guests/dto/guest-list.dto.js';
import { number, t } from '../../../desk/texts.js';
import { isMissingRoute } from '../../api/errors.js';
import { useQuery } from '../../api/query.js';
import { CountUnknown } from '../guest-count.js';
import { can } from '../../me.js';
import { href } from '../../router.js';
import type { DeskEvent } from '../events.js';

const LOOK_EVERY_MS = 20_000;

/** Expected and checked-in guests, by table. Nothing for an event without a guest list. */
export function GuestsTonight({ event }: { event: DeskEvent }) {
  const path = can('guests:manage') ? `/events/${event.id}/guests/count` : null;
  const { data, error, reload } = useQuery<GuestCount>(path, { every: LOOK_EVERY_MS });
  if (isMissingRoute(error)) return null;
  if (error && !data)
    return (
      <section class="panel" aria-label={t('nav.guests')}>
        <CountUnknown retry={reload} />
      </section>
    );
  if (data === undefined || data.expected === 0) return null;
  return (
    <section class="panel" aria-labelledby="guests-tonight">
      <header class="panel__head">
        <h2 class="panel__title" id="guests-tonight">
          <a href={href('guests', { event: event.slug })}>{t('nav.guests')}</a>
        </h2>
        <span class="panel__count number">
          {t('guest.here', { count: number(data.checkedIn), total: number(data.expected) })}
        </span>
      </header>
      <details>
        <summary>{t('guest.byTable')}</summary>
        <ul class="lines">
          {data.tables.map(({ table, expected, checkedIn }) => (
            <li key={table ?? ''} class="lines__row">
              <span>{table === null ? t('guest.noTable') : `${t('guest.field.table')} ${table}`}</span>
              <span class="number">
                {number(checkedIn)} / {number(expected)}
              </span>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
