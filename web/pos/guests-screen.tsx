import type { ComponentChild } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { PADDLE } from '../../src/common/text/paddle.js';
import { type KeptGuest, matching, withCode } from './guest-rows.js';
import { NoAnswer } from './api.js';
import { Dialog, Field } from './parts.jsx';
import { trimmed } from './records.js';
import type { Session } from './sessions.js';
import { announce } from './signals.js';
import { counted, locale, t } from './texts.js';
import { till } from './till.js';
import { useValue } from './value.js';

const MOST_SHOWN = 40;
/** True if this browser can read a code with the camera. Otherwise, the code is typed, or comes from a scanner with keys. */
const canScan = 'BarcodeDetector' in globalThis;

/** Finds guests and checks them in, also without network. */
export function GuestsScreen({ session }: { session: Session }) {
  const guests = useValue(till.guests.list);
  const waiting = useValue(till.guests.waiting);
  const refused = useValue(till.guests.refused);
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState<string>();
  const [adding, setAdding] = useState(false);
  const [scanning, setScanning] = useState(false);
  const found = useMemo(() => withCode(guests, typed) ?? matching(guests, typed), [guests, typed]);
  const guest = guests.find(({ id }) => id === opened);
  const here = guests.filter(({ checkedInAt }) => checkedInAt !== null).length;
  return (
    <div class="stack guests">
      <h1 class="screen__title">{t('nav.guests')}</h1>
      <p class="guests__count number" data-here={here} data-waiting={waiting.length}>
        {t('guests.here', { count: here, total: guests.length })}
        {waiting.length > 0 && ` · ${counted('guests.waiting', waiting.length)}`}
      </p>
      {refused && (
        <p class="note note--bad" role="alert">
          {t('guests.refused', { name: refused.name })}{' '}
          <button type="button" class="link" onClick={() => till.guests.refused.set(undefined)}>
            {t('understood')}
          </button>
        </p>
      )}
      <form
        class="guests__search"
        onSubmit={(submit) => {
          submit.preventDefault();
          // A scanner with keys ends a code with Enter.
          if (found.length === 1) setOpened(found[0]?.id);
        }}
      >
        <Field label={t('guests.search')} value={typed} onChange={setTyped} />
        {canScan && (
          <button type="button" class="button button--quiet" onClick={() => setScanning(true)}>
            {t('guests.scan')}
          </button>
        )}
      </form>
      <ul class="rows guests__rows">
        {found.slice(0, MOST_SHOWN).map((one) => (
          <li key={one.id} class="row">
            <button
              type="button"
              class="row__face guests__row"
              data-guest={one.id}
              onClick={() => setOpened(one.id)}
            >
              <span class="guests__name">
                <bdi>{one.name}</bdi>
              </span>
              <span class="soft">
                {[one.table !== null && t('guests.table', { table: one.table }), one.paddle]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
              <span class={one.checkedInAt === null ? 'soft' : 'guests__in'}>
                {one.checkedInAt === null ? t('guests.notYet') : `✓ ${labelOfTime(one.checkedInAt)}`}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {found.length > MOST_SHOWN && (
        <p class="soft">{t('guests.more', { count: found.length - MOST_SHOWN })}</p>
      )}
      {found.length === 0 && <p class="soft">{t('guests.none')}</p>}
      <button type="button" class="button button--quiet button--wide" onClick={() => setAdding(true)}>
        {t('guests.walkIn')}
      </button>
      {guest && (
        <GuestDialog
          key={guest.id}
          session={session}
          guest={guest}
          onClose={() => {
            setOpened(undefined);
            setTyped('');
          }}
        />
      )}
      {scanning && (
        <ScanDialog
          onClose={() => setScanning(false)}
          onCode={(text) => {
            const [one] = withCode(till.guests.list.now, text) ?? [];
            if (!one) return false;
            setScanning(false);
            setOpened(one.id);
            till.signal('success');
            return true;
          }}
        />
      )}
      {adding && (
        <WalkInDialog
          session={session}
          name={found.length === 0 ? typed : ''}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  );
}

const labelOfTime = (at: string): string =>
  new Intl.DateTimeFormat(locale.now, { timeStyle: 'short' }).format(new Date(at));

/** Returns the text for a paddle that the guest cannot get; undefined if the number is valid and free. */
function paddleProblem(paddle: string, id: string | undefined): string | undefined {
  if (paddle === '') return undefined;
  if (!PADDLE.test(paddle)) return t('guests.paddleForm');
  const holder = till.guests.byPaddle.now.get(paddle);
  return holder && holder.id !== id ? t('guests.paddleTaken', { paddle, name: holder.name }) : undefined;
}

function GuestDialog({
  session,
  guest,
  onClose,
}: {
  session: Session;
  guest: KeptGuest;
  onClose: () => void;
}) {
  const [paddle, setPaddle] = useState(guest.paddle ?? '');
  const [problem, setProblem] = useState<string>();
  const busy = useRef(false);
  const [card, setCard] = useState<ComponentChild>();
  const isIn = guest.checkedInAt !== null;
  const isShared = guest.sharesPaddleWith !== null;
  const work = async (action: () => Promise<unknown>, said: string) => {
    if (busy.current) return;
    busy.current = true;
    try {
      await action();
      till.signal('success');
      announce(said);
      onClose();
    } catch (error) {
      till.signal('problem');
      setProblem(error instanceof NoAnswer ? t('guests.nextOffline') : t('notChanged'));
    } finally {
      busy.current = false;
    }
  };
  const checkIn = () => {
    const number = paddle.trim();
    const wrong = isShared ? undefined : paddleProblem(number, guest.id);
    setProblem(wrong);
    if (wrong !== undefined) return;
    const isNew = number !== '' && number !== guest.paddle;
    void work(
      () => till.guests.checkIn(session, guest, isNew ? number : undefined),
      t('guests.isIn', { name: guest.name }),
    );
  };
  // The code needs a network and a library, so both are loaded only for it.
  const showCard = () =>
    import('./guest-card.js').then(
      async ({ guestCard }) => setCard(await guestCard(session, guest.id)),
      () => setProblem(t('guests.cardOffline')),
    );
  const next = async () => {
    if (busy.current) return;
    busy.current = true;
    try {
      const { paddle: given } = await till.guests.nextPaddle(session, guest);
      setPaddle(given ?? '');
      setProblem(undefined);
      announce(t('guests.gotPaddle', { paddle: given ?? '' }));
    } catch (error) {
      setProblem(error instanceof NoAnswer ? t('guests.nextOffline') : t('notChanged'));
    } finally {
      busy.current = false;
    }
  };
  return (
    <Dialog title={guest.name} onClose={onClose}>
      <div class="stack guests__dialog">
        <div class="guests__seat">
          <p>
            <span class="soft">{t('guests.tableLabel')}</span>
            <strong>{guest.table ?? '–'}</strong>
          </p>
          {guest.seat !== null && (
            <p>
              <span class="soft">{t('guests.seat')}</span>
              <strong>{guest.seat}</strong>
            </p>
          )}
          {guest.paddle !== null && (
            <p>
              <span class="soft">{t('guests.paddle')}</span>
              <strong class="number">{guest.paddle}</strong>
            </p>
          )}
        </div>
        {guest.isVip && <p class="note">{t('guests.vip')}</p>}
        {guest.needsHelp && <p class="note note--warn">{t('guests.needsHelp')}</p>}
        {guest.note !== null && <p>{guest.note}</p>}
        {guest.contestedPaddle !== null && (
          <p class="note note--warn">{t('guests.contested', { paddle: guest.contestedPaddle })}</p>
        )}
        {guest.checkedInAt !== null && (
          <p class="note" data-already>
            {guest.checkedInBy === null
              ? t('guests.already', { time: labelOfTime(guest.checkedInAt) })
              : t('guests.alreadyBy', { time: labelOfTime(guest.checkedInAt), name: guest.checkedInBy })}
          </p>
        )}
        {!isShared && (
          <Field
            label={t('guests.paddle')}
            inputMode="numeric"
            maxLength={12}
            value={paddle}
            problem={problem}
            onChange={(value) => {
              setPaddle(value);
              setProblem(undefined);
            }}
          />
        )}
        {isShared && <p class="soft">{t('guests.shared')}</p>}
        {card}
        <div class="actions">
          <button type="button" class="button button--large" onClick={checkIn}>
            {isIn ? t('guests.savePaddle') : t('guests.checkIn')}
          </button>
          {!isShared && guest.paddle === null && (
            <button type="button" class="button button--quiet" onClick={() => void next()}>
              {t(isIn ? 'guests.next' : 'guests.checkInNext')}
            </button>
          )}
          {guest.paddle !== null && (
            <button type="button" class="button button--quiet" onClick={() => void showCard()}>
              {t('guests.card')}
            </button>
          )}
          {isIn && (
            <button
              type="button"
              class="button button--quiet"
              onClick={() =>
                void work(() => till.guests.undo(session, guest), t('guests.removed', { name: guest.name }))
              }
            >
              {t('guests.undo')}
            </button>
          )}
          <button type="button" class="button button--quiet" onClick={onClose}>
            {t('close')}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function ScanDialog({ onCode, onClose }: { onCode: (text: string) => boolean; onClose: () => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [problem, setProblem] = useState<'unknown' | 'camera'>();
  useEffect(() => {
    let stop: (() => void) | undefined = () => (stop = undefined);
    void import('./code-camera.js').then(
      ({ readCodes }) => {
        // The dialog may be closed already.
        if (stop && video.current) stop = readCodes(video.current, onCode, setProblem);
      },
      () => setProblem('camera'),
    );
    return () => stop?.();
  }, []);
  const text = { unknown: t('guests.scanUnknown'), camera: t('guests.scanNoCamera') };
  return (
    <Dialog title={t('guests.scan')} onClose={onClose}>
      <div class="stack">
        <video ref={video} class="guests__camera" muted playsInline />
        <p role="status">{problem ? text[problem] : t('guests.scanHint')}</p>
        <button type="button" class="button button--quiet" onClick={onClose}>
          {t('close')}
        </button>
      </div>
    </Dialog>
  );
}

function WalkInDialog({
  session,
  name: first,
  onClose,
}: {
  session: Session;
  name: string;
  onClose: () => void;
}) {
  const [name, setName] = useState(first);
  const [table, setTable] = useState('');
  const [paddle, setPaddle] = useState('');
  const [problem, setProblem] = useState<string>();
  const busy = useRef(false);
  const add = async () => {
    const wrong = name.trim() === '' ? t('guests.nameMissing') : paddleProblem(paddle.trim(), undefined);
    setProblem(wrong);
    if (wrong !== undefined || busy.current) return;
    busy.current = true;
    try {
      await till.guests.walkIn(session, {
        name: name.trim(),
        table: trimmed(table),
        paddle: trimmed(paddle),
      });
      till.signal('success');
      announce(t('guests.isIn', { name: name.trim() }));
      onClose();
    } catch {
      till.signal('problem');
      setProblem(t('notChanged'));
    } finally {
      busy.current = false;
    }
  };
  return (
    <Dialog title={t('guests.walkIn')} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(submit) => {
          submit.preventDefault();
          void add();
        }}
      >
        <Field
          label={t('guests.name')}
          value={name}
          maxLength={200}
          onChange={setName}
          autoFocus
          problem={problem}
        />
        <Field label={t('guests.tableLabel')} value={table} maxLength={40} onChange={setTable} />
        <Field
          label={t('guests.paddle')}
          inputMode="numeric"
          maxLength={12}
          value={paddle}
          onChange={setPaddle}
        />
        <div class="actions">
          <button type="submit" class="button button--large">
            {t('guests.checkIn')}
          </button>
          <button type="button" class="button button--quiet" onClick={onClose}>
            {t('cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
