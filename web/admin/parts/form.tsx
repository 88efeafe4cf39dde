import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { dateTime, t } from '../../desk/texts.js';
import { ApiError } from '../api/errors.js';
import { discardDraft, draftOf, keepDraft, type StoredDraft } from '../drafts.js';
import { guard } from '../unsaved.js';

export interface Form<Fields extends object> {
  /** Value and setter of a field, like `useState`. */
  readonly field: <Name extends keyof Fields>(
    name: Name,
  ) => readonly [Fields[Name], (value: Fields[Name]) => void];
  /** Sets several fields at once. */
  readonly set: (values: Partial<Fields>) => void;
  /** Text for a field that the server refused, by its name in the request. */
  readonly error: (field: string) => string | undefined;
  /** Offers the draft of an earlier visit; null without one. */
  readonly note: ComponentChildren;
  /** Ends the form without saving. */
  readonly discard: () => void;
  /**
   * Runs the save, and then deletes the draft. If `save` resolves to false, the draft stays and the form
   * stays open.
   */
  readonly saving: (save: () => Promise<unknown>) => Promise<unknown>;
}

/**
 * Values of a form, with a guard for unsaved changes and a draft in this browser. Passwords and PINs do not belong in it.
 *
 * @param id names the form and the record that it changes
 *
 * @param title name of the form for the person
 *
 * @param first values at the start
 *
 * @param onRestored receives the values that the person saw before the changes of a restored draft
 */
export function useForm<Fields extends object>(
  id: string,
  title: string,
  first: Fields,
  onRestored?: (read: Partial<Fields>) => void,
): Form<Fields> {
  const [start] = useState(first);
  const [values, setValues] = useState(first);
  const [read, setRead] = useState<Partial<Fields>>({});
  const [offered, setOffered] = useState(() => draftOf(id));
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const busy = useRef(false);
  const over = useRef(false);
  const kept = useRef(false);
  const names = (Object.keys(values) as (keyof Fields)[]).filter((name) => values[name] !== start[name]);
  const changed = useRef(false);
  changed.current = names.length > 0;
  useEffect(() => guard(() => changed.current && !busy.current && !over.current), []);
  useEffect(() => {
    if (over.current) return;
    const pick = (of: Partial<Fields>) => Object.fromEntries(names.map((name) => [name, of[name]]));
    if (names.length > 0) keepDraft(id, { title, values: pick(values), read: pick({ ...start, ...read }) });
    else if (kept.current) discardDraft(id);
    kept.current = names.length > 0;
  }, [values]);
  const use = (draft: StoredDraft) => {
    setRead(draft.read as Partial<Fields>);
    setValues({ ...values, ...(draft.values as Partial<Fields>) });
    onRestored?.(draft.read as Partial<Fields>);
    setOffered(undefined);
  };
  const discard = () => {
    over.current = true;
    discardDraft(id);
  };
  return {
    field: (name) => [values[name], (value) => setValues((before) => ({ ...before, [name]: value }))],
    set: (some) => setValues((before) => ({ ...before, ...some })),
    error: (field) => errors[field],
    note: offered && (
      <DraftNote
        at={offered.at}
        onUse={() => use(offered)}
        onDiscard={() => {
          discardDraft(id);
          setOffered(undefined);
        }}
      />
    ),
    discard,
    saving: async (save) => {
      busy.current = true;
      setErrors({});
      try {
        const result = await save();
        if (result !== false) discard();
        return result;
      } catch (error) {
        if (error instanceof ApiError) setErrors(error.fields);
        throw error;
      } finally {
        busy.current = false;
      }
    },
  };
}

/** Offers unsaved values of an earlier visit. */
export const DraftNote = ({
  at,
  onUse,
  onDiscard,
}: {
  at: number;
  onUse: () => void;
  onDiscard: () => void;
}) => (
  <div class="note conflict" role="status">
    <p>{t('draft.found', { time: dateTime(at) })}</p>
    <p class="conflict__choice">
      <button type="button" class="button button--small" onClick={onUse}>
        {t('draft.use')}
      </button>
      <button type="button" class="button button--quiet button--small" onClick={onDiscard}>
        {t('draft.discard')}
      </button>
    </p>
  </div>
);
