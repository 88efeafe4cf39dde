import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { PADDLE } from '../../src/common/text/paddle.js';
import { once } from '../kit/clicks.js';
import { labelOf } from './guest-rows.js';
import { amountOf, parseAmount } from './amounts.js';
import { Dialog, Field, Icon } from './parts.jsx';
import { addRound, closeRound, type Round, useRounds } from './rounds.js';
import { exponentOf } from './model.js';
import { judge } from './recording.js';
import type { Session } from './sessions.js';
import { announce } from './signals.js';
import { t } from './texts.js';
import { till } from './till.js';
import { undoRecord } from './undo.js';
import { useValue, Value } from './value.js';

/**
 * The level for which this terminal records pledges. A level without an id exists only on this terminal,
 * because the server was offline when the member created it.
 */
interface Level {
  /** Id of the member who chose the level. Another member must choose a level again. */
  readonly ownerId: string;
  readonly id: string | undefined;
  readonly amount: number;
}

interface Entered {
  readonly key: string;
  readonly number: string;
}

/** Outside the component, so that the level stays chosen while another screen is open. */
const level = new Value<Level | undefined>(undefined);
const entered = new Value<readonly Entered[]>([]);
/** Ids of levels that this terminal has closed. Hidden here even if the server's list still contains them. */
const closedHere = new Set<string>();

function begin(chosen: Level): void {
  entered.set([]);
  level.set(chosen);
}

/** Records many pledges quickly: first one level, then the paddle numbers one after the other. */
export function PaddlesScreen({ session }: { session: Session }) {
  const found = useValue(level);
  const current = found?.ownerId === session.user.id ? found : undefined;
  const rounds = useRounds(session);
  return (
    <div class="paddles">
      <h1 class="screen__title">{t('paddles.title')}</h1>
      {current ? (
        <Numbers
          session={session}
          level={current}
          round={rounds.find(({ id }) => id === current.id)}
          onLeave={() => {
            level.set(undefined);
            entered.set([]);
          }}
        />
      ) : (
        <Levels
          session={session}
          rounds={rounds.filter(({ id, status }) => status === 'open' && !closedHere.has(id))}
        />
      )}
    </div>
  );
}

function Levels({ session, rounds }: { session: Session; rounds: readonly Round[] }) {
  const { event, rules } = session;
  const exponent = exponentOf(event.currency);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  /** The level whose amount the member must confirm: an open round, or a new round. */
  const [asking, setAsking] = useState<Round | 'new'>();
  const busy = useRef(false);
  const join = ({ id, amount }: Round) => begin({ ownerId: session.user.id, id, amount });
  const start = async (confirmed: boolean) => {
    const entry = parseAmount(text, exponent);
    const amount = entry === undefined ? 0 : amountOf(entry, exponent);
    const verdict = judge(amount, rules);
    if (verdict === 'nothing') setProblem(t('notANumber', { example: '500' }));
    if (verdict === 'too large')
      setProblem(t('till.tooLargeText', { limit: till.money(rules.maxAmount ?? 0, event) }));
    if (verdict === 'confirm' && !confirmed) setAsking('new');
    if (busy.current || !(verdict === 'fine' || (verdict === 'confirm' && confirmed))) return;
    busy.current = true;
    const added = await addRound(session, amount);
    busy.current = false;
    setAsking(undefined);
    if (added.problem !== undefined) setProblem(added.problem);
    else begin({ ownerId: session.user.id, id: added.round?.id, amount });
  };
  const typed = parseAmount(text, exponent) ?? '';
  const askedAmount = typeof asking === 'object' ? asking.amount : amountOf(typed, exponent);
  return (
    <div class="stack">
      {rounds.length > 0 && (
        <section class="stack">
          <h2 class="part__title">{t('paddles.open')}</h2>
          <div class="choices">
            {rounds.map((round) => (
              <button
                key={round.id}
                type="button"
                class="choice choice--large number"
                onClick={() => (judge(round.amount, rules) === 'confirm' ? setAsking(round) : join(round))}
              >
                {till.shortMoney(round.amount, event)}
              </button>
            ))}
          </div>
        </section>
      )}
      <form
        class="card panel stack"
        onSubmit={(submit) => {
          submit.preventDefault();
          void start(false);
        }}
      >
        <Field
          label={t('paddles.level')}
          inputMode="decimal"
          value={text}
          problem={problem}
          onChange={(value) => {
            setText(value);
            setProblem(undefined);
          }}
        />
        <button type="submit" class="button button--large">
          {t('paddles.start')}
        </button>
      </form>
      {asking && (
        <Dialog title={t('till.large')} onClose={() => setAsking(undefined)}>
          <p class="dialog__amount number">{till.money(askedAmount, event)}</p>
          <p>{t('till.largeText', { limit: till.money(rules.confirmAbove ?? 0, event) })}</p>
          <div class="actions">
            <button
              type="button"
              class="button"
              onClick={() => (asking === 'new' ? void start(true) : join(asking))}
            >
              {t('paddles.start')}
            </button>
            <button type="button" class="button button--quiet" autoFocus onClick={() => setAsking(undefined)}>
              {asking === 'new' ? t('till.correctAmount') : t('cancel')}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

interface NumbersProps {
  readonly session: Session;
  readonly level: Level;
  readonly round: Round | undefined;
  readonly onLeave: () => void;
}

function Numbers({ session, level: { id, amount }, round, onLeave }: NumbersProps) {
  const { event, rules } = session;
  const list = useValue(entered);
  const waiting = useValue(till.queue.waiting);
  const online = useValue(till.sender.online);
  const [number, setNumber] = useState('');
  const [problem, setProblem] = useState<string>();
  /** A paddle number that was entered before. The member confirms it by pressing "Next" a second time. */
  const [twice, setTwice] = useState<string>();
  const guest = useValue(till.guests.byPaddle).get(number.trim());
  const busy = useRef(false);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const next = async () => {
    const paddle = number.trim();
    if (busy.current || paddle === '') return;
    if (!PADDLE.test(paddle)) return;
    if (twice !== paddle && list.some((one) => one.number === paddle)) {
      setTwice(paddle);
      setProblem(t('paddles.again', { number: paddle }));
      till.signal('problem');
      return;
    }
    busy.current = true;
    try {
      const confirmed = judge(amount, rules) === 'confirm';
      const { key } = await till.record({ amount, type: 'pledge', paddle, roundId: id, confirmed });
      entered.set([...entered.now, { key, number: paddle }]);
      setNumber('');
      setProblem(undefined);
      setTwice(undefined);
      announce(t('paddles.kept', { number: paddle, amount: till.money(amount, event) }));
      input.current?.focus();
    } catch {
      setProblem(`${t('notKept.title')} ${t('notKept.text')}`);
    } finally {
      busy.current = false;
    }
  };
  const last = list.at(-1);
  const undo = async () => {
    if (!last || busy.current) return;
    busy.current = true;
    const sent = till.queue.sent.now.find(({ key }) => key === last.key);
    const { problem: refused, done } = await undoRecord({ key: last.key, id: sent?.id }, session);
    if (refused === undefined) entered.set(entered.now.slice(0, -1));
    setProblem(refused);
    announce(refused ?? done);
    busy.current = false;
    // The member may already start to type the next number.
    input.current?.focus();
  };
  const close = async () => {
    if (id !== undefined && (await closeRound(session, id))) closedHere.add(id);
    onLeave();
  };
  // Records that wait on this terminal are not in the server's count.
  const unsent = waiting.filter(({ body }) => body.roundId === id && id !== undefined).length;
  return (
    <div class="raise">
      <div class="raise__level">
        <p class="raise__amount number">{till.shortMoney(amount, event)}</p>
        <p class="number" data-here={list.length}>
          {t('paddles.here', { count: list.length, sum: till.shortMoney(list.length * amount, event) })}
        </p>
        {round ? (
          <p class="number soft" data-all={round.count + unsent}>
            {t('paddles.all', {
              count: round.count + unsent,
              sum: till.shortMoney(round.sum + unsent * amount, event),
            })}
          </p>
        ) : (
          <p class="soft">{id === undefined ? t('paddles.alone') : !online && t('offline')}</p>
        )}
        {round?.status === 'closed' && (
          <p class="note note--warn" role="alert">
            {t('paddles.closed')}
          </p>
        )}
        <p class="raise__links">
          <button type="button" class="link" onClick={onLeave}>
            {t('paddles.change')}
          </button>
          {id !== undefined && round?.status === 'open' && (
            <button type="button" class="link" onClick={() => void close()}>
              {t('paddles.close')}
            </button>
          )}
        </p>
      </div>
      <form
        class="raise__form"
        onSubmit={(submit) => {
          submit.preventDefault();
          void next();
        }}
      >
        <label class="field">
          <span class="field__label">{t('paddles.number')}</span>
          <input
            ref={input}
            class="input raise__number number"
            inputMode="none"
            autoComplete="off"
            maxLength={12}
            value={number}
            aria-invalid={problem ? true : undefined}
            aria-describedby="raise-problem"
            onInput={(event_) => setNumber(event_.currentTarget.value.replace(/[^0-9A-Za-z-]/g, ''))}
          />
        </label>
        <p class="raise__guest" data-guest={guest?.id}>
          {guest && labelOf(guest)}
        </p>
        <p class="field__error" id="raise-problem" role="alert">
          {problem}
        </p>
        <div class="keypad" role="group" aria-label={t('keypad')}>
          {['1', '2', '3', '4', '5', '6', '7', '8', '9', '-', '0'].map((digit) => (
            <button
              key={digit}
              type="button"
              class="key"
              onClick={() => setNumber((before) => (before + digit).slice(0, 12))}
            >
              {digit}
            </button>
          ))}
          <button
            type="button"
            class="key key--quiet"
            aria-label={t('erase')}
            onClick={() => setNumber((before) => before.slice(0, -1))}
          >
            <Icon of="erase" />
          </button>
        </div>
        <button type="submit" class="button button--record" aria-disabled={number === ''}>
          {t('paddles.next')}
        </button>
        {last && (
          <button type="button" class="button button--quiet button--wide" onClick={once(undo)}>
            {t('paddles.undoLast', { number: last.number })}
          </button>
        )}
        <ol class="raise__list" aria-label={t('nav.paddles')}>
          {list.toReversed().map(({ key, number: paddle }) => (
            <li key={key} class="number" data-paddle={paddle}>
              {paddle}
            </li>
          ))}
        </ol>
      </form>
    </div>
  );
}
