import { word } from '../../desk/texts.js';
import type { Names } from '../api/query.js';

/** Name of a person or thing; undefined if unknown, or if an older server sends no names. */
export const nameOfId = (id: string | null, names: Names = {}): string | undefined =>
  id !== null && Object.hasOwn(names, id) ? names[id] : undefined;

/** Name of the actor; if unknown, the kind of actor: a donor, a provider, the server, an erased person. */
export const whoOf = (
  { actor, actorId }: { readonly actor: string; readonly actorId: string | null },
  names?: Names,
): string => nameOfId(actorId, names) ?? word('actor', actor);
