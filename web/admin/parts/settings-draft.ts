import { useEffect, useRef, useState } from 'preact/hooks';
import type { EditConflictField } from '../../../src/common/errors/error-body.js';
import type { Settings } from '../../../src/settings/settings.js';
import { t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { discardDraft, draftOf, keepDraft, type StoredDraft } from '../drafts.js';
import { loadMe } from '../me.js';
import { guard } from '../unsaved.js';
import { useConflict } from './edit-conflict.js';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Tree = Record<string, unknown>;

export interface Draft {
  /** The stored settings with the unsaved changes. */
  readonly settings: Settings & { readonly currency?: string };
  readonly isChanged: boolean;
  /** Returns true if there is an unsaved change of a setting whose path starts with `start`. */
  readonly changes: (start: string) => boolean;
  readonly saving: boolean;
  readonly problem: string | undefined;
  readonly set: (path: string, value: Json | undefined) => void;
  readonly save: () => Promise<void>;
  readonly undo: () => void;
  /** Unsaved changes of an earlier visit. */
  readonly offered:
    { readonly at: number; readonly use: () => void; readonly discard: () => void } | undefined;
  /** Changes when code outside the form changes the values. The form then draws its fields again. */
  readonly round: number;
  /** Settings that somebody else changed meanwhile. */
  readonly conflicts: readonly EditConflictField[];
  readonly keepMine: () => Promise<void>;
  readonly takeTheirs: () => void;
}

/** Reads a field by its path; undefined if an older server does not have the field. */
export const at = (settings: object, path: string): unknown =>
  path.split('.').reduce<unknown>((so, name) => (so as Tree | undefined)?.[name], settings);

function withValue(tree: Tree, [name = '', ...rest]: readonly string[], value: unknown): Tree {
  if (rest.length > 0)
    return { ...tree, [name]: withValue((tree[name] as Tree | undefined) ?? {}, rest, value) };
  if (value !== undefined) return { ...tree, [name]: value };
  const { [name]: _gone, ...others } = tree;
  return others;
}

/** Manages the unsaved changes of settings. The value `null` deletes an optional setting. */
export function useDraft(path: string | null): {
  draft: Draft | undefined;
  error: Error | undefined;
  reload: () => void;
} {
  const { data, error, reload } = useQuery<Settings>(path);
  const [patch, setPatch] = useState<Readonly<Record<string, Json>>>({});
  // The values that the person saw before the first change of each setting.
  const [read, setRead] = useState<Readonly<Record<string, unknown>>>({});
  const [round, setRound] = useState(0);
  const conflict = useConflict();
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  const reset = () => {
    setPatch({});
    setRead({});
    conflict.clear();
  };
  const form = `settings.${path ?? ''}`;
  const [offered, setOffered] = useState<StoredDraft>();
  useEffect(() => {
    reset();
    setOffered(draftOf(form));
  }, [path]);
  const isDirty = useRef(false);
  isDirty.current = Object.keys(patch).length > 0 && !saving;
  useEffect(() => guard(() => isDirty.current), []);
  useEffect(() => {
    if (Object.keys(patch).length > 0) keepDraft(form, { title: t('nav.settings'), values: patch, read });
  }, [patch, read]);
  if (!data || path === null) return { draft: undefined, error, reload };
  const settings = Object.entries(patch).reduce<Tree>(
    (so, [name, value]) => withValue(so, name.split('.'), value),
    data as unknown as Tree,
  ) as unknown as Settings;
  const tree = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).reduce<Tree>((so, [name, value]) => withValue(so, name.split('.'), value), {});
  const save = async (from = read) => {
    setSaving(true);
    setProblem(undefined);
    try {
      const isSaved = await conflict.trying(() =>
        api(path, { method: 'PATCH', body: { ...tree(patch), expected: tree(from) } }),
      );
      if (isSaved) {
        discardDraft(form);
        reset();
        say(t('state.saved'));
      }
      changed('/settings', '/events');
      // If the new settings require a second factor, this account needs one too. Loads the account again,
      // because it contains this requirement.
      if (isSaved) await loadMe();
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
    setSaving(false);
  };
  return {
    draft: {
      settings,
      isChanged: Object.keys(patch).length > 0,
      changes: (start) => Object.keys(patch).some((name) => name.startsWith(start)),
      saving,
      problem,
      set: (name, value) => {
        setRead((before) => ({ [name]: at(data, name) ?? null, ...before }));
        setPatch((before) => ({ ...before, [name]: value ?? null }));
      },
      save: () => save(),
      undo: () => {
        discardDraft(form);
        reset();
        setRound(round + 1);
      },
      offered: offered && {
        at: offered.at,
        use: () => {
          setPatch(offered.values as Readonly<Record<string, Json>>);
          setRead(offered.read);
          setOffered(undefined);
          setRound(round + 1);
        },
        discard: () => {
          discardDraft(form);
          setOffered(undefined);
        },
      },
      round,
      conflicts: conflict.fields,
      keepMine: async () => {
        const known = { ...read };
        for (const { field, value } of conflict.fields) known[field] = value;
        setRead(known);
        await save(known);
      },
      takeTheirs: () => {
        const taken = new Set(conflict.fields.map(({ field }) => field));
        const others = <Value>(of: Readonly<Record<string, Value>>) =>
          Object.fromEntries(Object.entries(of).filter(([name]) => !taken.has(name)));
        setPatch(others(patch));
        setRead(others(read));
        conflict.clear();
        reload();
        setRound(round + 1);
      },
    },
    error,
    reload,
  };
}
