import type { OwnAccount } from '../../src/auth/dto/account.dto.js';
import type { Capability } from '../../src/common/access/principal.js';
import { Store, useStore } from '../desk/store.js';
import { api } from './api/client.js';
import { session } from './api/session.js';

/** Permissions of the signed-in user, from the server. Screens hide actions that the server would refuse. */
export const me = new Store<OwnAccount | undefined>(undefined);

export async function loadMe(): Promise<void> {
  if (session.get().phase === 'signed-in') me.set(await api<OwnAccount>('/auth/me'));
}

export const can = (capability: Capability): boolean => me.get()?.capabilities.includes(capability) ?? false;

export const useMe = (): OwnAccount | undefined => useStore(me);
