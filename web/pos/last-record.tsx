import { useEffect, useState } from 'preact/hooks';
import { changeFor } from './cash.js';
import { exponentOf } from './model.js';
import { Icon, kindName } from './parts.jsx';
import { isUndoable, minutesLeft, undoRecord } from './undo.js';
import type { QueuedRecord, SentRecord } from './records.js';
import type { Session } from './sessions.js';
import { announce } from './signals.js';
import { locale, t } from './texts.js';
import { till } from './till.js';
import { useValue } from './value.js';

/** Name of the state of a record, used in text keys. */
export const stateOf = (queued: QueuedRecord | undefined, sent: SentRecord | undefined) => {
  if (queued?.undo) return 'undoing' as const;
  if (queued) return queued.state;
  return sent?.status === 'CANCELLED'
    ? ('undone' as const)
    : sent?.status === 'PENDING'
      ? ('pledged' as const)
      : ('recorded' as const);
};

/** The last record with an undo button. Shown in place of the amount until the volunteer types the next amount. */
export function LastRecord({ recordKey, session }: { recordKey: string; session: Session }) {
  const queued = useValue(till.queue.waiting).find(({ key }) => key === recordKey);
  const sent = useValue(till.queue.sent).find(({ key }) => key === recordKey);
  const spoken = useValue(locale);
  useMinutes();
  const [problem, setProblem] = useState<string>();
  const record = queued ? { ...queued.body, currency: queued.event.currency } : sent;
  if (!record) {
    return <output class="display number display--empty">{till.shortMoney(0, session.event)}</output>;
  }
  const state = stateOf(queued, sent);
  const time = new Intl.DateTimeFormat(spoken, { timeStyle: 'short' }).format(new Date(record.recordedAt));
  const left = sent ? minutesLeft(sent.bookedAt, session.rules.undoMinutes) : undefined;
  const undo = async () => {
    const text = await undoRecord({ key: recordKey, id: sent?.id }, session);
    setProblem(text.problem);
    announce(text.problem ?? text.done);
  };
  const change =
    record.type === 'cash' && state !== 'undone'
      ? changeFor(record.amount, record.currency, exponentOf(record.currency))
      : [];
  return (
    <div class={`last last--${state}`} data-key={recordKey} data-state={state} data-amount={record.amount}>
      <p class="last__head">
        <Icon of={state === 'undone' ? 'undo' : 'done'} />
        <strong class="number">{till.money(record.amount, record)}</strong>
        <span>
          {kindName(record.type)} · {time}
        </span>
      </p>
      <p class="last__state">
        <span class={`chip chip--${state}`}>{t(`state.${state}`)}</span>
        {isUndoable(state) && left !== 0 && (
          <button type="button" class="link" onClick={() => void undo()}>
            {left === undefined ? t('undo.now') : t('undo', { minutes: left })}
          </button>
        )}
      </p>
      {problem && <p class="field__error">{problem}</p>}
      {change.length > 0 && (
        <p class="last__change">
          {t('change')}{' '}
          {change.map(({ given, back }) => (
            <span key={given} class="change number">
              {till.shortMoney(given, record)} → <b>{till.shortMoney(back, record)}</b>
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

/** Draws the component again every minute. */
export function useMinutes(): void {
  const [, draw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => draw((count) => count + 1), 10_000);
    return () => clearInterval(timer);
  }, []);
}
