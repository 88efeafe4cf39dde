import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { EditConflictField } from '../../../src/common/errors/error-body.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { Problem, useSending } from '../../desk/sending.js';
import { ago, t } from '../../desk/texts.js';
import { conflictsOf } from '../api/errors.js';
import { useMe } from '../me.js';
import { fieldName } from './field-names.js';
import { fieldText } from './field-words.js';

/** New values of the changed fields, and `expected`: the values that this page had read. */
export interface Change<Fields> {
  readonly changes: Partial<Fields>;
  readonly expected: Partial<Fields>;
}

/** Compares the fields with the values that this page had read, and returns the changed ones. */
export function changeOf<Fields extends object>(read: Partial<Fields>, now: Fields): Change<Fields> {
  const names = (Object.keys(now) as (keyof Fields)[]).filter((name) => now[name] !== read[name]);
  const pick = (of: Partial<Fields>) =>
    Object.fromEntries(names.map((name) => [name, of[name]])) as Partial<Fields>;
  return { changes: pick(now), expected: pick(read) };
}

export interface Conflict {
  readonly fields: readonly EditConflictField[];
  /** Runs a change. After an edit conflict it returns false, and the person must choose the values to keep. */
  readonly trying: (change: () => Promise<void>) => Promise<boolean>;
  readonly clear: () => void;
}

export function useConflict(): Conflict {
  const [fields, setFields] = useState<readonly EditConflictField[]>([]);
  return {
    fields,
    trying: async (change) => {
      try {
        await change();
      } catch (error) {
        const found = conflictsOf(error);
        if (found.length === 0) throw error;
        setFields(found);
        return false;
      }
      setFields([]);
      return true;
    },
    clear: () => setFields([]),
  };
}

/** The server's values of the fields in conflict. */
export const theirs = <Fields extends object>(fields: readonly EditConflictField[]): Partial<Fields> =>
  Object.fromEntries(fields.map(({ field, value }) => [field, value])) as Partial<Fields>;

interface NoteProps {
  readonly fields: readonly EditConflictField[];
  readonly currency: string;
  /** Saves the person's own values. */
  readonly onMine: () => Promise<unknown>;
  /** Shows the values of the other person in the form. */
  readonly onTheirs: () => void;
}

/** Shows who changed which field meanwhile, and asks the person which values to keep. */
export function ConflictNote({ fields, currency, onMine, onTheirs }: NoteProps) {
  const { busy, problem, send } = useSending();
  const own = useMe()?.user.id;
  if (fields.length === 0) return null;
  return (
    <div class="note note--warn conflict" role="alert">
      <p>
        <strong>{t('conflict.title')}</strong>
      </p>
      <ul class="conflict__fields">
        {fields.map((one) => (
          <li key={one.field}>{sentenceOf(one, own, currency)}</li>
        ))}
      </ul>
      <p>{t('conflict.text')}</p>
      <Problem text={problem} />
      <p class="conflict__choice">
        <button type="button" class="button" disabled={busy} onClick={() => void send(onMine)}>
          {busy ? t('state.working') : t('conflict.mine')}
        </button>
        <button type="button" class="button button--quiet" disabled={busy} onClick={onTheirs}>
          {t('conflict.theirs')}
        </button>
      </p>
    </div>
  );
}

interface ChangeDialogProps<Fields> {
  readonly title: string;
  readonly confirm: string;
  readonly danger?: boolean;
  /** The values of the changed fields, as this page had read them when the dialog opened. */
  readonly read: Fields;
  /** Sends the change with the values that the server must still have. */
  readonly onConfirm: (expected: Fields) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog that confirms one change. After an edit conflict it asks whose value to keep. */
export function ChangeDialog<Fields extends object>({
  confirm,
  read,
  onConfirm,
  onClose,
  children,
  ...rest
}: ChangeDialogProps<Fields>) {
  const [known, setKnown] = useState(read);
  const conflict = useConflict();
  const save = (expected: Fields) =>
    conflict.trying(async () => {
      await onConfirm(expected);
      onClose();
    });
  return (
    <FormDialog
      {...rest}
      submit={confirm}
      cancel={t('action.keep')}
      disabled={conflict.fields.length > 0}
      onSave={() => save(known)}
      onClose={onClose}
    >
      <ConflictNote
        fields={conflict.fields}
        currency=""
        onMine={() => {
          const expected = { ...known, ...theirs<Fields>(conflict.fields) };
          setKnown(expected);
          return save(expected);
        }}
        onTheirs={onClose}
      />
      {children}
    </FormDialog>
  );
}

function sentenceOf({ field, value, by, at }: EditConflictField, own: string | undefined, currency: string) {
  const values = {
    who: by?.name ?? t('conflict.someone'),
    field: fieldName(field),
    value: fieldText(field, value, currency),
    when: at === undefined ? t('conflict.meanwhile') : ago(at),
  };
  return by && by.id !== null && by.id === own ? t('conflict.byYou', values) : t('conflict.changed', values);
}
