import { useState } from 'preact/hooks';
import type { MilestoneDto, MilestoneList } from '../../../../src/milestones/dto/milestone.dto.js';
import { TextField } from '../../../desk/fields.js';
import { FormDialog } from '../../../desk/form-dialog.js';
import { Problem, useSending } from '../../../desk/sending.js';
import { Failed } from '../../../desk/states.js';
import { money, t } from '../../../desk/texts.js';
import { say } from '../../../desk/toast.js';
import { api } from '../../api/client.js';
import { isMissingRoute } from '../../api/errors.js';
import { changed, useQuery } from '../../api/query.js';
import type { Live } from '../../live.js';
import { can } from '../../me.js';
import { href } from '../../router.js';
import { useAfterChanges } from '../after-changes.js';
import type { DeskEvent } from '../events.js';
import { milestonesPath } from '../milestone-dialog.js';

const READ_EVERY_MS = 1_000;

/** During the event: reached milestones that the team announces and ticks, the next one, and moments by hand. */
export function MilestonesTonight({ event, live }: { event: DeskEvent; live: Live }) {
  const list = useQuery<MilestoneList>(can('milestones:list') ? milestonesPath(event) : null);
  useAfterChanges(live.changes, READ_EVERY_MS, list.reload);
  const [later, setLater] = useState<readonly string[]>([]);
  const [opened, setOpened] = useState(false);
  if (isMissingRoute(list.error)) return null;
  const rows = list.data?.data ?? [];
  const waiting = rows.filter(
    ({ reachedAt, announcedAt, announce, isVisible }) =>
      reachedAt !== null && announcedAt === null && announce === 'by_hand' && isVisible,
  );
  const reached = rows.filter((one) => one.reachedAt !== null && !waiting.includes(one));
  const next = rows.find(({ reachedAt }) => reachedAt === null);
  const raised = live.totals?.totalRaised;
  return (
    <section class="panel" aria-labelledby="milestones">
      <header class="panel__head">
        <h2 class="panel__title" id="milestones">
          <a href={href('milestones', { event: event.slug })}>{t('nav.milestones')}</a>
        </h2>
        {can('milestones:manage') && (
          <button type="button" class="button button--quiet button--small" onClick={() => setOpened(true)}>
            {t('moment.title')}
          </button>
        )}
      </header>
      {list.error && !list.data && <Failed error={list.error} retry={list.reload} />}
      <ul class="lines" aria-live="polite">
        {waiting.map((one) => (
          <Waiting
            key={one.id}
            milestone={one}
            event={event}
            isLater={later.includes(one.id)}
            onLater={() => setLater((before) => [...before, one.id])}
          />
        ))}
        {reached
          .slice(-3)
          .reverse()
          .map((one) => (
            <Reached key={one.id} milestone={one} event={event} />
          ))}
        {next && (
          <li class="lines__row">
            <span>
              {t('milestone.next', { amount: short(next), title: next.title })}
              {next.basis === 'raised' && raised !== undefined && raised < next.amount && (
                <span class="lines__meta">
                  {' '}
                  {t('milestone.missing', {
                    amount: money(next.amount - raised, next.currency, { short: true }),
                  })}
                </span>
              )}
            </span>
          </li>
        )}
      </ul>
      {list.data && rows.length === 0 && <p class="lines__meta">{t('milestone.none')}</p>}
      {opened && <MomentDialog event={event} onClose={() => setOpened(false)} />}
    </section>
  );
}

const short = ({ amount, currency }: MilestoneDto): string => money(amount, currency, { short: true });

/** A reached milestone that the walls do not show yet. */
function Waiting({
  milestone,
  event,
  isLater,
  onLater,
}: {
  milestone: MilestoneDto;
  event: DeskEvent;
  isLater: boolean;
  onLater: () => void;
}) {
  const { busy, problem, send } = useSending();
  return (
    <li class={isLater ? 'lines__row' : 'note note--warn milestone__waiting'} data-milestone={milestone.id}>
      <span>{t('milestone.reached', { amount: short(milestone), title: milestone.title })}</span>
      <Problem text={problem} />
      <span class="milestone__actions">
        <button
          type="button"
          class={isLater ? 'button button--quiet button--small' : 'button button--small'}
          disabled={busy}
          onClick={() =>
            void send(async () => {
              await api(`/milestones/${milestone.id}/announce`, { method: 'POST' });
              changed(milestonesPath(event));
              say(t('remote.told'));
            })
          }
        >
          {t('milestone.announceAction')}
        </button>
        {!isLater && (
          <button type="button" class="button button--quiet button--small" onClick={onLater}>
            {t('milestone.notYet')}
          </button>
        )}
      </span>
    </li>
  );
}

/** A reached milestone with the mark that its promise was kept. */
function Reached({ milestone, event }: { milestone: MilestoneDto; event: DeskEvent }) {
  const { busy, problem, send } = useSending();
  const isDone = milestone.doneAt !== null;
  return (
    <li class="lines__row" data-milestone={milestone.id}>
      <label class="check">
        <input
          type="checkbox"
          checked={busy ? !isDone : isDone}
          disabled={busy || !can('messages:moderate')}
          onChange={() =>
            void send(async () => {
              await api(`/milestones/${milestone.id}/done`, { method: 'POST', body: { done: !isDone } });
              changed(milestonesPath(event));
            })
          }
        />
        <span>
          {t('milestone.reached', { amount: short(milestone), title: milestone.title })}
          <span class="field__hint check__hint">
            {isDone ? t('milestone.state.done') : t('milestone.doneHint')}
            {milestone.heldNow === false && ` · ${t('milestone.below')}`}
          </span>
        </span>
      </label>
      <Problem text={problem} />
    </li>
  );
}

const [SHORTEST, USUAL, LONGEST] = [4, 8, 20];

/** A moment for all walls of the event, by hand. */
function MomentDialog({ event, onClose }: { event: DeskEvent; onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const [seconds, setSeconds] = useState(String(USUAL));
  return (
    <FormDialog
      title={t('moment.title')}
      submit={t('moment.show')}
      disabled={title.trim() === ''}
      onClose={onClose}
      onSave={async () => {
        await api('/wall-moments', {
          method: 'POST',
          body: { eventId: event.id, title, text: text || null, seconds: Number(seconds) },
        });
        say(t('remote.told'));
        onClose();
      }}
    >
      <TextField
        label={t('moment.headline')}
        value={title}
        onValue={setTitle}
        maxLength={64}
        required
        autoFocus
      />
      <TextField label={t('moment.text')} value={text} onValue={setText} maxLength={140} optional />
      <TextField
        label={t('moment.seconds')}
        type="number"
        value={seconds}
        onValue={setSeconds}
        min={SHORTEST}
        max={LONGEST}
        step="1"
        required
      />
    </FormDialog>
  );
}
