import { useState } from 'preact/hooks';
import type { StaffMember } from '../../../src/staff/dto/staff.dto.js';
import { CheckField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { t, tn, word } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed } from '../api/query.js';
import type { DeskEvent } from './events.js';
import { pastedNames } from './pasted-names.js';

const MOST = 100;

/**
 * Adds pasted names to the team. The second step shows which names will be added, and saves only after a
 * confirmation.
 */
export function ManyMembers({
  team,
  target,
  onClose,
}: {
  team: readonly string[];
  target: DeskEvent | undefined;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [isChecking, setIsChecking] = useState(false);
  const [assign, setAssign] = useState(true);
  const { names, hasColumns } = pastedNames(text, team);
  const fresh = names.filter(({ fate }) => fate === 'new');
  const isTooMany = fresh.length > MOST;
  const check = () => {
    setIsChecking(true);
    return Promise.resolve();
  };
  if (!isChecking)
    return (
      <FormDialog
        title={t('staff.addMany')}
        submit={t('staff.checkNames')}
        disabled={names.length === 0}
        onSave={check}
        onClose={onClose}
      >
        <TextField
          key="names"
          label={t('staff.names')}
          hint={t('staff.namesHint')}
          value={text}
          onValue={setText}
          rows={10}
          required
          autoFocus
        />
      </FormDialog>
    );
  const save = async () => {
    await api<StaffMember[]>('/staff/many', {
      method: 'POST',
      body: {
        members: fresh.map(({ name }) => ({ name })),
        ...(assign && target && { eventId: target.id }),
      },
    });
    changed('/staff', '/events');
    say(tn('staff.manyMade', fresh.length));
    onClose();
  };
  return (
    <FormDialog
      title={t('staff.checkNames')}
      submit={tn('staff.addThem', fresh.length)}
      disabled={fresh.length === 0 || isTooMany}
      more={
        <button type="button" class="button button--quiet" onClick={() => setIsChecking(false)}>
          {t('staff.changeNames')}
        </button>
      }
      onSave={save}
      onClose={onClose}
    >
      {isTooMany && <p class="note">{t('staff.tooMany', { count: MOST })}</p>}
      {hasColumns && <p class="note">{t('staff.columnsLeftOut')}</p>}
      <ul class="lines">
        {names.map(({ name, fate }, index) => (
          <li key={index} class="lines__row">
            <span>{name}</span>
            <span class="lines__meta">{word('pasted', fate)}</span>
          </li>
        ))}
      </ul>
      {target && (
        <CheckField
          label={t('staff.assignTo', { event: target.name })}
          checked={assign}
          onChecked={setAssign}
        />
      )}
    </FormDialog>
  );
}
