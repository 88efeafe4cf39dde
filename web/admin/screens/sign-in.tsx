import { useEffect, useState } from 'preact/hooks';
import type { SignInMethodsDto } from '../../../src/auth/dto/account.dto.js';
import type { AdminSession } from '../../../src/auth/dto/session.dto.js';
import { TextField } from '../../desk/fields.js';
import { Problem, type Sending, useSending } from '../../desk/sending.js';
import { t } from '../../desk/texts.js';
import { api } from '../api/client.js';
import { hasCode } from '../api/errors.js';
import { begin } from '../api/session.js';
import { model } from '../model.js';
import { place } from '../router.js';
import { NewPasswordFields, useNewPassword } from '../parts/new-password.js';

const Gate = ({ title, children }: { title: string; children: preact.ComponentChildren }) => (
  <main class="gate">
    <div class="gate__card card">
      <p class="gate__organization">{model.organization}</p>
      <h1 class="gate__title">{title}</h1>
      {children}
    </div>
  </main>
);

/** Sign-in with password, with a second factor if the account has one, or through the identity provider. */
export function SignIn({ ended, isReset }: { ended: boolean; isReset: boolean }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [totp, setTotp] = useState('');
  const [asksFactor, setAsksFactor] = useState(false);
  const [hasForgotten, setHasForgotten] = useState(false);
  const sending = useSending();
  const { busy, problem } = sending;
  const methods = useMethods();

  useExchange(sending);

  const signIn = async () => {
    const body = { email: email.trim(), password, ...(asksFactor && { totp: totp.replace(/\s/g, '') }) };
    try {
      begin(await api<AdminSession>('/auth/login', { method: 'POST', body, open: true }));
    } catch (error) {
      const isWrong = hasCode(error, 'SECOND_FACTOR_WRONG');
      if (!isWrong && !hasCode(error, 'SECOND_FACTOR_REQUIRED')) throw error;
      setAsksFactor(true);
      if (isWrong) setTotp('');
      if (isWrong) throw new Error(t('signin.wrongFactor'), { cause: error });
    }
  };

  if (hasForgotten)
    return <ResetRequest email={email} onEmail={setEmail} onBack={() => setHasForgotten(false)} />;
  return (
    <Gate title={t('signin.title')}>
      {ended && <p class="note">{t('session.ended')}</p>}
      {isReset && <p class="note">{t('reset.done')}</p>}
      <Problem text={problem} />
      {methods.idp && (
        <a class="button button--quiet button--wide" href={methods.idp.url}>
          {t('signin.idp')}
        </a>
      )}
      {methods.password && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void sending.send(signIn);
          }}
        >
          {asksFactor ? (
            <TextField
              key="totp"
              label={t('signin.factor')}
              hint={t('signin.factorHint')}
              value={totp}
              onValue={setTotp}
              autoComplete="one-time-code"
              inputMode="text"
              autoFocus
              required
            />
          ) : (
            <>
              <TextField
                label={t('field.email')}
                type="email"
                autoComplete="username"
                value={email}
                onValue={setEmail}
                autoFocus
                required
              />
              <TextField
                label={t('field.password')}
                type="password"
                autoComplete="current-password"
                value={password}
                onValue={setPassword}
                required
              />
            </>
          )}
          <button type="submit" class="button button--wide" disabled={busy}>
            {busy ? t('state.working') : t('signin.action')}
          </button>
          {asksFactor && (
            <button type="button" class="linkbutton" onClick={() => setAsksFactor(false)}>
              {t('signin.otherAccount')}
            </button>
          )}
        </form>
      )}
      {methods.passwordReset ? (
        <button type="button" class="linkbutton" onClick={() => setHasForgotten(true)}>
          {t('signin.forgot')}
        </button>
      ) : (
        <details class="gate__help">
          <summary>{t('signin.forgot')}</summary>
          {methods.password && methods.passwordReset === false && <p>{t('signin.resetOff')}</p>}
          <p>{t('signin.forgotHelp')}</p>
        </details>
      )}
      <p class="gate__foot">
        <a href="/pos">{t('signin.toTill')}</a> · <a href="/">{t('signin.toStart')}</a>
      </p>
    </Gate>
  );
}

/** Asks for a link for a new password. The answer does not say whether an account exists. */
function ResetRequest({
  email,
  onEmail,
  onBack,
}: {
  email: string;
  onEmail: (email: string) => void;
  onBack: () => void;
}) {
  const [isSent, setIsSent] = useState(false);
  const { busy, problem, send } = useSending();
  const request = async () => {
    await api('/auth/password-reset', { method: 'POST', body: { email: email.trim() }, open: true });
    setIsSent(true);
  };
  return (
    <Gate title={t('signin.forgot')}>
      {isSent ? (
        <p role="status">{t('signin.resetSent')}</p>
      ) : (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void send(request);
          }}
        >
          <p>{t('signin.resetText')}</p>
          <Problem text={problem} />
          <TextField
            label={t('field.email')}
            type="email"
            autoComplete="username"
            value={email}
            onValue={onEmail}
            autoFocus
            required
          />
          <button type="submit" class="button button--wide" disabled={busy}>
            {busy ? t('state.working') : t('signin.reset')}
          </button>
        </form>
      )}
      <button type="button" class="linkbutton" onClick={onBack}>
        {t('signin.back')}
      </button>
    </Gate>
  );
}

/**
 * The methods of sign-in. Before the server has answered, the page does not know if the server can send links
 * for a new password.
 */
type KnownMethods = Omit<SignInMethodsDto, 'passwordReset'> &
  Partial<Pick<SignInMethodsDto, 'passwordReset'>>;

function useMethods(): KnownMethods {
  const [methods, setMethods] = useState<KnownMethods>({ password: true, idp: null });
  useEffect(() => {
    // If the server does not answer, the page offers sign-in by password.
    api<SignInMethodsDto>('/auth/methods', { open: true }).then(setMethods, () => undefined);
  }, []);
  return methods;
}

/** After a sign-in at the identity provider, the address contains a one-time code. Exchanges the code for a session. */
function useExchange({ send }: Sending): void {
  useEffect(() => {
    const { query } = place.get();
    const code = query.get('code');
    if (code === null) return;
    history.replaceState(null, '', location.pathname);
    void send(async () =>
      begin(await api<AdminSession>('/auth/idp/exchange', { method: 'POST', body: { code }, open: true })),
    );
  }, []);
}

/** @param isReset true for a link that the owner of the account requested */
export function AcceptInvitation({
  token,
  isReset,
  onDone,
}: {
  token: string;
  isReset: boolean;
  onDone: () => void;
}) {
  const password = useNewPassword();
  const { busy, problem, send } = useSending();
  const accept = async () => {
    const body = { token, password: password.value() };
    await api('/auth/invitations/accept', { method: 'POST', body, open: true });
    onDone();
  };
  return (
    <Gate title={t(isReset ? 'reset.title' : 'invite.title')}>
      <p>{t(isReset ? 'reset.text' : 'invite.text')}</p>
      <Problem text={problem} />
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void send(accept);
        }}
      >
        <NewPasswordFields password={password} autoFocus />
        <button type="submit" class="button button--wide" disabled={busy}>
          {busy ? t('state.working') : t('invite.action')}
        </button>
      </form>
    </Gate>
  );
}
