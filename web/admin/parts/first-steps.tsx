import type { EventSettingsDto } from '../../../src/events/dto/event-settings.dto.js';
import { Icon } from '../../desk/icons.js';
import { exponentOf, money, t } from '../../desk/texts.js';
import { confirmAbove } from '../../kit/large-amounts.js';
import { useQuery } from '../api/query.js';
import { can } from '../me.js';
import { href } from '../router.js';
import type { DeskEvent } from './events.js';

/** Remaining steps before the first donation. Hidden once the event has a donation. */
export function FirstSteps({ event, donations }: { event?: DeskEvent; donations?: number | undefined }) {
  const isShown = can('events:create') && (event === undefined || donations === 0);
  const staff = useQuery<readonly unknown[]>(
    event && isShown && can('staff:list-at-event') ? `/events/${event.id}/staff?pins=false` : null,
  );
  const settings = useQuery<EventSettingsDto>(event && isShown ? `/events/${event.id}/settings` : null);
  if (!isShown) return null;
  const chosen = settings.data?.donation.confirmOfflineAbove ?? null;
  const steps = [
    { text: t('first.event'), done: event !== undefined, to: href('events', { new: '1' }) },
    {
      text: t('first.open'),
      done: event?.status === 'active',
      to: event ? href(`events/${event.slug}`) : undefined,
    },
    {
      text: t('first.team'),
      done: (staff.data?.length ?? 0) > 0,
      to: event ? href('team', { event: event.slug }) : href('team'),
    },
    {
      text:
        event && settings.data
          ? t('first.confirmAbove', {
              limit: money(confirmAbove(chosen, event.currency, exponentOf(event.currency)), event.currency, {
                short: true,
              }),
            })
          : t('first.confirm'),
      done: chosen !== null,
      to: event ? href('settings/donating', { event: event.slug }) : undefined,
    },
    { text: t('first.wall'), done: false, to: event ? `/wall/${event.slug}` : undefined },
    { text: t('first.give'), done: false, to: event ? `/donate/${event.slug}` : undefined },
  ];
  const next = steps.findIndex((step) => !step.done);
  return (
    <section class="panel first" aria-labelledby="first">
      <h2 class="panel__title" id="first">
        {event ? t('first.titleNext') : t('first.title')}
      </h2>
      <ol class="first__steps">
        {steps.map(({ text, done: isDone, to }, index) => (
          <li
            key={text}
            class="first__step"
            data-done={isDone}
            aria-current={index === next ? 'step' : undefined}
          >
            <span class="first__mark" aria-hidden="true">
              {isDone ? <Icon name="check" size={14} /> : index + 1}
            </span>
            {isDone || to === undefined ? (
              <span>{text}</span>
            ) : (
              <a href={to} {...(to.startsWith('/admin') ? {} : { target: '_blank', rel: 'noopener' })}>
                {text}
              </a>
            )}
            {isDone && <span class="visually-hidden"> ({t('first.done')})</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}
