import { Store } from '../desk/store.js';

/*
 * The only guard for unsaved changes. It asks before another screen opens, before a sign-out, and before
 * the tab closes.
 */

const forms = new Set<() => boolean>();

/** Registers a form. `isUnsaved` returns true while the form has changes that are not saved and not being saved. */
export function guard(isUnsaved: () => boolean): () => void {
  forms.add(isUnsaved);
  return () => void forms.delete(isUnsaved);
}

export const hasUnsaved = (): boolean => [...forms].some((isUnsaved) => isUnsaved());

export interface Leaving {
  readonly proceed: () => void;
  /** True if the person signs out, which also discards the drafts. */
  readonly signsOut: boolean;
}

/** The question before leaving unsaved changes, while it is open. */
export const leaving = new Store<Leaving | undefined>(undefined);

/** Runs `proceed`. If there are unsaved changes, asks first. */
export function unlessUnsaved(proceed: () => void, { signsOut = false } = {}): void {
  if (hasUnsaved()) leaving.set({ proceed, signsOut });
  else proceed();
}

addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault();
});
