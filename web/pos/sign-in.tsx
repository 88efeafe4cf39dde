import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PublicEventDto } from '../../src/events/dto/event.dto.js';
import { ApiError, ask, NoAnswer } from './api.js';
import { EnrolDialog } from './enrol.jsx';
import { model } from './model.js';
import { Icon } from './parts.jsx';
import { announce } from './signals.js';
import { counted, t } from './texts.js';
import { till } from './till.js';
import { useValue } from './value.js';

const LONGEST_PIN = 10;
const SHORTEST_PIN = 4;
/** First and longest pause between two requests for the list of events, while the server does not answer. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 2_000;
/** Options of the list that are not events. */
const ONLY_ONE = '';
const OTHER = '*';

/** Sign-in to an event with a PIN. Unsent records are shown here too. */
export function SignIn({ onCancel }: { onCancel?: () => void }) {
  const [pin, setPin] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [enrolling, setEnrolling] = useState(false);
  const { events, offered, choice, choose, other, setOther } = useEvents();
  const waiting = useValue(till.queue.waiting);
  const terminal = useValue(till.terminals.terminal);
  const session = useValue(till.sessions.session);
  const storage = useValue(till.storage);

  const press = (key: string) => {
    setProblem(undefined);
    setPin((before) => (before + key).slice(0, LONGEST_PIN));
  };
  const submit = async () => {
    if (busy) return;
    if (pin.length < SHORTEST_PIN) {
      setProblem(t('signIn.short'));
      return;
    }
    setBusy(true);
    setProblem(undefined);
    const eventRef = choice === OTHER ? other.trim() : choice;
    try {
      await till.sessions.signIn(pin, eventRef || undefined, terminal?.deviceToken);
      till.keepStorage();
      void till.preferences.change({ eventRef });
      till.updates.look();
      onCancel?.();
    } catch (error) {
      const text = problemOf(error);
      setProblem(text);
      setPin('');
      announce(text);
      till.signal('problem');
    } finally {
      setBusy(false);
    }
  };

  return (
    <main class="sign-in">
      <form
        class="sign-in__card card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p class="sign-in__organization">{model.organization}</p>
        <h1 class="sign-in__title">
          {session?.ended ? t('signIn.again', { name: session.user.name }) : t('title')}
        </h1>
        {storage === 'broken' && (
          <p class="note note--bad" role="alert">
            <strong>{t('storage.broken')}</strong> {t('storage.brokenText')}
          </p>
        )}
        {waiting.length > 0 && (
          <p class="note note--warn" data-waiting={waiting.length}>
            {counted('waitingFor', waiting.length)}{' '}
            {[...new Set(waiting.map(({ owner }) => owner.name))].join(', ')}
          </p>
        )}
        <label class="field">
          <span class="field__label">{t('event')}</span>
          <select class="input" value={choice} onChange={(event) => choose(event.currentTarget.value)}>
            {events.map(({ ref, name }) => (
              <option key={ref} value={ref}>
                {name}
              </option>
            ))}
            {offered && <option value={offered.eventId}>⟪R⟫ {offered.name}</option>}
            <option value={ONLY_ONE}>{t('event.onlyOne')}</option>
            <option value={OTHER}>{t('event.other')}</option>
          </select>
        </label>
        {choice === OTHER && (
          <label class="field">
            <span class="field__label">{t('event.code')}</span>
            <input
              class="input"
              value={other}
              autocapitalize="none"
              autoComplete="off"
              onInput={(event) => setOther(event.currentTarget.value)}
            />
          </label>
        )}
        <label class="field pin">
          <span class="field__label">{t('pin')}</span>
          <input
            class="input pin__input"
            type="password"
            inputMode="none"
            autoComplete="off"
            ref={field}
            maxLength={LONGEST_PIN}
            value={pin}
            aria-describedby="sign-in-problem"
            aria-invalid={problem ? true : undefined}
            onInput={(event) => setPin(event.currentTarget.value.replace(/\D/g, ''))}
          />
        </label>
        <p class="field__error sign-in__problem" id="sign-in-problem" role="alert">
          {problem}
        </p>
        <div class="keypad" role="group" aria-label={t('keypad')}>
          {['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => (
            <button key={digit} type="button" class="key" onClick={() => press(digit)}>
              {digit}
            </button>
          ))}
          <button
            type="button"
            class="key key--quiet"
            aria-label={t('erase')}
            onClick={() => setPin(pin.slice(0, -1))}
          >
            <Icon of="erase" />
          </button>
          <button type="button" class="key" onClick={() => press('0')}>
            0
          </button>
          <button type="submit" class="key key--go" aria-label={t('signIn')} aria-disabled={busy}>
            <Icon of="done" />
          </button>
        </div>
        <p class="sign-in__links">
          {onCancel && (
            <button type="button" class="link" onClick={onCancel}>
              {t('later')}
            </button>
          )}
          {terminal ? (
            <span class="soft">{terminal.name}</span>
          ) : (
            <button type="button" class="link" onClick={() => setEnrolling(true)}>
              {t('enrol')}
            </button>
          )}
        </p>
      </form>
      {enrolling && <EnrolDialog onClose={() => setEnrolling(false)} />}
    </main>
  );
}

interface Choice {
  /** Id or slug of the event. */
  readonly ref: string;
  readonly name: string;
}

/** Reads the selectable events. Preselects the event of the enrolment, otherwise the event of the last sign-in. */
function useEvents() {
  const terminal = useValue(till.terminals.terminal);
  const [events, setEvents] = useState<readonly Choice[]>([]);
  useValue(till.terminals.rehearsal);
  const { offered } = till;
  const [choice, choose] = useState(
    (till.rehearses ? offered?.eventId : undefined) ??
      terminal?.eventId ??
      scannedEvent() ??
      till.preferences.value.now.eventRef ??
      ONLY_ONE,
  );
  till.rehearses = false;
  const [other, setOther] = useState('');
  useEffect(
    () =>
      untilAnswered(
        () => readEvents(terminal?.eventId ?? undefined),
        (found) => {
          setEvents(found);
          const known = (ref: string) => found.some((event) => event.ref === ref);
          choose((before) =>
            known(before) || before === till.offered?.eventId ? before : (found[0]?.ref ?? ONLY_ONE),
          );
        },
      ),
    [terminal?.eventId],
  );
  return { events, offered, choice, choose, other, setOther };
}

/** The event of the QR code on a PIN slip: `/pos?event=<slug>`. */
const scannedEvent = (): string | undefined => new URLSearchParams(location.search).get('event') ?? undefined;

/** @throws NoAnswer while the server cannot be reached */
async function readEvents(enrolledAt: string | undefined): Promise<Choice[]> {
  const active = await ask<PublicEventDto[]>('/events/public');
  const events = active.map(({ slug, name }) => ({ ref: slug, name }));
  if (enrolledAt === undefined) return events;
  const own = await ask<{ slug: string; name: string }>(`/events/${enrolledAt}`).catch(() => undefined);
  const first = { ref: enrolledAt, name: own?.name ?? t('event.enrolled') };
  return [first, ...events.filter(({ ref }) => ref !== own?.slug)];
}

/**
 * Repeats a request until an answer arrives: immediately when the browser is online again, otherwise after a pause. Does
 * not wait for the previous request, because a broken network can block it. Uses the first answer.
 * @returns a function that stops the requests
 */
function untilAnswered<T>(question: () => Promise<T>, onAnswer: (answer: T) => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let wait = FIRST_WAIT_MS;
  let ended = false;
  const end = () => {
    ended = true;
    clearTimeout(timer);
    removeEventListener('online', again);
  };
  const attempt = () => {
    timer = setTimeout(attempt, wait);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    if (!navigator.onLine) return;
    question().then(
      (answer) => {
        if (ended) return;
        end();
        onAnswer(answer);
      },
      () => undefined,
    );
  };
  const again = () => {
    clearTimeout(timer);
    wait = FIRST_WAIT_MS;
    attempt();
  };
  addEventListener('online', again);
  attempt();
  return end;
}

function problemOf(error: unknown): string {
  if (error instanceof NoAnswer) return t('signIn.offline');
  if (!(error instanceof ApiError)) return t('failedHere');
  if (error.status === 429) {
    // The limit is either for all requests of this network, or for wrong PINs.
    const why = error.code === 'RATE_LIMITED' ? 'signIn.busy' : 'signIn.wait';
    return t(why, { seconds: Math.ceil((error.retryAfterMs ?? 60_000) / 1_000) });
  }
  if (error.code === 'TERMINAL_NOT_ENROLLED') return t('signIn.notEnrolled');
  if (error.status === 401 || error.status === 400 || error.status === 404) return t('signIn.wrong');
  return t('signIn.offline');
}
