import type { AuditPage } from '../../../src/audit/dto/audit.dto.js';
import type { EventSettingsDto } from '../../../src/events/dto/event-settings.dto.js';
import type { TerminalList } from '../../../src/terminals/dto/terminal.dto.js';
import { Icon } from '../../desk/icons.js';
import { Pill } from '../../desk/states.js';
import { exponentOf, money, t } from '../../desk/texts.js';
import { confirmAbove } from '../../kit/large-amounts.js';
import { type Query, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { href } from '../router.js';
import type { DeskEvent } from './events.js';

/**
 * A step is `checking` or `unknown` while its request is unanswered or has failed. It is never shown as
 * `done` or `todo` without an answer.
 */
type State = 'done' | 'todo' | 'checking' | 'unknown';

const stateOf = <Data,>({ data, error }: Query<Data>, isDone: (data: Data) => boolean): State =>
  data !== undefined ? (isDone(data) ? 'done' : 'todo') : error ? 'unknown' : 'checking';

const doneIf = (isDone: boolean): State => (isDone ? 'done' : 'todo');

/** Remaining steps before the first donation. Hidden once the event has a donation. */
export function FirstSteps({ event, donations }: { event?: DeskEvent; donations?: number | undefined }) {
  const isShown = can('events:create') && (event === undefined || donations === 0);
  const staff = useQuery<readonly unknown[]>(
    event && isShown && can('staff:list-at-event') ? `/events/${event.id}/staff?pins=false` : null,
  );
  const settings = useQuery<EventSettingsDto>(event && isShown ? `/events/${event.id}/settings` : null);
  const deed = (action: string) =>
    event && isShown && can('audit:read') ? `/audit?action=${action}&subjectId=${event.id}&limit=1` : null;
  const seenPins = useQuery<AuditPage>(deed('staff.see_pins'));
  const rehearsed = useQuery<AuditPage>(deed('rehearsal.start'));
  const terminals = useQuery<TerminalList>(event && isShown && can('terminals:list') ? '/terminals' : null);
  if (!isShown) return null;
  const chosen = settings.data?.donation.confirmOfflineAbove ?? null;
  const retry = () => {
    for (const { error, reload } of [staff, settings, seenPins, rehearsed, terminals]) if (error) reload();
  };
  const steps: readonly { readonly text: string; readonly state: State; readonly to: string | undefined }[] =
    [
      { text: t('first.event'), state: doneIf(event !== undefined), to: href('events', { new: '1' }) },
      {
        text: t('first.brand'),
        state: event
          ? stateOf(settings, ({ theme }) => Object.keys({ ...theme.assets, ...theme.variables }).length > 0)
          : 'todo',
        to: href('settings/branding', event && { event: event.slug }),
      },
      {
        text: t('first.team'),
        state: event ? stateOf(staff, (members) => members.length > 0) : 'todo',
        to: event ? href('team', { event: event.slug }) : href('team'),
      },
      {
        text: t('staff.print'),
        state: event ? stateOf(seenPins, ({ data }) => data.length > 0) : 'todo',
        to: event ? href('team', { event: event.slug }) : undefined,
      },
      {
        text: t('terminal.enrol'),
        state: event
          ? stateOf(terminals, ({ data }) => data.some(({ revokedAt }) => revokedAt === null))
          : 'todo',
        to: event ? href('terminals', { event: event.slug }) : undefined,
      },
      {
        text:
          event && settings.data
            ? t('first.confirmAbove', {
                limit: money(
                  confirmAbove(chosen, event.currency, exponentOf(event.currency)),
                  event.currency,
                  {
                    short: true,
                  },
                ),
              })
            : t('first.confirm'),
        state: event ? stateOf(settings, () => chosen !== null) : 'todo',
        to: event ? href('settings/donating', { event: event.slug }) : undefined,
      },
      { text: t('first.wall'), state: 'todo', to: event ? `/wall/${event.slug}` : undefined },
      {
        text: t('first.rehearse'),
        state: event ? stateOf(rehearsed, ({ data }) => data.length > 0) : 'todo',
        to: event ? href(`events/${event.slug}`) : undefined,
      },
      {
        text: t('first.open'),
        state: doneIf(event?.status === 'active'),
        to: event ? href(`events/${event.slug}`) : undefined,
      },
      { text: t('first.give'), state: 'todo', to: event ? `/donate/${event.slug}` : undefined },
    ];
  const next = steps.findIndex(({ state }) => state === 'todo');
  return (
    <section class="panel first" aria-labelledby="first">
      <h2 class="panel__title" id="first">
        {t('first.title')}
      </h2>
      <ol class="first__steps">
        {steps.map(({ text, state, to }, index) => (
          <li
            key={text}
            class="first__step"
            data-state={state}
            aria-current={index === next ? 'step' : undefined}
          >
            <span class="first__mark" aria-hidden="true">
              {state === 'done' ? <Icon name="check" size={14} /> : index + 1}
            </span>
            {state === 'done' || to === undefined ? (
              <span>{text}</span>
            ) : (
              <a href={to} {...(to.startsWith('/admin') ? {} : { target: '_blank', rel: 'noopener' })}>
                {text}
              </a>
            )}
            {state === 'done' && <span class="visually-hidden"> ({t('first.done')})</span>}
            {state === 'checking' && <Pill>{t('closing.checking')}</Pill>}
            {state === 'unknown' && (
              <>
                <Pill tone="bad">{t('closing.notChecked')}</Pill>
                <button
                  type="button"
                  class="linkbutton"
                  aria-label={`${t('action.retry')}: ${text}`}
                  onClick={retry}
                >
                  {t('action.retry')}
                </button>
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
