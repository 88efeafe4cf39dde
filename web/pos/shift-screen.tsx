import { useEffect, useState } from 'preact/hooks';
import { once } from '../kit/clicks.js';
import { confirmAbove } from '../kit/large-amounts.js';
import { amountOf, parseAmount } from './amounts.js';
import { ApiError } from './api.js';
import { denominations } from './cash.js';
import { exponentOf } from './model.js';
import { Dialog, Field } from './parts.jsx';
import type { Session } from './sessions.js';
import {
  type Count,
  countShift,
  currentShift,
  openShift,
  recountShift,
  type Shift,
  signShift,
} from './shifts.js';
import { counted, locale, t } from './texts.js';
import { till } from './till.js';
import { refusalText } from './undo.js';
import { useValue } from './value.js';

type Known = Shift | null | 'off' | 'unknown' | undefined;

/** Steps of a shift: open it, count the cash without seeing the expected sum, compare, and sign by a second member. */
export function ShiftScreen({ session }: { session: Session }) {
  const [shift, setShift] = useState<Known>();
  const [recounting, setRecounting] = useState(false);
  const online = useValue(till.sender.online);
  useEffect(() => {
    let current = true;
    currentShift(session)
      .catch((error: unknown) => {
        if (error instanceof ApiError) refusalText(error, session.token);
        return 'unknown' as const;
      })
      .then((found) => {
        // While the slip of a closed shift is shown, it stays until the member leaves it.
        if (current)
          setShift((before) => (typeof before === 'object' && before?.status === 'closed' ? before : found));
      })
      .catch(() => undefined);
    return () => {
      current = false;
    };
  }, [session.token, online]);
  return (
    <div class="shift stack">
      <h1 class="screen__title">{t('shift.title')}</h1>
      {shift === 'off' && <p class="soft">{t('shift.off')}</p>}
      {shift === 'unknown' && <p class="note note--warn">{t('noAnswer')}</p>}
      {shift === null && <OpenForm session={session} onChange={setShift} />}
      {typeof shift === 'object' && shift?.status === 'open' && (
        <CountForm session={session} shift={shift} onChange={setShift} />
      )}
      {typeof shift === 'object' && shift?.status === 'counted' && recounting && (
        <CountForm
          key="recount"
          session={session}
          shift={shift}
          onChange={(next) => {
            setShift(next);
            setRecounting(false);
          }}
          onLeave={() => setRecounting(false)}
        />
      )}
      {typeof shift === 'object' && shift?.status === 'counted' && !recounting && (
        <>
          <Slip shift={shift} />
          <button
            type="button"
            class="button button--quiet no-print"
            onClick={once(() => setRecounting(true))}
          >
            {t('shift.recount')}
          </button>
          <SignForm session={session} shift={shift} onChange={setShift} />
        </>
      )}
      {typeof shift === 'object' && shift?.status === 'closed' && (
        <>
          <Slip shift={shift} />
          <div class="actions no-print">
            <button type="button" class="button" onClick={() => print()}>
              {t('shift.print')}
            </button>
            <button type="button" class="button button--quiet" onClick={() => setShift(null)}>
              {t('shift.new')}
            </button>
          </div>
        </>
      )}
    </div>
  );
}

interface FormProps {
  readonly session: Session;
  readonly onChange: (shift: Shift) => void;
}

/** Sends requests of a form, one at a time, and keeps the reason of a failure. */
function useRequest(session: Session, onChange: (shift: Shift) => void) {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = (request: () => Promise<Shift>, explain?: (error: unknown) => string | undefined) => {
    if (busy) return;
    setBusy(true);
    setProblem(undefined);
    request()
      .then(onChange, (error: unknown) => setProblem(explain?.(error) ?? refusalText(error, session.token)))
      .finally(() => setBusy(false));
  };
  return { problem, setProblem, busy, send };
}

function OpenForm({ session, onChange }: FormProps) {
  const { currency } = session.event;
  const exponent = exponentOf(currency);
  const [float, setFloat] = useState('');
  const { problem, setProblem, busy, send } = useRequest(session, onChange);
  const submit = () => {
    const entry = parseAmount(float || '0', exponent);
    if (entry === undefined) setProblem(t('notANumber', { example: '100' }));
    else send(() => openShift(session, till.terminals.terminal.now?.deviceToken, amountOf(entry, exponent)));
  };
  return (
    <form
      class="card panel stack"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field
        label={t('shift.float')}
        inputMode="decimal"
        value={float}
        onChange={setFloat}
        problem={problem}
      />
      <button type="submit" class="button button--large" aria-disabled={busy}>
        {t('shift.open')}
      </button>
    </form>
  );
}

/** Form for the first count of a drawer; with `onLeave`, for a later count. */
function CountForm({
  session,
  shift,
  onChange,
  onLeave,
}: FormProps & { shift: Shift; onLeave?: () => void }) {
  const { currency } = shift;
  const values = denominations(currency, exponentOf(currency));
  const [quantities, setQuantities] = useState<Readonly<Record<number, string>>>({});
  const [bagNumber, setBag] = useState('');
  const [note, setNote] = useState('');
  const { problem, busy, send } = useRequest(session, onChange);
  const waiting = useValue(till.queue.waiting).length;
  const counts: Count[] = values
    .map((denomination) => ({ denomination, quantity: Number(quantities[denomination] ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
  const sum = counts.reduce((total, { denomination, quantity }) => total + denomination * quantity, 0);
  const spoken = locale.now;
  const [asking, setAsking] = useState<Doubt>();
  const submit = (confirmed: boolean) => {
    const doubt = doubtOf(sum, shift);
    setAsking(confirmed ? undefined : doubt);
    if (doubt !== undefined && !confirmed) return;
    send(() =>
      (onLeave ? recountShift : countShift)(session, shift.id, {
        counts,
        ...(bagNumber.trim() && { bagNumber: bagNumber.trim() }),
        ...(note.trim() && { note: note.trim() }),
      }),
    );
  };
  return (
    <form
      class="card panel stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) submit(false);
      }}
    >
      <p>
        {t('shift.opened', {
          time: new Intl.DateTimeFormat(spoken, { timeStyle: 'short' }).format(new Date(shift.openedAt)),
        })}{' '}
        · {t('shift.float')}: <span class="number">{till.money(shift.openingFloat, shift)}</span>
      </p>
      <h2 class="part__title">{t(onLeave ? 'shift.recount' : 'shift.count')}</h2>
      <p class="soft">{t(onLeave ? 'shift.recountText' : 'shift.countText')}</p>
      {waiting > 0 && (
        <p class="note note--warn">{t('shift.unsent', { count: counted('count.records', waiting) })}</p>
      )}
      <div class="counts">
        {values.map((value) => {
          const shown = till.shortMoney(value, shift);
          return (
            <label key={value} class="count">
              <span class="count__value number">{shown}</span>
              <input
                class="input number"
                inputMode="numeric"
                autoComplete="off"
                maxLength={6}
                data-denomination={value}
                aria-label={t('shift.quantity', { value: shown })}
                value={quantities[value] ?? ''}
                onInput={(event) =>
                  setQuantities({ ...quantities, [value]: event.currentTarget.value.replace(/\D/g, '') })
                }
              />
            </label>
          );
        })}
      </div>
      <p class="shift__sum">
        {t('shift.counted')} <strong class="number">{till.money(sum, shift)}</strong>
      </p>
      <Field label={t('shift.bag')} value={bagNumber} onChange={setBag} maxLength={50} />
      <Field label={t('shift.note')} value={note} onChange={setNote} maxLength={500} lines={2} />
      {problem && (
        <p class="field__error" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="button button--large" aria-disabled={busy}>
        {t('shift.finish')}
      </button>
      {onLeave && (
        <button type="button" class="button button--quiet" onClick={onLeave}>
          {t('cancel')}
        </button>
      )}
      {asking && (
        <Dialog title={t('shift.sure')} onClose={() => setAsking(undefined)}>
          <p class="dialog__amount number">{till.money(sum, shift)}</p>
          <p>{t(`shift.sure.${asking}`)}</p>
          <div class="actions">
            <button type="button" class="button" onClick={() => submit(true)}>
              {t('shift.sureDo', { amount: till.money(sum, shift) })}
            </button>
            <button type="button" class="button button--quiet" autoFocus onClick={() => setAsking(undefined)}>
              {t('shift.continue')}
            </button>
          </div>
        </Dialog>
      )}
    </form>
  );
}

type Doubt = 'empty' | 'belowFloat' | 'onlyFloat' | 'large';
/** A count is unusually large if it is more than this multiple of the amount that needs a confirmation. */
const LARGE_DRAWER = 50;

/** Returns the reason to ask if a count is correct. Does not use the expected sum, which the member must not learn. */
function doubtOf(sum: number, { openingFloat, records, currency }: Shift): Doubt | undefined {
  if (sum === 0) return 'empty';
  if (sum < openingFloat) return 'belowFloat';
  const hasCash = records.sums.some(({ type }) => type === 'cash');
  if (sum === openingFloat && hasCash) return 'onlyFloat';
  if (sum > LARGE_DRAWER * confirmAbove(null, currency, exponentOf(currency))) return 'large';
  return undefined;
}

function SignForm({ session, shift, onChange }: FormProps & { shift: Shift }) {
  const [code, setCode] = useState('');
  const { problem, busy, send } = useRequest(session, onChange);
  const submit = () =>
    send(
      () => signShift(session, shift.id, code),
      (error) => {
        setCode('');
        const isWrong =
          error instanceof ApiError &&
          [400, 401, 403, 404, 409].includes(error.status) &&
          error.code !== 'UNAUTHORIZED';
        return isWrong ? t('shift.signWrong') : undefined;
      },
    );
  return (
    <form
      class="card panel stack no-print"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <h2 class="part__title">{t('shift.sign')}</h2>
      <p class="soft">{t('shift.signText')}</p>
      <label class="field">
        <span class="field__label">{t('pin')}</span>
        <input
          class="input"
          type="password"
          inputMode="numeric"
          autoComplete="off"
          maxLength={10}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value.replace(/\D/g, ''))}
        />
      </label>
      {problem && (
        <p class="field__error" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="button button--large" aria-disabled={busy || code === ''}>
        {t('shift.signDo')}
      </button>
    </form>
  );
}

/** The printed slip for the cash bag. */
function Slip({ shift }: { shift: Shift }) {
  const time = new Intl.DateTimeFormat(locale.now, { dateStyle: 'short', timeStyle: 'short' });
  const line = (name: string, value: string | null | undefined, mark?: string) =>
    value ? (
      <div class="slip__line" data-line={mark}>
        <dt>{name}</dt>
        <dd class="number">{value}</dd>
      </div>
    ) : null;
  const amount = (value: number | null) => (value === null ? null : till.money(value, shift));
  const differenceText = (difference: number | null) => {
    if (difference === 0) return t('shift.exact');
    return difference === null ? null : `${difference > 0 ? '+' : ''}${amount(difference) ?? ''}`;
  };
  return (
    <section class="card panel slip" aria-label={t('shift.slip')}>
      <h2 class="part__title">{t('shift.slip')}</h2>
      <dl>
        {line(t('event'), till.sessions.session.now?.event.name)}
        {line(t('shift.person'), shift.staffName)}
        {line(t('shift.terminal'), shift.terminalName)}
        {line(t('shift.from'), time.format(new Date(shift.openedAt)))}
        {line(t('shift.until'), shift.countedAt && time.format(new Date(shift.countedAt)))}
        {line(t('shift.float'), amount(shift.openingFloat))}
        {(shift.counts ?? []).map(({ denomination, quantity }) =>
          line(`${quantity} × ${till.shortMoney(denomination, shift)}`, amount(quantity * denomination)),
        )}
        {line(t('shift.counted'), amount(shift.countedAmount), 'counted')}
        {line(t('shift.expected'), amount(shift.expectedAmount), 'expected')}
        {line(t('shift.difference'), differenceText(shift.difference), 'difference')}
        {line(
          t('shift.late'),
          shift.lateRecords.count > 0 ? counted('count.records', shift.lateRecords.count) : null,
        )}
        {line(t('shift.bag'), shift.bagNumber)}
        {line(t('shift.note'), shift.note)}
      </dl>
      {shift.recounts.map((recount) => (
        <section key={recount.countedAt} class="slip__recount" data-recount>
          <h3>{t('shift.recounted', { time: time.format(new Date(recount.countedAt)) })}</h3>
          <dl>
            {recount.counts.map(({ denomination, quantity }) =>
              line(`${quantity} × ${till.shortMoney(denomination, shift)}`, amount(quantity * denomination)),
            )}
            {line(t('shift.counted'), amount(recount.countedAmount), 'counted')}
            {line(t('shift.difference'), differenceText(recount.difference), 'difference')}
            {line(t('shift.bag'), recount.bagNumber)}
            {line(t('shift.note'), recount.note)}
          </dl>
        </section>
      ))}
      {shift.signedBy && <p>{t('shift.signedBy', { name: shift.signedBy.name })}</p>}
      <p class="slip__signatures print-only">
        <span>{t('shift.signature')}: ____________________</span>
        <span>{t('shift.signature')}: ____________________</span>
      </p>
    </section>
  );
}
