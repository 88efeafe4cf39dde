import { useEffect, useState } from 'preact/hooks';
import type { ShiftDto, ShiftList } from '../../../src/shifts/dto/shift.dto.js';
import type { TerminalCode, TerminalDto, TerminalList } from '../../../src/terminals/dto/terminal.dto.js';
import { serverNow } from '../../kit/clock.js';
import { Dialog } from '../../desk/dialog.js';
import { SelectField, TextField } from '../../desk/fields.js';
import { ConfirmDialog, FormDialog } from '../../desk/form-dialog.js';
import { Icon } from '../../desk/icons.js';
import { LongList } from '../../desk/long-list.js';
import { Empty, Failed, NotHere, Pill, Skeleton, type Tone } from '../../desk/states.js';
import { ago, clock, dateTime, money, t, tn } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed, lookAgain, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { ConflictNote, theirs, useConflict } from '../parts/edit-conflict.js';
import { EventPicker } from '../parts/event-picker.js';
import { useEvent } from '../parts/events.js';
import { useForm } from '../parts/form.js';
import { QrCode } from '../parts/qr-code.js';

const LOOK_EVERY_MS = 20_000;
/** Maximum numbers of terminals and shifts that the server lists. */
const MOST_TERMINALS = 1_000;
const MOST_SHIFTS = 500;
/** If a terminal reports nothing for longer than this, it is shown as offline. */
const QUIET_MS = 3 * 60_000;

/** The terminals, which administrators can enrol, rename, release and block; and the shifts on the terminals. */
export function Terminals() {
  const { data, error, reload, at } = useQuery<TerminalList>('/terminals', { every: LOOK_EVERY_MS });
  const [adding, setAdding] = useState(false);
  const [asked, setAsked] = useState<{ terminal: TerminalDto; what: 'release' | 'revoke' | 'rename' }>();
  const rows = (data?.data ?? []).filter(({ revokedAt }) => revokedAt === null);
  const missing = isMissingRoute(error);
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.terminals')}</h1>
        {can('terminals:enrol') && !missing && (
          <div class="page__actions">
            <button type="button" class="button" onClick={() => setAdding(true)}>
              <Icon name="plus" size={16} /> {t('terminal.enrol')}
            </button>
          </div>
        )}
      </header>
      {error && (missing ? <NotHere /> : <Failed error={error} retry={reload} />)}
      {!data && !error && <Skeleton />}
      {data && rows.length === 0 && (
        <Empty icon="terminals" title={t('terminal.none')}>
          {t('terminal.noneText')}
        </Empty>
      )}
      {rows.length > 0 && (
        <section class="panel" aria-label={t('nav.terminals')}>
          {at !== undefined && <p class="panel__count">{t('live.asOf', { time: clock(at) })}</p>}
          <LongList rows={rows} most={MOST_TERMINALS}>
            {(terminal) => (
              <li key={terminal.id} class="lines__row terminal">
                <span>
                  <strong>{terminal.name}</strong> <Seen terminal={terminal} />
                  <br />
                  <span class="lines__meta">
                    {[
                      terminal.staff?.name ?? t('terminal.nobody'),
                      terminal.event?.name,
                      terminal.appVersion && `v${terminal.appVersion}`,
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                  {terminal.waiting > 0 && (
                    <span class="field__error"> {tn('terminal.waiting', terminal.waiting)}</span>
                  )}
                </span>
                {can('terminals:update') && (
                  <span class="page__actions">
                    {(['rename', 'release', 'revoke'] as const).map((what) => (
                      <button
                        key={what}
                        type="button"
                        class={`button button--quiet button--small${what === 'revoke' ? ' button--bad' : ''}`}
                        aria-label={`${t(`terminal.${what}`)}: ${terminal.name}`}
                        onClick={() => setAsked({ terminal, what })}
                      >
                        {t(`terminal.${what}`)}
                      </button>
                    ))}
                  </span>
                )}
              </li>
            )}
          </LongList>
        </section>
      )}
      <Shifts />
      {adding && <EnrolDialog onClose={() => setAdding(false)} />}
      {asked?.what === 'rename' && (
        <RenameDialog terminal={asked.terminal} onClose={() => setAsked(undefined)} />
      )}
      {asked && asked.what !== 'rename' && (
        <ConfirmDialog
          title={t(`terminal.ask.${asked.what}`, { name: asked.terminal.name })}
          confirm={t(`terminal.${asked.what}`)}
          danger={asked.what === 'revoke'}
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            const path = `/terminals/${asked.terminal.id}`;
            await (asked.what === 'revoke'
              ? api(path, { method: 'DELETE' })
              : api(`${path}/release`, { method: 'POST' }));
            changed('/terminals');
            say(t('state.done'));
          }}
        >
          <p>{t(`terminal.why.${asked.what}`)}</p>
          {asked.what === 'revoke' && asked.terminal.waiting > 0 && (
            <p class="note note--bad">{tn('terminal.waiting', asked.terminal.waiting)}</p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

function Seen({ terminal: { lastUsedAt } }: { terminal: TerminalDto }) {
  if (lastUsedAt === null) return <Pill>{t('terminal.neverSeen')}</Pill>;
  const isQuiet = serverNow() - new Date(lastUsedAt).getTime() > QUIET_MS;
  return <Pill tone={isQuiet ? 'warn' : 'good'}>{t('terminal.seen', { ago: ago(lastUsedAt) })}</Pill>;
}

function RenameDialog({ terminal, onClose }: { terminal: TerminalDto; onClose: () => void }) {
  const [read, setRead] = useState({ name: terminal.name });
  const form = useForm(`terminal.${terminal.id}`, t('terminal.rename'), read, (was) =>
    setRead((before) => ({ ...before, ...was })),
  );
  const [name, setName] = form.field('name');
  const conflict = useConflict();
  const save = (expected: typeof read) =>
    conflict.trying(async () => {
      await api(`/terminals/${terminal.id}`, { method: 'PATCH', body: { name, expected } });
      changed('/terminals');
      say(t('state.saved'));
      onClose();
    });
  const take = () => {
    const known = { ...read, ...theirs<typeof read>(conflict.fields) };
    setRead(known);
    return known;
  };
  return (
    <FormDialog
      form={form}
      title={t('terminal.rename')}
      submit={t('action.save')}
      onClose={onClose}
      onSave={() => save(read)}
    >
      <ConflictNote
        fields={conflict.fields}
        currency=""
        onMine={() => form.saving(() => save(take()))}
        onTheirs={() => {
          setName(take().name);
          conflict.clear();
        }}
      />
      <TextField
        label={t('terminal.name')}
        hint={t('terminal.nameHint')}
        value={name}
        onValue={setName}
        maxLength={100}
        required
        autoFocus
      />
    </FormDialog>
  );
}

/** Shows an enrolment code as a large QR code for the camera of the terminal. The code works once, for some minutes. */
function EnrolDialog({ onClose }: { onClose: () => void }) {
  const { event, events } = useEvent();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  const [made, setMade] = useState<TerminalCode>();
  // Without archived events, because a sign-in to an archived event is impossible.
  const open = events.filter(({ status }) => status !== 'archived');
  const first = open.find((one) => one.slug === event?.slug) ?? open[0];
  const chosen = slug || (first?.slug ?? '');
  const make = async () => {
    const eventId = events.find((one) => one.slug === chosen)?.id;
    setMade(
      await api<TerminalCode>('/terminals/codes', {
        method: 'POST',
        body: { name, ...(eventId && { eventId }) },
      }),
    );
  };
  useEffect(() => {
    if (!made) return;
    const timer = setInterval(() => lookAgain('/terminals'), 5_000);
    return () => clearInterval(timer);
  }, [made]);
  if (made)
    return (
      <Dialog
        title={t('terminal.enrol')}
        onClose={onClose}
        actions={
          <button type="button" class="button" onClick={onClose}>
            {t('action.done')}
          </button>
        }
      >
        <div class="stack enrol">
          <p>{t('terminal.scan', { time: clock(new Date(made.expiresAt).getTime()) })}</p>
          <QrCode text={made.enrolUrl} label={t('terminal.qr')} />
          <p class="bigcode">{made.code}</p>
          <p class="field__hint">{t('terminal.typed', { address: `${location.host}/pos` })}</p>
        </div>
      </Dialog>
    );
  return (
    <FormDialog title={t('terminal.enrol')} submit={t('terminal.code')} onSave={make} onClose={onClose}>
      <TextField
        label={t('terminal.name')}
        hint={t('terminal.nameHint')}
        value={name}
        maxLength={100}
        onValue={setName}
        required
        autoFocus
      />
      {open.length > 0 && (
        <SelectField
          label={t('event.one')}
          value={chosen}
          choices={open.map((one) => ({ value: one.slug, label: one.name }))}
          onValue={setSlug}
        />
      )}
    </FormDialog>
  );
}

const SHIFT_TONE: Readonly<Record<ShiftDto['status'], Tone>> = {
  open: 'good',
  counted: 'warn',
  closed: 'quiet',
};

function Shifts() {
  const { event, events } = useEvent();
  const { data, error, reload } = useQuery<ShiftList>(event ? `/shifts?eventId=${event.id}` : null, {
    every: LOOK_EVERY_MS,
  });
  const rows = data?.data ?? [];
  if (!event || (error && isMissingRoute(error))) return null;
  return (
    <section class="panel gap" aria-labelledby="shifts">
      <header class="panel__head">
        <h2 class="panel__title" id="shifts">
          {t('shift.title')}
        </h2>
        <EventPicker event={event} events={events} />
      </header>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && rows.length === 0 && <Empty icon="terminals" title={t('shift.none')} />}
      <LongList rows={rows} most={MOST_SHIFTS}>
        {(shift) => (
          <li key={shift.id} class="lines__row terminal shift">
            <span>
              <strong>{shift.staffName}</strong>{' '}
              <Pill tone={SHIFT_TONE[shift.status]}>{t(`shift.${shift.status}`)}</Pill>
              <br />
              <span class="lines__meta">
                {[
                  shift.terminalName,
                  dateTime(shift.openedAt),
                  shift.bagNumber && t('shift.bag', { number: shift.bagNumber }),
                  shift.signedBy && t('shift.signedBy', { name: shift.signedBy.name }),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
              <Changed what="late" records={shift.lateRecords} currency={shift.currency} />
              <Changed what="removed" records={shift.removedRecords} currency={shift.currency} />
            </span>
            <span class="lines__meta number">
              {shift.expectedAmount !== null &&
                t('shift.expected', { amount: money(shift.expectedAmount, shift.currency) })}
              {shift.countedAmount !== null &&
                ` · ${t('shift.countedAs', { amount: money(shift.countedAmount, shift.currency) })}`}
              {shift.difference !== null && shift.difference !== 0 && (
                <span class="field__error">
                  {' '}
                  {t('shift.difference', { amount: money(shift.difference, shift.currency) })}
                </span>
              )}
              {shift.recounts.map((recount) => (
                <Recounted key={recount.countedAt} recount={recount} currency={shift.currency} />
              ))}
            </span>
          </li>
        )}
      </LongList>
    </section>
  );
}

/** A later count of the drawer, shown next to the first count. */
function Recounted({
  recount: { countedAt, countedAmount, difference, note, bagNumber },
  currency,
}: {
  recount: ShiftDto['recounts'][number];
  currency: string;
}) {
  return (
    <>
      <br />
      {t('shift.recounted', { amount: money(countedAmount, currency), time: dateTime(countedAt) })}
      {difference !== 0 && (
        <span class="field__error"> {t('shift.difference', { amount: money(difference, currency) })}</span>
      )}
      {difference === 0 && ` · ${t('shift.exact')}`}
      {[bagNumber && t('shift.bag', { number: bagNumber }), note]
        .filter(Boolean)
        .map((text) => ` · ${text ?? ''}`)
        .join('')}
    </>
  );
}

/** Records that were added or removed after the cash count. They can explain a difference. */
function Changed({
  what,
  records: { count, sums },
  currency,
}: {
  what: 'late' | 'removed';
  records: ShiftDto['lateRecords'];
  currency: string;
}) {
  if (count === 0) return null;
  // The amount is null if it is hidden from this reader.
  const cash = sums.some(({ type }) => type === 'cash')
    ? sums.find(({ type }) => type === 'cash')?.amount
    : 0;
  return (
    <>
      <br />
      <span class="lines__meta">
        {tn(`shift.${what}`, count)}
        {typeof cash === 'number' && ` · ${t('shift.inCash', { amount: money(cash, currency) })}`}
      </span>
    </>
  );
}
