import type { Principal } from './principal.js';

/** Who made a change, for history and audit. */
export interface Actor {
  readonly kind: 'admin' | 'staff' | 'donor' | 'provider' | 'system';
  readonly id: string | null;
}

export const SYSTEM: Actor = { kind: 'system', id: null };

export const actorOf = (caller: Pick<Principal, 'role' | 'id'>): Actor => ({
  kind: caller.role === 'ADMIN' ? 'admin' : 'staff',
  id: caller.id,
});
