import { useEffect, useState } from 'preact/hooks';
import { EnrolDialog } from './enrol.jsx';
import type { floorOf } from '../floor/floor.jsx';
import { ask } from './api.js';
import { GuestsScreen } from './guests-screen.jsx';
import { MoreScreen } from './more-screen.jsx';
import { PaddlesScreen } from './paddles-screen.jsx';
import { type Drawing, Field, Icon } from './parts.jsx';
import { RecordsScreen } from './records-screen.jsx';
import type { Session } from './sessions.js';
import { ShiftScreen } from './shift-screen.jsx';
import { SignIn } from './sign-in.jsx';
import { announce, announcement } from './signals.js';
import { counted, isLanguage, locale, t } from './texts.js';
import { till, type ScreenName } from './till.js';
import { TillScreen } from './till-screen.jsx';
import { useValue, Value } from './value.js';

const SCREENS = ['till', 'records', 'paddles', 'guests', 'shift', 'more'] as const satisfies ScreenName[];

/** The frame of all screens: the signed-in member, the number of unsent records, and the navigation. */
export function App() {
  const session = useValue(till.sessions.session);
  const signingIn = useValue(till.signingIn);
  const enrolCode = useValue(till.enrolCode);
  useValue(locale);
  if (!session || signingIn)
    return (
      <>
        <SignIn {...(session && { onCancel: () => till.signingIn.set(false) })} />
        {enrolCode !== undefined && (
          <EnrolDialog code={enrolCode} onClose={() => till.enrolCode.set(undefined)} />
        )}
        <Announcer />
      </>
    );
  return (
    // Another member starts with new screens, so that no input of the previous member stays visible.
    <SignedIn key={session.user.id} session={session}>
      {enrolCode !== undefined && (
        <EnrolDialog code={enrolCode} onClose={() => till.enrolCode.set(undefined)} />
      )}
    </SignedIn>
  );
}

function SignedIn({ session, children }: { session: Session; children: preact.ComponentChildren }) {
  const screen = useValue(till.screen);
  const { leftHanded } = useValue(till.preferences.value);
  const guests = useValue(till.guests.list);
  const [floor, setFloor] = useState<ReturnType<typeof floorOf>>();
  useEffect(() => {
    const kit = { ask, Field, announce, isLanguage, locale, till, useValue, Value };
    // Without a network at the first start, the till works without it.
    void import('../floor/floor.jsx').then(
      (loaded) => setFloor(loaded.floorOf(kit)),
      () => undefined,
    );
  }, []);
  return (
    <div class={`pos ${leftHanded ? 'pos--left' : ''}`}>
      <Header session={session} />
      <Banners session={session} />
      {floor && <floor.Strip session={session} />}
      <main key={screen} class="pos__main" data-screen={screen}>
        {screen === 'till' && <TillScreen session={session} />}
        {screen === 'records' && <RecordsScreen session={session} />}
        {screen === 'paddles' && <PaddlesScreen session={session} />}
        {screen === 'guests' && <GuestsScreen session={session} />}
        {screen === 'shift' && <ShiftScreen session={session} />}
        {screen === 'more' && (
          <MoreScreen session={session}>{floor && <floor.Requests session={session} />}</MoreScreen>
        )}
      </main>
      <nav class="nav" aria-label={t('nav')}>
        {SCREENS.filter((name) => name !== 'guests' || guests.length > 0).map((name) => (
          <button
            key={name}
            type="button"
            class="nav__item"
            aria-current={screen === name ? 'page' : undefined}
            onClick={() => till.screen.set(name)}
          >
            <Icon of={name satisfies Drawing} />
            <span>{t(`nav.${name}`)}</span>
          </button>
        ))}
      </nav>
      {children}
      <Announcer />
    </div>
  );
}

function Header({ session }: { session: Session }) {
  const waiting = useValue(till.queue.waiting);
  const online = useValue(till.sender.online);
  const sending = useValue(till.sender.sending);
  const terminal = useValue(till.terminals.terminal);
  const refused = waiting.filter(({ state }) => state !== 'waiting').length;
  const state = refused > 0 ? 'bad' : !online ? 'offline' : waiting.length > 0 ? 'waiting' : 'fine';
  return (
    <header class="head">
      <p class="head__who">
        <strong>{session.event.name}</strong>
        <span>
          {session.user.name}
          {terminal && ` · ${terminal.name}`}
        </span>
      </p>
      <button
        type="button"
        class={`pill pill--${state}`}
        data-waiting={waiting.length}
        data-online={online}
        onClick={() => till.screen.set('records')}
      >
        <Icon of={online ? 'done' : 'offline'} />
        <span>
          {!online && `${t('offline')} · `}
          {waiting.length === 0 ? t(online ? 'allSent' : 'nothingWaits') : counted('waiting', waiting.length)}
          {sending && online && waiting.length > 0 && ' …'}
        </span>
      </button>
    </header>
  );
}

/** Warnings that the volunteer must see before the next record. Most have a button that solves the problem. */
function Banners({ session }: { session: Session }) {
  const storage = useValue(till.storage);
  const revoked = useValue(till.terminals.revoked);
  const update = useValue(till.updates.ready);
  const waiting = useValue(till.queue.waiting);
  useValue(till.terminals.rehearsal);
  const refused = waiting.filter(({ state }) => state !== 'waiting');
  return (
    <div class="banners">
      {storage === 'broken' && (
        <p class="note note--bad banner" role="alert">
          <span>
            <strong>{t('storage.broken')}</strong> {t('storage.brokenText')}
          </span>
          <button type="button" class="link" onClick={() => void till.checkStorage()}>
            {t('tryAgain')}
          </button>
        </p>
      )}
      {storage === 'low' && <p class="note note--warn banner">{t('storage.low')}</p>}
      {session.ended && (
        <p class="note note--warn banner" role="alert">
          <span>{t('session.ended', { name: session.user.name })}</span>
          <button type="button" class="link" onClick={() => till.signingIn.set(true)}>
            {t('signIn')}
          </button>
        </p>
      )}
      {till.offered && till.offered.eventId !== session.event.id && (
        <p class="note banner">
          <button
            type="button"
            class="link"
            onClick={() => {
              till.rehearses = true;
              till.signingIn.set(true);
            }}
          >
            {t('rehearsal')}
          </button>
        </p>
      )}
      {refused.length > 0 && (
        <p class="note note--bad banner" role="alert">
          <span>{counted('refused', refused.length)}</span>
          <button type="button" class="link" onClick={() => till.screen.set('records')}>
            {t('look')}
          </button>
        </p>
      )}
      {revoked && <p class="note note--warn banner">{t('terminal.revoked')}</p>}
      {update && (
        <p class="note banner">
          <span>{t('update.ready')}</span>
          <button type="button" class="link" onClick={() => till.updates.restart()}>
            {t('update.now')}
          </button>
        </p>
      )}
    </div>
  );
}

const Announcer = () => (
  <p class="visually-hidden" role="status" aria-live="polite">
    {useValue(announcement)}
  </p>
);
