import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { clockAheadMs } from '../kit/clock.js';
import { EnrolDialog } from './enrol.jsx';
import { Check, Dialog, kindName } from './parts.jsx';
import type { LogEntry, QueuedRecord } from './records.js';
import type { Session } from './sessions.js';
import { counted, isLanguage, LANGUAGES, locale, t } from './texts.js';
import { till } from './till.js';
import { useValue } from './value.js';

const MINUTE = 60_000;

/** Requests to the dashboard (`children`), settings of the terminal, and sign-out. */
export function MoreScreen({ session, children }: { session: Session; children: ComponentChildren }) {
  const preferences = useValue(till.preferences.value);
  const terminal = useValue(till.terminals.terminal);
  const [asking, setAsking] = useState<'sign out' | 'clear' | 'enrol'>();
  const minutesOff = Math.round(Math.abs(clockAheadMs()) / MINUTE);
  const leave = () => {
    if (till.unsent(session.user.id).length > 0) setAsking('sign out');
    else void signOut(session);
  };
  return (
    <div class="more stack">
      <h1 class="screen__title">{t('nav.more')}</h1>
      {minutesOff >= 2 && <p class="note note--warn">{t('more.clock', { minutes: minutesOff })}</p>}
      {children}
      <section class="card panel stack">
        <label class="field">
          <span class="field__label">{t('more.language')}</span>
          <select
            class="input"
            value={preferences.language}
            onChange={(event) => {
              const { value } = event.currentTarget;
              if (isLanguage(value)) void till.preferences.change({ language: value });
            }}
          >
            {Object.entries(LANGUAGES).map(([code, name]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Check
          label={t('more.sound')}
          checked={preferences.sound}
          onChange={(sound) => {
            void till.preferences.change({ sound }).then(() => till.signal('success'));
          }}
        />
        <Check
          label={t('more.leftHanded')}
          checked={preferences.leftHanded}
          onChange={(leftHanded) => void till.preferences.change({ leftHanded })}
        />
        <p class="soft">{t('more.keyboard')}</p>
      </section>
      <section class="card panel stack">
        <h2 class="part__title">{t('more.terminal')}</h2>
        <p>{terminal ? terminal.name : t('more.notEnrolled')}</p>
        {!terminal && (
          <button type="button" class="button button--quiet" onClick={() => setAsking('enrol')}>
            {t('enrol')}
          </button>
        )}
        <Log />
      </section>
      <div class="actions">
        <button type="button" class="button" onClick={leave}>
          {t('signOut')}
        </button>
        <button type="button" class="button button--quiet" onClick={() => setAsking('clear')}>
          {t('clear')}
        </button>
      </div>
      {asking === 'enrol' && <EnrolDialog onClose={() => setAsking(undefined)} />}
      {asking === 'sign out' && <SignOutDialog session={session} onClose={() => setAsking(undefined)} />}
      {asking === 'clear' && <ClearDialog session={session} onClose={() => setAsking(undefined)} />}
    </div>
  );
}

async function signOut(session: Session): Promise<void> {
  await till.queue.forgetSent(session.user.id);
  await till.sessions.signOut();
  till.screen.set('till');
}

/** Returns the number of records as a text such as `3 records`, and their sum in each currency. */
function worth(records: readonly QueuedRecord[]): { count: string; sum: string } {
  const sums = new Map<string, number>();
  for (const { body, event } of records)
    sums.set(event.currency, (sums.get(event.currency) ?? 0) + body.amount);
  return {
    count: counted('count.records', records.length),
    sum: [...sums].map(([currency, sum]) => till.money(sum, { currency })).join(', '),
  };
}

interface DialogProps {
  readonly session: Session;
  readonly onClose: () => void;
}

function SignOutDialog({ session, onClose }: DialogProps) {
  useValue(till.queue.waiting);
  const own = till.unsent(session.user.id);
  return (
    <Dialog title={t('signOut.title')} onClose={onClose}>
      <div class="stack">
        <p class="note note--warn" data-unsent={own.length}>
          {t('signOut.text', { ...worth(own), name: session.user.name })}
        </p>
        <div class="actions">
          <button type="button" class="button" autoFocus onClick={onClose}>
            {t('signOut.stay')}
          </button>
          <button type="button" class="button button--quiet" onClick={() => void signOut(session)}>
            {t('signOut.anyway')}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function ClearDialog({ session, onClose }: DialogProps) {
  const waiting = useValue(till.queue.waiting);
  const [accepted, setAccepted] = useState(false);
  const may = waiting.length === 0 || accepted;
  const clear = async () => {
    if (!may) return;
    await till.queue.clear(session.user.name);
    await Promise.all([till.sessions.signOut(), till.terminals.load()]);
    location.reload();
  };
  return (
    <Dialog title={t('clear.title')} alert={waiting.length > 0} onClose={onClose}>
      <div class="stack">
        <p>{t('clear.text')}</p>
        {waiting.length > 0 && (
          <>
            <p class="note note--bad" data-unsent={waiting.length}>
              {t('clear.unsent', worth(waiting))}
            </p>
            <Check label={t('clear.accept')} checked={accepted} onChange={setAccepted} />
          </>
        )}
        <div class="actions">
          <button
            type="button"
            class="button button--danger"
            aria-disabled={!may}
            onClick={() => void clear()}
          >
            {t('clear.do')}
          </button>
          <button type="button" class="button button--quiet" autoFocus onClick={onClose}>
            {t('cancel')}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function Log() {
  const [entries, setEntries] = useState<readonly LogEntry[]>([]);
  const waiting = useValue(till.queue.waiting);
  useEffect(() => void till.queue.log().then(setEntries, () => undefined), [waiting]);
  const time = new Intl.DateTimeFormat(locale.now, { dateStyle: 'short', timeStyle: 'short' });
  return (
    <details class="log">
      <summary>{t('more.log')}</summary>
      {entries.length === 0 ? (
        <p class="soft">{t('more.logNone')}</p>
      ) : (
        <ul class="log__list">
          {entries.map((entry) => (
            <li key={`${entry.key}${entry.at}`}>
              {time.format(new Date(entry.at))} · {entry.who} · {t(`log.${entry.action}`)} ·{' '}
              <span class="number">{till.money(entry.amount, entry)}</span> {kindName(entry.type)}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
