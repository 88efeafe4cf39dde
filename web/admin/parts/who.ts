import { word } from '../../desk/texts.js';
import type { Names } from '../api/query.js';

/** Undefined also where the answer is of a release that gave no names. */
export const nameOfId = (id: string | null, names: Names = {}): string | undefined =>
  id !== null && Object.hasOwn(names, id) ? names[id] : undefined;

/** By name where it is known, else by what kind of actor it was: a donor, a provider, the service, somebody erased. */
export const whoOf = (
  { actor, actorId }: { readonly actor: string; readonly actorId: string | null },
  names?: Names,
): string => nameOfId(actorId, names) ?? word('actor', actor);
