import { newId } from '../../common/crypto/ids.js';
import type { KeyRing } from '../../common/crypto/key-ring.js';

/** Changes of how an account is entered, of which its owner gets an e-mail. */
export type AccountChange =
  | 'secondFactorOn'
  | 'secondFactorOff'
  | 'recoveryCodeUsed'
  | 'password'
  | 'sessionsEnded'
  | 'identityBound'
  | 'identityUnbound'
  | 'role'
  | 'disabled'
  | 'enabled'
  | 'removed';

/**
 * What the e-mail about a change by a command is about. It says all that is not in the account: a command has no
 * secret to seal the words with, and does not need one.
 */
export const changeByCommand = (userId: string, id: string, change: AccountChange): string =>
  `${userId}:${id}:${change}`;

/** The other way round; undefined for a change whose words are sealed. */
export function commandChangeOf(subject: string): { userId: string; change: AccountChange } | undefined {
  const [userId, , change] = subject.split(':');
  return userId && change ? { userId, change: change as AccountChange } : undefined;
}

/** A change, when it happened, and from where. */
export interface AccountChangeNotice {
  readonly userId: string;
  readonly to: string;
  readonly name: string | null;
  readonly change: AccountChange;
  readonly at: Date;
  readonly address: string | null;
  /** The browser or program that asked for it, as a short label. */
  readonly client: string | null;
}

/** What the row of the e-mail holds, sealed. */
export type SealedAccountChange = Omit<AccountChangeNotice, 'userId' | 'at'> & { readonly at: string };

/** The row of the e-mail, with encrypted words. */
export function sealedNotice(keys: KeyRing, { userId, at, ...said }: AccountChangeNotice) {
  const words: SealedAccountChange = { ...said, at: at.toISOString() };
  const id = newId();
  return { id, subject: `${userId}:${id}`, sealed: keys.seal('email-seal', JSON.stringify(words)) };
}
