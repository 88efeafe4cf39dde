import { useEffect, useState } from 'preact/hooks';
import type { Confirmation, SignInMethodsDto } from '../../../src/auth/dto/account.dto.js';
import { TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { useStore } from '../../desk/store.js';
import { t } from '../../desk/texts.js';
import { api } from '../api/client.js';
import { question, type Question } from '../api/confirmation.js';

/** Asks for the password, or for a new sign-in at the identity provider, before the sign-in of an account changes. */
export function ConfirmIdentity() {
  const asked = useStore(question);
  return asked ? <Ask asked={asked} /> : null;
}

function Ask({ asked }: { asked: Question }) {
  const [password, setPassword] = useState('');
  const [methods, setMethods] = useState<Pick<SignInMethodsDto, 'password' | 'idp'>>({
    password: true,
    idp: null,
  });
  useEffect(() => {
    api<SignInMethodsDto>('/auth/methods', { open: true }).then(setMethods, () => undefined);
  }, []);
  return (
    <FormDialog
      title={t('confirm.title')}
      submit={t('confirm.action')}
      disabled={!methods.password || password === ''}
      onClose={() => asked.answer(undefined)}
      onSave={async () =>
        asked.answer(await api<Confirmation>('/auth/confirm', { method: 'POST', body: { password } }))
      }
    >
      <p>{t('confirm.text')}</p>
      {methods.password && (
        <TextField
          label={t('field.password')}
          type="password"
          autoComplete="current-password"
          value={password}
          onValue={setPassword}
          autoFocus
        />
      )}
      {methods.idp && (
        <>
          <a class="button button--quiet button--wide" href={`${methods.idp.url}/again`}>
            {t('confirm.idp')}
          </a>
          <p class="field__hint">{t('confirm.idpHint')}</p>
        </>
      )}
    </FormDialog>
  );
}
