import { useState } from 'preact/hooks';
import { ApiError, NoAnswer } from './api.js';
import { Dialog, Field } from './parts.jsx';
import { announce } from './signals.js';
import { t } from './texts.js';
import { till } from './till.js';

/** Enrols this device as a terminal of the organization, with the one-time code that an administrator shows. */
export function EnrolDialog({ code: given = '', onClose }: { code?: string; onClose: () => void }) {
  const [code, setCode] = useState(given);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const enrol = async () => {
    if (busy || code.trim() === '') return;
    setBusy(true);
    try {
      const { name } = await till.terminals.enrol(code.trim());
      announce(t('enrol.done', { name }));
      // The member must sign in again, because the server connects the records of a session with the terminal
      // of its sign-in.
      if (till.sessions.session.now) till.signingIn.set(true);
      onClose();
    } catch (error) {
      setProblem(enrolProblemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={t('enrol')} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void enrol();
        }}
      >
        <p>{t('enrol.text')}</p>
        <Field label={t('enrol.code')} value={code} onChange={setCode} problem={problem} autoFocus />
        <div class="actions">
          <button type="submit" class="button" aria-disabled={busy}>
            {t('enrol.do')}
          </button>
          <button type="button" class="button button--quiet" onClick={onClose}>
            {t('cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function enrolProblemOf(error: unknown): string {
  if (error instanceof ApiError) return t('enrol.refused');
  return error instanceof NoAnswer ? t('noAnswer') : t('failedHere');
}
