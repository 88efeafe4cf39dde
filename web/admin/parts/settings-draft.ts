import { useEffect, useState } from 'preact/hooks';
import type { Settings } from '../../../src/settings/settings.js';
import { t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { loadMe } from '../me.js';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Tree = Record<string, unknown>;

export interface Draft {
  /** The settings as they would be after saving. */
  readonly settings: Settings & { readonly currency?: string };
  readonly isChanged: boolean;
  readonly saving: boolean;
  readonly problem: string | undefined;
  readonly set: (path: string, value: Json | undefined) => void;
  readonly save: () => Promise<void>;
  readonly undo: () => void;
}

/** Reads a field that an older server may not have. */
export const at = (settings: object, path: string): unknown =>
  path.split('.').reduce<unknown>((so, name) => (so as Tree | undefined)?.[name], settings);

function withValue(tree: Tree, [name = '', ...rest]: readonly string[], value: unknown): Tree {
  if (rest.length > 0)
    return { ...tree, [name]: withValue((tree[name] as Tree | undefined) ?? {}, rest, value) };
  if (value !== undefined) return { ...tree, [name]: value };
  const { [name]: _gone, ...others } = tree;
  return others;
}

/** Unsaved changes; `null` deletes an optional value. */
export function useDraft(path: string | null): {
  draft: Draft | undefined;
  error: Error | undefined;
  reload: () => void;
} {
  const { data, error, reload } = useQuery<Settings>(path);
  const [patch, setPatch] = useState<Readonly<Record<string, Json>>>({});
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => setPatch({}), [path]);
  useEffect(() => {
    const warn = (event: Event) => event.preventDefault();
    if (Object.keys(patch).length > 0) addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [patch]);
  if (!data || path === null) return { draft: undefined, error, reload };
  const settings = Object.entries(patch).reduce<Tree>(
    (so, [name, value]) => withValue(so, name.split('.'), value),
    data as unknown as Tree,
  ) as unknown as Settings;
  const save = async () => {
    setSaving(true);
    setProblem(undefined);
    try {
      const body = Object.entries(patch).reduce<Tree>(
        (so, [name, value]) => withValue(so, name.split('.'), value),
        {},
      );
      await api(path, { method: 'PATCH', body });
      setPatch({});
      changed('/settings', '/events');
      say(t('state.saved'));
      // An administrator who requires a second factor needs one too.
      await loadMe();
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    }
    setSaving(false);
  };
  return {
    draft: {
      settings,
      isChanged: Object.keys(patch).length > 0,
      saving,
      problem,
      set: (name, value) => setPatch((before) => ({ ...before, [name]: value ?? null })),
      save,
      undo: () => setPatch({}),
    },
    error,
    reload,
  };
}
