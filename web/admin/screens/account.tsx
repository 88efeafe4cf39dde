import { useState } from 'preact/hooks';
import type { OpenSessions } from '../../../src/auth/dto/account.dto.js';
import type { AdminSession } from '../../../src/auth/dto/session.dto.js';
import type { RecoveryCodes, TotpSecret } from '../../../src/auth/dto/second-factor.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { TextField } from '../../desk/fields.js';
import { ConfirmDialog, FormDialog } from '../../desk/form-dialog.js';
import { Problem, useSending } from '../../desk/sending.js';
import { LongList } from '../../desk/long-list.js';
import { Failed, NotHere, Pill, Skeleton } from '../../desk/states.js';
import { ago, date, t } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { once } from '../../kit/clicks.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed, useQuery } from '../api/query.js';
import { begin, session, signOut } from '../api/session.js';
import { loadMe, useMe } from '../me.js';
import { MailOff } from '../parts/mail-off.js';
import { NewPasswordFields, useNewPassword } from '../parts/new-password.js';

/** The user's own account: password, second factor, sign-ins. */
export function Account() {
  const who = useMe();
  const [open, setOpen] = useState<'password' | 'factor' | 'disable' | undefined>();
  const close = () => setOpen(undefined);
  const factor = who?.secondFactor;
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.account')}</h1>
      </header>
      <div class="columns">
        <div class="columns__side">
          <section class="panel" aria-labelledby="who">
            <h2 class="panel__title" id="who">
              {who?.user.name ?? who?.user.email}
            </h2>
            <dl class="facts">
              <dt>{t('field.email')}</dt>
              <dd>{who?.user.email}</dd>
            </dl>
            <MailOff text="mail.offNotices" />
            <p class="panel__links">
              <button type="button" class="button button--quiet" onClick={() => setOpen('password')}>
                {t('password.change')}
              </button>
            </p>
          </section>
          <section class="panel" aria-labelledby="factor">
            <header class="panel__head">
              <h2 class="panel__title" id="factor">
                {t('factor.title')}
              </h2>
              {factor && (
                <Pill tone={factor.enabled ? 'good' : 'quiet'}>
                  {factor.enabled ? t('state.on') : t('state.off')}
                </Pill>
              )}
            </header>
            <p class="field__hint">{t('factor.text')}</p>
            {!factor && <NotHere />}
            {factor && (
              <p class="panel__links">
                {factor.enabled ? (
                  <button type="button" class="button button--quiet" onClick={() => setOpen('disable')}>
                    {t('factor.disable')}
                  </button>
                ) : (
                  <button type="button" class="button" onClick={() => setOpen('factor')}>
                    {t('factor.enable')}
                  </button>
                )}
              </p>
            )}
          </section>
        </div>
        <Sessions />
      </div>
      {open === 'password' && <PasswordDialog onClose={close} />}
      {open === 'factor' && (
        <Dialog title={t('factor.enable')} onClose={close}>
          <SetupSteps onDone={close} />
        </Dialog>
      )}
      {open === 'disable' && <DisableFactor onClose={close} />}
    </>
  );
}

function Sessions() {
  const { data, error, reload } = useQuery<OpenSessions>('/auth/sessions');
  const end = async (id: string) => {
    try {
      await api(`/auth/sessions/${id}`, { method: 'DELETE' });
      changed('/auth/sessions');
      say(t('sessions.ended'));
    } catch (failure) {
      sayError(failure);
    }
  };
  const endOthers = async () => {
    try {
      // The server ended the previous access token too, so use the new one.
      const { accessToken, user } = await api<AdminSession>('/auth/sessions', { method: 'DELETE' });
      begin({ accessToken, user });
      changed('/auth/sessions');
      say(t('sessions.endedOthers'));
    } catch (failure) {
      sayError(failure);
    }
  };
  const hasOthers = data?.data.some((one) => !one.current) ?? false;
  return (
    <section class="panel" aria-labelledby="sessions">
      <header class="panel__head">
        <h2 class="panel__title" id="sessions">
          {t('sessions.title')}
        </h2>
        {hasOthers && (
          <button type="button" class="button button--quiet button--small" onClick={once(endOthers)}>
            {t('sessions.endOthers')}
          </button>
        )}
      </header>
      {error && (isMissingRoute(error) ? <NotHere /> : <Failed error={error} retry={reload} />)}
      {!data && !error && <Skeleton rows={3} />}
      <LongList rows={data?.data ?? []}>
        {(one) => (
          <li key={one.id} class="lines__row">
            <span>
              {one.client ?? t('sessions.unknown')}{' '}
              {one.current && <Pill tone="good">{t('sessions.this')}</Pill>}
              <br />
              <span class="lines__meta">
                {one.address ?? ''} · {t('sessions.since', { date: date(one.createdAt) })}
                {` · ${ago(one.lastUsedAt)}`}
              </span>
            </span>
            {!one.current && (
              <button
                type="button"
                class="button button--quiet button--small"
                onClick={once(() => end(one.id))}
              >
                {t('sessions.end')}
              </button>
            )}
          </li>
        )}
      </LongList>
    </section>
  );
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const [current, setCurrent] = useState('');
  const password = useNewPassword();
  const save = async () => {
    await api('/auth/password', { method: 'POST', body: { current, next: password.value() } });
    changed('/auth/sessions');
    say(t('password.changed'));
    onClose();
  };
  return (
    <FormDialog title={t('password.change')} submit={t('action.save')} onSave={save} onClose={onClose}>
      <TextField
        label={t('password.current')}
        type="password"
        autoComplete="current-password"
        value={current}
        onValue={setCurrent}
        required
        autoFocus
      />
      <NewPasswordFields password={password} />
      <p class="note">{t('password.endsOthers')}</p>
    </FormDialog>
  );
}

function DisableFactor({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('');
  return (
    <ConfirmDialog
      title={t('factor.disable')}
      confirm={t('factor.disable')}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await api('/auth/totp/disable', { method: 'POST', body: password === '' ? {} : { password } });
        await loadMe();
      }}
    >
      <p>{t('factor.disableText')}</p>
      <TextField
        label={t('field.password')}
        type="password"
        autoComplete="current-password"
        value={password}
        onValue={setPassword}
      />
    </ConfirmDialog>
  );
}

/** Setup of the second factor. With `forced`, the user can do nothing else before it is complete. */
export const SecondFactorSetup = ({ forced }: { forced: boolean }) => (
  <main class="gate">
    <div class="gate__card card">
      <h1 class="gate__title">{t('factor.enable')}</h1>
      {forced && <p class="note">{t('factor.forced')}</p>}
      <SetupSteps onDone={() => undefined} />
      <button type="button" class="linkbutton" onClick={() => void signOut()}>
        {t('account.leave')}
      </button>
    </div>
  </main>
);

/** The steps: scan the QR code, type the first code of the app, and note the recovery codes, which are shown once. */
function SetupSteps({ onDone }: { onDone: () => void }) {
  const [setup, setSetup] = useState<TotpSecret>();
  const [code, setCode] = useState('');
  const [recovery, setRecovery] = useState<readonly string[]>();
  const { busy, problem, send } = useSending();
  const start = () => send(async () => setSetup(await api<TotpSecret>('/auth/totp', { method: 'POST' })));
  const confirm = () =>
    send(async () => {
      const answer = await api<RecoveryCodes>('/auth/totp/confirm', {
        method: 'POST',
        body: { code: code.replace(/\s/g, '') },
      });
      // The server ended the previous access token, so use the new one.
      const now = session.get();
      if (now.phase === 'signed-in') begin({ accessToken: answer.accessToken, user: now.user });
      setRecovery(answer.recoveryCodes);
    });
  const finish = () => {
    void loadMe().then(onDone);
  };
  return (
    <div class="stack">
      <Problem text={problem} />
      {recovery ? (
        <>
          <p>{t('factor.recovery')}</p>
          <ul class="codes">
            {recovery.map((one) => (
              <li key={one} class="mono">
                {one}
              </li>
            ))}
          </ul>
          <p class="panel__links">
            <button
              type="button"
              class="button button--quiet"
              onClick={() =>
                void navigator.clipboard.writeText(recovery.join('\n')).then(() => say(t('action.copied')))
              }
            >
              {t('action.copy')}
            </button>
            <button type="button" class="button" onClick={finish}>
              {t('factor.kept')}
            </button>
          </p>
        </>
      ) : setup ? (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void confirm();
          }}
        >
          <p>{t('factor.scan')}</p>
          <img
            class="qr"
            alt={t('factor.qr')}
            src={`data:image/svg+xml;utf8,${encodeURIComponent(setup.qr)}`}
            width={200}
            height={200}
          />
          <p class="field__hint">
            {t('factor.typed')} <span class="mono">{setup.secret}</span>
          </p>
          <TextField
            label={t('signin.factor')}
            value={code}
            onValue={setCode}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
          />
          <button type="submit" class="button" disabled={busy}>
            {t('factor.confirm')}
          </button>
        </form>
      ) : (
        <>
          <p>{t('factor.steps')}</p>
          <button type="button" class="button" disabled={busy} onClick={() => void start()}>
            {t('factor.begin')}
          </button>
        </>
      )}
    </div>
  );
}
