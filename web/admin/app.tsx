import { useEffect, useState } from 'preact/hooks';
import { useStore } from '../desk/store.js';
import { language, t } from '../desk/texts.js';
import { Toasts } from '../desk/toast.js';
import { factorAsked } from './api/client.js';
import { ApiError } from './api/errors.js';
import { forgetAll } from './api/query.js';
import { renew, session } from './api/session.js';
import { loadMe, me, useMe } from './me.js';
import { place } from './router.js';
import { ConfirmIdentity } from './parts/confirm-identity.js';
import { Downloads } from './parts/downloads.js';
import { LeaveDialog } from './parts/leave-dialog.js';
import { Screens } from './screens.js';
import { Shell } from './shell.js';
import { AcceptInvitation, SignIn } from './screens/sign-in.js';
import { SecondFactorSetup } from './screens/account.js';

const TRY_AGAIN_MS = 5_000;

/** Milliseconds before the next automatic attempt to load the account, after a failed one. */
const waitAfter = (error: unknown): number =>
  error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter * 1000 : TRY_AGAIN_MS;

export function App() {
  const spoken = useStore(language);
  return (
    <div class="desk" key={spoken?.locale}>
      <Inside />
      <Downloads />
      <LeaveDialog />
      <ConfirmIdentity />
      <Toasts />
    </div>
  );
}

function Inside() {
  const now = useStore(session);
  const who = useMe();
  const [problem, setProblem] = useState<string>();
  const [round, setRound] = useState(0);
  const invitation = useInvitation();
  const userId = now.phase === 'signed-in' ? now.user.id : undefined;

  useEffect(() => {
    if (invitation.token !== undefined) return;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const again = () => setRound((before) => before + 1);
    const failed = (error: unknown) => {
      if (isOver) return;
      setProblem(error instanceof Error ? error.message : String(error));
      retry = setTimeout(again, waitAfter(error));
    };
    if (now.phase === 'starting' && cameWithCode()) session.set({ phase: 'signed-out', ended: false });
    else if (now.phase === 'starting') renew().catch(failed);
    else if (now.phase === 'signed-in') loadMe().catch(failed);
    else {
      forgetAll();
      me.set(undefined);
    }
    addEventListener('online', again);
    return () => {
      isOver = true;
      clearTimeout(retry);
      removeEventListener('online', again);
    };
  }, [now.phase, userId, round, invitation.token]);

  const asked = useStore(factorAsked);
  useEffect(() => {
    // The organization now requires a second factor. The reloaded account contains this requirement, so the
    // page shows the setup.
    if (asked > 0) loadMe().catch(() => undefined);
  }, [asked]);

  if (invitation.token !== undefined)
    return (
      <AcceptInvitation token={invitation.token} isReset={invitation.isReset} onDone={invitation.done} />
    );
  if (now.phase === 'signed-out') return <SignIn ended={now.ended} isReset={invitation.isResetDone} />;
  if (problem !== undefined && !who)
    return (
      <main class="gate">
        <div class="gate__card card">
          <h1 class="gate__title">{t('boot.failed')}</h1>
          <p class="note note--bad" role="alert">
            {problem}
          </p>
          <button type="button" class="button" onClick={() => setRound(round + 1)}>
            {t('action.retry')}
          </button>
        </div>
      </main>
    );
  if (!who)
    return (
      <main class="gate" aria-busy="true">
        <p role="status" class="gate__wait">
          {t('state.loading')}
        </p>
      </main>
    );
  if (who.secondFactor.required && !who.secondFactor.enabled) return <SecondFactorSetup forced />;
  return (
    <Shell>
      <Screens />
    </Shell>
  );
}

/** True after a return from the identity provider. The page then uses this new sign-in and renews no earlier session. */
const cameWithCode = (): boolean => place.get().query.get('code') !== null;

/**
 * Reads the token of an invitation or of a password reset from the fragment of the address, which browsers send to no server.
 * Then removes the token from the address.
 */
function useInvitation() {
  const [link] = useState(() => {
    const [, purpose, token] = /^#(invite|reset)=([\w.~-]+)$/.exec(location.hash) ?? [];
    if (token !== undefined) history.replaceState(null, '', location.pathname);
    return { token, isReset: purpose === 'reset' };
  });
  const [isDone, setIsDone] = useState(false);
  return {
    token: isDone ? undefined : link.token,
    isReset: link.isReset,
    isResetDone: link.isReset && isDone,
    done: () => setIsDone(true),
  };
}
