import { ForbiddenError } from '../errors/domain-errors.js';
import type { Principal } from './principal.js';
import { roleFacts } from './capabilities.js';

/** Who made a change, for history and audit. */
export interface Actor {
  readonly kind: (typeof ACTOR_KINDS)[number];
  readonly id: string | null;
}

export const ACTOR_KINDS = ['admin', 'staff', 'donor', 'provider', 'system', 'accountant'] as const;

export const SYSTEM: Actor = { kind: 'system', id: null };

/** @throws ForbiddenError for a role that is not in the table */
export function actorOf(caller: Pick<Principal, 'role' | 'id'>): Actor {
  const facts = roleFacts(caller.role);
  if (!facts) throw new ForbiddenError();
  return { kind: facts.actor, id: caller.id };
}
