import { useState } from 'preact/hooks';
import type { EditConflictField } from '../../../src/common/errors/error-body.js';
import { Problem, useSending } from '../../desk/sending.js';
import { ago, t } from '../../desk/texts.js';
import { conflictsOf } from '../api/errors.js';
import { useMe } from '../me.js';
import { fieldName, fieldText } from './field-words.js';

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

function sentenceOf({ field, value, by, at }: EditConflictField, own: string | undefined, currency: string) {
  const values = {
    who: by?.name ?? t('conflict.someone'),
    field: fieldName(field),
    value: fieldText(field, value, currency),
    when: at === undefined ? t('conflict.meanwhile') : ago(at),
  };
  return by && by.id !== null && by.id === own ? t('conflict.byYou', values) : t('conflict.changed', values);
}
