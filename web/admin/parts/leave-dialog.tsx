import { useState } from 'preact/hooks';
import { FormDialog } from '../../desk/form-dialog.js';
import { useStore } from '../../desk/store.js';
import { t } from '../../desk/texts.js';
import { discardDrafts, storedDrafts } from '../drafts.js';
import { usePlace } from '../router.js';
import { leaving } from '../unsaved.js';

/** Asks before the person leaves unsaved changes. */
export function LeaveDialog() {
  const asked = useStore(leaving);
  if (!asked) return null;
  const close = () => leaving.set(undefined);
  return (
    <FormDialog
      title={t('leave.title')}
      submit={t('leave.action')}
      cancel={t('leave.stay')}
      danger={asked.signsOut}
      onClose={close}
      onSave={() => {
        close();
        asked.proceed();
        return Promise.resolve();
      }}
    >
      <p>{t(asked.signsOut ? 'leave.signOut' : 'leave.text')}</p>
    </FormDialog>
  );
}

/** After a sign-in, names the forms with unsaved values of an earlier visit. */
export function DraftsNote() {
  usePlace();
  const [before, setBefore] = useState(storedDrafts);
  const now = storedDrafts();
  const titles = [...before].filter(([form]) => now.has(form)).map(([, { title }]) => title);
  if (titles.length === 0) return null;
  return (
    <div class="note conflict drafts" role="status">
      <p>{t('draft.waiting', { forms: titles.join(', ') })}</p>
      <p class="conflict__choice">
        <button
          type="button"
          class="button button--quiet button--small"
          onClick={() => {
            discardDrafts();
            setBefore(new Map());
          }}
        >
          {t('draft.discard')}
        </button>
      </p>
    </div>
  );
}
