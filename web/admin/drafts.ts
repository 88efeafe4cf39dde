import { session } from './api/session.js';

/*
 * Drafts: unsaved values of forms, kept in this browser for each person and form, so that an expired session or a closed tab
 * loses nothing. A draft ends when the form is saved or cancelled, when the person signs out, and after some days. A form with
 * a password or a PIN keeps these values out of its draft.
 */

const PREFIX = 'desk.draft.';
const KEPT_MS = 7 * 24 * 60 * 60_000;

export interface StoredDraft {
  /** Name of the form, as the person saw it. */
  readonly title: string;
  readonly at: number;
  /** The changed values. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The values that the person saw before the change, for the question about an edit conflict. */
  readonly read: Readonly<Record<string, unknown>>;
}

const userId = (): string | undefined => {
  const now = session.get();
  return now.phase === 'signed-in' ? now.user.id : undefined;
};

/** Returns the drafts of the signed-in person, by form. Removes outdated and unreadable ones. */
export function storedDrafts(): ReadonlyMap<string, StoredDraft> {
  const found = new Map<string, StoredDraft>();
  const prefix = `${PREFIX}${userId() ?? ''}.`;
  try {
    for (const key of Object.keys(localStorage).filter((name) => name.startsWith(prefix))) {
      const draft = parsed(localStorage.getItem(key));
      if (draft && Date.now() - draft.at < KEPT_MS) found.set(key.slice(prefix.length), draft);
      else localStorage.removeItem(key);
    }
  } catch {
    // A browser without storage keeps no drafts.
  }
  return found;
}

export const draftOf = (form: string): StoredDraft | undefined => storedDrafts().get(form);

export function keepDraft(form: string, draft: Omit<StoredDraft, 'at'>): void {
  const id = userId();
  if (id === undefined) return;
  try {
    localStorage.setItem(`${PREFIX}${id}.${form}`, JSON.stringify({ ...draft, at: Date.now() }));
  } catch {
    // The form works without a draft.
  }
}

export function discardDraft(form: string): void {
  const id = userId();
  if (id !== undefined) remove((name) => name === `${PREFIX}${id}.${form}`);
}

/** Removes all drafts of the signed-in person. */
export function discardDrafts(): void {
  const id = userId();
  if (id !== undefined) remove((name) => name.startsWith(`${PREFIX}${id}.`));
}

function remove(isGone: (name: string) => boolean): void {
  try {
    for (const name of Object.keys(localStorage).filter(isGone)) localStorage.removeItem(name);
  } catch {
    // A browser without storage keeps no drafts.
  }
}

function parsed(text: string | null): StoredDraft | undefined {
  try {
    const draft = JSON.parse(text ?? '') as Partial<StoredDraft>;
    return typeof draft.at === 'number' && draft.values && draft.read ? (draft as StoredDraft) : undefined;
  } catch {
    return undefined;
  }
}
