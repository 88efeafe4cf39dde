import type { Session } from './sessions.js';
import { type Draft, EMPTY_DRAFT } from './records.js';
import type { Value } from './value.js';

/*
 * The donation that a member types, kept in this tab for a reload. It may contain the name of a donor, so it belongs to one
 * member at one event: it is deleted when the member records, clears the amount or signs out, when another member signs in,
 * and when the tab closes.
 */

const NAME = 'pos.draft';

interface Kept {
  readonly owner: string;
  readonly draft: Draft;
}

const ownerOf = (session: Session | null): string | undefined =>
  session ? `${session.user.id} ${session.event.id}` : undefined;

/** Restores the draft of the signed-in member, and keeps each change. */
export function keepDraft(draft: Value<Draft>, session: Value<Session | null>): void {
  let owner = ownerOf(session.now);
  const kept = read();
  if (kept && kept.owner === owner) draft.set(kept.draft);
  else write(undefined);
  draft.onChange(() =>
    write(owner === undefined || draft.now === EMPTY_DRAFT ? undefined : { owner, draft: draft.now }),
  );
  session.onChange(() => {
    const now = ownerOf(session.now);
    if (now === owner) return;
    owner = now;
    draft.set(EMPTY_DRAFT);
  });
}

function read(): Kept | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? 'null') as Kept | undefined;
  } catch {
    return undefined;
  }
}

function write(kept: Kept | undefined): void {
  try {
    if (kept) sessionStorage.setItem(NAME, JSON.stringify(kept));
    else sessionStorage.removeItem(NAME);
  } catch {
    // A browser without storage keeps no draft. The records themselves have their own store.
  }
}
