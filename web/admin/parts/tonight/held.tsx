import { useState } from 'preact/hooks';
import type { TerminalList } from '../../../../src/terminals/dto/terminal.dto.js';
import { Problem, useSending } from '../../../desk/sending.js';
import { ago, money, t } from '../../../desk/texts.js';
import { say } from '../../../desk/toast.js';
import { api } from '../../api/client.js';
import { conflictsOf } from '../../api/errors.js';
import { changed, useQuery } from '../../api/query.js';
import type { Live } from '../../live.js';
import { can } from '../../me.js';
import { href } from '../../router.js';
import { useAfterChanges } from '../after-changes.js';
import { CorrectDialog } from '../correct-dialog.js';
import { type Donation, kindOf } from '../donations.js';
import type { DeskEvent } from '../events.js';
import { UndoDialog } from '../undo-dialog.js';

const READ_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 20_000;
const MOST = 50;

/** Large records that count, but wait for a second person before the walls show them. Oldest first; hidden if there are none. */
export function HeldRecords({ event, live }: { event: DeskEvent; live: Live }) {
  const path = `/donations?eventId=${event.id}&held=true&sort=createdAt&limit=${MOST}`;
  const { data, reload } = useQuery<{ data: readonly Donation[] }>(path, { every: LOOK_EVERY_MS });
  useAfterChanges(live.changes, READ_EVERY_MS, reload);
  const rows = data?.data ?? [];
  const names = useQuery<TerminalList>(rows.length > 0 && can('terminals:list') ? '/terminals' : null);
  const [open, setOpen] = useState<{ readonly dialog: 'correct' | 'undo'; readonly donation: Donation }>();
  const close = () => setOpen(undefined);
  if (rows.length === 0 && !open) return null;
  return (
    <section class="panel panel--waits" aria-labelledby="held">
      <header class="panel__head">
        <h2 class="panel__title" id="held">
          {t('held.title')}
        </h2>
      </header>
      <div class="stack">
        <p class="lines__meta">{t('held.hint')}</p>
        <ul class="lines" aria-live="polite">
          {rows.map((donation) => (
            <Held
              key={donation.id}
              donation={donation}
              till={names.data?.data.find(({ id }) => id === donation.terminalId)?.name}
              onCorrect={() => setOpen({ dialog: 'correct', donation })}
            />
          ))}
        </ul>
      </div>
      {open?.dialog === 'correct' && (
        <CorrectDialog
          donation={open.donation}
          onUndo={() => setOpen({ dialog: 'undo', donation: open.donation })}
          onClose={close}
        />
      )}
      {open?.dialog === 'undo' && <UndoDialog donation={open.donation} onClose={close} />}
    </section>
  );
}

function Held({
  donation,
  till,
  onCorrect,
}: {
  donation: Donation;
  till: string | undefined;
  onCorrect: () => void;
}) {
  const { busy, problem, send } = useSending();
  const amount = money(donation.amount, donation.currency);
  const show = async () => {
    try {
      const body = { wall: 'visible', expected: { wall: 'held' } };
      await api(`/donations/${donation.id}/moderation`, { method: 'POST', body });
      say(t('held.shown', { amount }));
    } catch (error) {
      const [conflict] = conflictsOf(error);
      if (!conflict) throw error;
      say(t('held.other', { name: conflict.by?.name ?? t('conflict.someone') }), 'bad');
    } finally {
      changed('/donations');
    }
  };
  return (
    <li class="note note--warn milestone__waiting" data-held={donation.id}>
      <span>
        <a class="number" href={href(`donations/${donation.id}`)}>
          {amount}
        </a>{' '}
        <span class="lines__meta">
          {[kindOf(donation), till, donation.staffName, ago(donation.createdAt)].filter(Boolean).join(' · ')}
        </span>
      </span>
      <Problem text={problem} />
      <span class="milestone__actions">
        {can('messages:moderate') && (
          <button type="button" class="button button--small" disabled={busy} onClick={() => void send(show)}>
            {t('remote.show')}
          </button>
        )}
        {can('donations:correct') && (
          <button type="button" class="button button--quiet button--small" onClick={onCorrect}>
            {t('held.correct')}
          </button>
        )}
      </span>
    </li>
  );
}
