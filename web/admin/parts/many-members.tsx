import { useState } from 'preact/hooks';
import type { StaffMember } from '../../../src/staff/dto/staff.dto.js';
import { CheckField, TextField } from '../../desk/fields.js';
import { Dialog } from '../../desk/dialog.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { Icon } from '../../desk/icons.js';
import { t, tn, word } from '../../desk/texts.js';
import { api } from '../api/client.js';
import { changed } from '../api/query.js';
import type { DeskEvent } from './events.js';
import { pastedNames } from './pasted-names.js';
import type { PinOwner } from './pin-slips.js';

const MOST = 100;

/**
 * Adds pasted names to the team. The second step shows which names will be added, and saves only after a
 * confirmation. The last step prints their PINs.
 */
export function ManyMembers({
  team,
  target,
  onPrint,
  onClose,
}: {
  team: readonly string[];
  target: DeskEvent | undefined;
  onPrint: (made: readonly PinOwner[], event: DeskEvent | undefined) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [isChecking, setIsChecking] = useState(false);
  const [assign, setAssign] = useState(true);
  const [made, setMade] = useState<readonly StaffMember[]>();
  const { names, hasColumns } = pastedNames(text, team);
  const fresh = names.filter(({ fate }) => fate === 'new');
  const isTooMany = fresh.length > MOST;
  if (made)
    return (
      <Dialog
        title={tn('staff.manyMade', made.length)}
        onClose={onClose}
        actions={
          <>
            <button type="button" class="button button--quiet" onClick={onClose}>
              {t('action.done')}
            </button>
            <button
              type="button"
              class="button"
              onClick={() => {
                onPrint(made, assign ? target : undefined);
              }}
            >
              <Icon name="print" size={16} /> {t('staff.print')}
            </button>
          </>
        }
      >
        <p>{t('staff.manyMadeText')}</p>
      </Dialog>
    );
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
    const saved = await api<StaffMember[]>('/staff/many', {
      method: 'POST',
      body: {
        members: fresh.map(({ name }) => ({ name })),
        ...(assign && target && { eventId: target.id }),
      },
    });
    changed('/staff', '/events');
    setMade(saved);
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
