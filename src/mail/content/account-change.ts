import { newId } from '../../common/crypto/ids.js';
import type { KeyRing } from '../../common/crypto/key-ring.js';

/** Changes of an account's sign-in. The owner gets an e-mail about each. */
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
 * Returns the subject column of an e-mail about a change by a command. The subject contains all data that the account does not
 * contain, because some commands have no key to encrypt a text.
 */
export const changeByCommand = (userId: string, id: string, change: AccountChange): string =>
  `${userId}:${id}:${change}`;

/** Reads the subject of a change by a command. Undefined for a change with an encrypted text. */
export function commandChangeOf(subject: string): { userId: string; change: AccountChange } | undefined {
  const [userId, , change] = subject.split(':');
  return userId && change ? { userId, change: change as AccountChange } : undefined;
}

/** A change with its time and origin. */
export interface AccountChangeNotice {
  readonly userId: string;
  readonly to: string;
  readonly name: string | null;
  readonly change: AccountChange;
  readonly at: Date;
  readonly address: string | null;
  /** Short label of the browser or program that made the request. */
  readonly client: string | null;
}

/** Content of the e-mail. The e-mail's row contains it in encrypted form. */
export type SealedAccountChange = Omit<AccountChangeNotice, 'userId' | 'at'> & { readonly at: string };

/** Returns the row of the e-mail with the encrypted text. */
export function sealedNotice(keys: KeyRing, { userId, at, ...said }: AccountChangeNotice) {
  const words: SealedAccountChange = { ...said, at: at.toISOString() };
  const id = newId();
  return { id, subject: `${userId}:${id}`, sealed: keys.seal('email-seal', JSON.stringify(words)) };
}
