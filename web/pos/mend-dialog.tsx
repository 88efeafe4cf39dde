import { useState } from 'preact/hooks';
import { confirmAbove } from '../kit/large-amounts.js';
import { amountOf, entryOf, parseAmount } from './amounts.js';
import { DonorFields } from './donor-fields.jsx';
import { exponentOf } from './model.js';
import { Check, Dialog, Field, Icon, kindName } from './parts.jsx';
import {
  type Donor,
  hasBadEmail,
  type Kind,
  KINDS,
  type QueuedRecord,
  type RecordBody,
  type Refusal,
} from './records.js';
import type { Session } from './sessions.js';
import { announce } from './signals.js';
import { locale, t, type TextName } from './texts.js';
import { said, till } from './till.js';
import { undoRecord } from './undo.js';

interface Props {
  readonly record: QueuedRecord;
  readonly session: Session;
  readonly onClose: () => void;
}

/** A record that is not on the server yet. The member can wait, undo it, or correct a refused record. */
export function MendDialog(props: Props) {
  const { record, onClose } = props;
  const time = new Intl.DateTimeFormat(locale.now, { timeStyle: 'short' }).format(
    new Date(record.body.recordedAt),
  );
  return (
    <Dialog title={t('record.title', { time })} onClose={onClose}>
      {record.state === 'refused' ? (
        <Refused {...props} />
      ) : record.state === 'unsure' ? (
        <Unsure {...props} />
      ) : (
        <Waiting {...props} />
      )}
    </Dialog>
  );
}

const Head = ({ record: { body, event } }: Pick<Props, 'record'>) => (
  <p class="record__head">
    <Icon of={body.type} />
    <strong class="dialog__amount number">{till.money(body.amount, event)}</strong>
    <span>{kindName(body.type)}</span>
  </p>
);

function Waiting({ record, session, onClose }: Props) {
  const undo = async () => {
    const { done, problem } = await undoRecord({ key: record.key, id: undefined }, session);
    announce(problem ?? done);
    onClose();
  };
  return (
    <div class="stack">
      <Head record={record} />
      <p>{t(record.undo ? 'undo.pending' : 'record.waitingText')}</p>
      <div class="actions">
        {!record.undo && (
          <button type="button" class="button button--quiet" onClick={() => void undo()}>
            {t('undo.now')}
          </button>
        )}
        <button type="button" class="button" onClick={onClose}>
          {t('close')}
        </button>
      </div>
    </div>
  );
}

function Unsure({ record, session, onClose }: Props) {
  return (
    <div class="stack">
      <Head record={record} />
      <p class="note note--warn">{t('mend.unsure')}</p>
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() => {
            void till.queue.resend(record.key).then(() => till.sender.nudge());
            onClose();
          }}
        >
          {t('mend.notBooked')}
        </button>
        <button
          type="button"
          class="button button--quiet"
          onClick={() => {
            void till.queue.discard(record.key, session.user.name);
            onClose();
          }}
        >
          {t('mend.booked')}
        </button>
        <button type="button" class="button button--quiet" onClick={onClose}>
          {t('later')}
        </button>
      </div>
    </div>
  );
}

function Refused({ record, session, onClose }: Props) {
  const { body, event, refusal } = record;
  const exponent = exponentOf(event.currency);
  const [amount, setAmount] = useState(entryOf(body.amount, exponent));
  const [type, setType] = useState<Kind>(body.type);
  const [donor, setDonor] = useState<Donor>({
    donorName: body.donorName,
    donorEmail: body.donorEmail,
    message: body.message,
    isAnonymous: body.isAnonymous,
    isAmountHidden: body.isAmountHidden,
  });
  const [confirmed, setConfirmed] = useState(false);
  const [asking, setAsking] = useState(refusal?.code === 'CONFIRMATION_REQUIRED');
  const [problem, setProblem] = useState<string>();
  const [discarding, setDiscarding] = useState(false);
  const [checked, setChecked] = useState(refusal?.code === 'VALIDATION_FAILED');
  const send = async () => {
    const entry = parseAmount(amount, exponent);
    const value = entry === undefined ? 0 : amountOf(entry, exponent);
    if (value <= 0) {
      setProblem(t('notANumber', { example: '12' }));
      return;
    }
    setChecked(true);
    if (hasBadEmail(donor)) return;
    const isConfirmed = confirmed || (body.confirmed === true && value === body.amount);
    // The settings of the session do not apply if the record belongs to another event.
    const chosen = event.id === session.event.id ? session.rules.confirmAbove : null;
    const limit = confirmAbove(chosen, event.currency, exponent);
    if (value > limit && !isConfirmed) {
      setAsking(true);
      setProblem(`${t('till.large')} ${t('till.largeText', { limit: till.money(limit, event) })}`);
      return;
    }
    const { paddle, roundId, teamId, eventId, recordedAt } = body;
    const mended: RecordBody = {
      ...{ amount: value, type, eventId, recordedAt },
      ...said(donor),
      ...(isConfirmed && { confirmed: true }),
      ...(paddle !== undefined && { paddle }),
      // If the server has no such level or team, send the record without it.
      ...(roundId !== undefined && refusal?.code !== 'PLEDGE_ROUND_NOT_FOUND' && { roundId }),
      ...(teamId !== undefined && refusal?.code !== 'TEAM_NOT_FOUND' && { teamId }),
    };
    await till.queue.mend(record.key, mended, session.user.name);
    till.sender.nudge();
    onClose();
  };
  if (discarding)
    return (
      <div class="stack">
        <p>
          <strong>{t('mend.discardTitle')}</strong>
        </p>
        <p>{t('mend.discardText', { amount: till.money(body.amount, event) })}</p>
        <div class="actions">
          <button
            type="button"
            class="button button--danger"
            onClick={() => {
              void till.queue.discard(record.key, session.user.name);
              onClose();
            }}
          >
            {t('mend.discard')}
          </button>
          <button type="button" class="button button--quiet" autoFocus onClick={() => setDiscarding(false)}>
            {t('cancel')}
          </button>
        </div>
      </div>
    );
  return (
    <form
      noValidate
      class="stack"
      onSubmit={(submit) => {
        submit.preventDefault();
        void send().catch(() => setProblem(t('notChanged')));
      }}
    >
      {refusal && <p class="note note--bad">{t('mend.text', { reason: reasonOf(refusal) })}</p>}
      <Field
        label={t('amount')}
        inputMode="decimal"
        value={amount}
        onChange={(entry) => {
          setAmount(entry);
          setProblem(undefined);
          setConfirmed(false);
        }}
        problem={problem}
      />
      <label class="field">
        <span class="field__label">{t('kind')}</span>
        <select class="input" value={type} onChange={(change) => setType(change.currentTarget.value as Kind)}>
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {kindName(kind)}
            </option>
          ))}
        </select>
      </label>
      <DonorFields checked={checked} donor={donor} onChange={setDonor} />
      {asking && <Check label={t('mend.confirmed')} checked={confirmed} onChange={setConfirmed} />}
      <div class="actions">
        <button type="submit" class="button">
          {t('mend.send')}
        </button>
        <button type="button" class="button button--quiet" onClick={() => setDiscarding(true)}>
          {t('mend.discard')}
        </button>
        <button type="button" class="button button--quiet" onClick={onClose}>
          {t('later')}
        </button>
      </div>
    </form>
  );
}

const EXPLAINED = new Set([
  'REHEARSAL_OVER',
  'AMOUNT_TOO_LARGE',
  'CONFIRMATION_REQUIRED',
  'EVENT_TAKES_NO_DONATIONS',
  'EVENT_NOT_FOUND',
  'PLEDGE_ROUND_NOT_FOUND',
  'TEAM_NOT_FOUND',
  'VALIDATION_FAILED',
]);

/** Reason in the volunteer's language. Without a text for the code, it names the code. */
const reasonOf = ({ code }: Refusal): string =>
  EXPLAINED.has(code) ? t(`reason.${code}` as TextName) : t('reason.other', { code });
