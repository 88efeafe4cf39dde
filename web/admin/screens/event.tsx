import { useEffect, useState } from 'preact/hooks';
import type { EventDetailDto } from '../../../src/events/dto/event.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { ConfirmDialog } from '../../desk/form-dialog.js';
import { Icon } from '../../desk/icons.js';
import { Menu } from '../../desk/menu.js';
import { Failed, Pill, Skeleton } from '../../desk/states.js';
import { dateTime, money, percent, t, tn } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { remember } from '../preferences.js';
import { type Change, ChangeDialog } from '../parts/edit-conflict.js';
import { EmbedSnippets } from '../parts/embed-snippets.js';
import { Prints } from '../parts/prints.js';
import { EventForm, type EventFields } from '../parts/event-form.js';
import { EventTeam } from '../parts/event-team.js';
import { type EventStatus, moveEvent, NEXT_STATUS, STATUS_TONE } from '../parts/events.js';
import { ExplainButton } from '../parts/explain.js';
import { Rehearsal } from '../parts/rehearsal.js';
import { isRehearsal } from '../../kit/rehearsal.js';
import { go, href } from '../router.js';

type Open = 'edit' | 'delete' | 'state' | undefined;

export function EventScreen({ slug }: { slug: string }) {
  const { data: event, error, reload } = useQuery<EventDetailDto>(`/events/${encodeURIComponent(slug)}`);
  const [open, setOpen] = useState<Open>();
  const known = event?.slug;
  useEffect(() => {
    if (known !== undefined) remember('event', known);
  }, [known]);
  if (error && !event) return <Failed error={error} retry={reload} />;
  if (!event) return <Skeleton />;
  const close = () => setOpen(undefined);
  const save = async (_: EventFields, { changes, expected }: Change<EventFields>) => {
    if (Object.keys(changes).length === 0) {
      close();
      return;
    }
    const saved = await api<EventDetailDto>(`/events/${event.id}`, {
      method: 'PATCH',
      body: { ...changes, expected },
    });
    changed('/events');
    say(t('state.saved'));
    if (saved.warning !== undefined) say(saved.warning, 'bad');
    close();
    if (saved.slug !== event.slug) go(href(`events/${saved.slug}`), { replace: true });
  };
  const part = event.goalAmount > 0 ? event.totalRaised / event.goalAmount : undefined;
  return (
    <>
      <p class="crumb">
        <a href={href('events')}>
          <Icon name="left" size={16} /> {t('nav.events')}
        </a>
      </p>
      <header class="page__head">
        <div class="page__title">
          <h1 class="page__name">{event.name}</h1>
          <Pill tone={STATUS_TONE[event.status]}>{t(`event.status.${event.status}`)}</Pill>
        </div>
        <div class="page__actions">
          {can('events:update') && NEXT_STATUS[event.status].length > 0 && (
            <button type="button" class="button" onClick={() => setOpen('state')}>
              {t('event.changeState')}
            </button>
          )}
          {can('events:update') && (
            <Menu
              label={t('action.more')}
              class="button button--quiet button--icon"
              items={[
                { label: t('action.edit'), onSelect: () => setOpen('edit') },
                { label: t('event.duplicate'), onSelect: () => go(href('events', { new: event.slug })) },
                {
                  label: t('event.brand'),
                  onSelect: () => go(href('settings/branding', { event: event.slug })),
                },
                { label: t('event.delete'), danger: true, onSelect: () => setOpen('delete') },
              ]}
            >
              <Icon name="more" />
            </Menu>
          )}
        </div>
      </header>
      <p class="lead">{t(`event.meaning.${event.status}`)}</p>
      <div class="columns columns--below">
        <section class="panel" aria-labelledby="facts">
          <header class="panel__head">
            <h2 class="panel__title" id="facts">
              {t('event.facts')}
            </h2>
            {can('events:update') && (
              <button type="button" class="linkbutton" onClick={() => setOpen('edit')}>
                {t('action.edit')}
              </button>
            )}
          </header>
          <p class="total__amount total__amount--small number">
            {money(event.totalRaised, event.currency, { short: true })}
          </p>
          {part !== undefined && (
            <progress
              class="meter meter--thin"
              max={1}
              value={Math.min(1, part)}
              aria-label={t('tonight.ofGoalLabel', { percent: percent(event.totalRaised, event.goalAmount) })}
            />
          )}
          <dl class="facts">
            <dt>{t('event.goal')}</dt>
            <dd class="number">
              {event.goalAmount > 0 ? money(event.goalAmount, event.currency, { short: true }) : '–'}
            </dd>
            <dt>{t('donor.many')}</dt>
            <dd>{tn('donor.count', event.donorCount)}</dd>
            {event.totals
              .filter(({ currency }) => currency !== event.currency)
              .map((other) => (
                <>
                  <dt>{other.currency.toUpperCase()}</dt>
                  <dd class="number">
                    {money(other.totalRaised, other.currency)}{' '}
                    <ExplainButton eventId={event.id} currency={other.currency} name={event.name} />
                  </dd>
                </>
              ))}
            <dt>{t('event.date')}</dt>
            <dd>{dateTime(event.date)}</dd>
            {event.description !== '' && (
              <>
                <dt>{t('event.description')}</dt>
                <dd class="facts__text">{event.description}</dd>
              </>
            )}
          </dl>
          <p class="panel__links">
            <ExplainButton eventId={event.id} currency={event.currency} name={event.name} />
            <a href={href('donations', { event: event.slug })}>{t('nav.donations')}</a>
            <a href={href('tonight', { event: event.slug })}>{t('nav.tonight')}</a>
            <a href={href('closing', { event: event.slug })}>{t('nav.closing')}</a>
            {can('events:update') && (
              <a href={href('settings/branding', { event: event.slug })}>{t('event.look')}</a>
            )}
          </p>
        </section>
        <div class="columns__side">
          <Pages slug={event.slug} />
          {can('events:update') && <Prints slug={event.slug} />}
          {can('rehearsals:manage') && !isRehearsal(event.id) && <Rehearsal eventId={event.id} />}
          {can('staff:list-at-event') && <EventTeam eventId={event.id} slug={event.slug} />}
        </div>
        <EmbedSnippets event={event} />
      </div>
      {open === 'edit' && (
        <Dialog
          title={t('event.editTitle', { name: event.name })}
          onClose={close}
          actions={
            <>
              <button type="button" class="button button--quiet" onClick={close}>
                {t('action.cancel')}
              </button>
              <button type="submit" form="edit-event" class="button">
                {t('action.save')}
              </button>
            </>
          }
        >
          <EventForm id="edit-event" event={event} currencyFixed={event.donorCount > 0} onSave={save} />
        </Dialog>
      )}
      {open === 'state' && <StateDialog event={event} onClose={close} />}
      {open === 'delete' && (
        <ConfirmDialog
          title={t('event.deleteTitle', { name: event.name })}
          confirm={t('event.delete')}
          danger
          onClose={close}
          onConfirm={async () => {
            await api(`/events/${event.id}`, { method: 'DELETE' });
            changed('/events');
            say(t('event.deleted', { name: event.name }));
            go(href('events'), { replace: true });
          }}
        >
          <p>
            {event.donorCount > 0
              ? t('event.deleteHas', { amount: money(event.totalRaised, event.currency) })
              : t('event.deleteText')}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

const Pages = ({ slug }: { slug: string }) => (
  <section class="panel" aria-labelledby="pages">
    <h2 class="panel__title" id="pages">
      {t('tonight.pages')}
    </h2>
    <ul class="lines">
      {(
        [
          [t('tonight.donate'), `/donate/${slug}`],
          [t('event.kiosk'), `/donate/${slug}?kiosk=1`],
          [t('tonight.wall'), `/wall/${slug}`],
          [t('event.wallCode'), `/wall/${slug}?scene=qr`],
          [t('event.overlay'), `/wall/${slug}?mode=overlay&show=gauge`],
          [t('event.till'), '/pos'],
        ] as const
      ).map(([text, address]) => (
        <li key={address} class="lines__row">
          <a href={address} target="_blank" rel="noopener">
            {text}
          </a>
          <span class="lines__meta lines__meta--address">{address}</span>
        </li>
      ))}
    </ul>
  </section>
);

/** The next possible states of the event, with the effect of each on donors, team and wall. */
function StateDialog({ event, onClose }: { event: EventDetailDto; onClose: () => void }) {
  const [to, setTo] = useState<EventStatus | undefined>(NEXT_STATUS[event.status][0]);
  return (
    <ChangeDialog
      title={t('event.changeState')}
      confirm={to ? t(`event.to.${to as Exclude<EventStatus, 'draft'>}`) : t('action.save')}
      danger={to === 'archived'}
      read={{ status: event.status }}
      onClose={onClose}
      onConfirm={async (expected) => {
        if (to) await moveEvent(event, to, expected);
      }}
    >
      <p>{t('event.stateNow', { state: t(`event.status.${event.status}`) })}</p>
      <fieldset class="choices">
        <legend class="visually-hidden">{t('event.state')}</legend>
        {NEXT_STATUS[event.status].map((status) => (
          <label key={status} class={to === status ? 'choice choice--chosen' : 'choice'}>
            <input type="radio" name="state" checked={to === status} onChange={() => setTo(status)} />
            <span>
              <strong>{t(`event.status.${status}`)}</strong>
              <span class="choice__text">{t(`event.meaning.${status}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </ChangeDialog>
  );
}
