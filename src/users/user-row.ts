import { type AdminRole, can, type Principal } from '../common/access/principal.js';
import { ConflictError, NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/crypto/ids.js';
import type { Transaction } from '../data/database.js';
import type { User, UserState } from './dto/user.dto.js';
import { LOCK_USER, type UserRow } from './users.sql.js';

export const userNotFound = () => new NotFoundError('USER_NOT_FOUND', 'There is no such user');

/** @throws NotFoundError USER_NOT_FOUND for what is no id */
export function idOf(text: string): string {
  if (!isId(text)) throw userNotFound();
  return text.toLowerCase();
}

/**
 * The row, under lock until the commit.
 * @throws NotFoundError USER_NOT_FOUND
 */
export async function lockedUser(tx: Transaction, userId: string): Promise<UserRow> {
  const [row] = await tx.query<UserRow>(LOCK_USER, [idOf(userId)]);
  if (!row) throw userNotFound();
  return row;
}

/**
 * Of what opens an account without its password: the own account asks for the password, so that a stolen session does
 * not outlast its end.
 * @throws ConflictError OWN_ACCOUNT
 */
export function refuseOwn(caller: Principal, userId: string): void {
  if (idOf(userId) !== caller.id) return;
  const how = 'with its password; without it, another admin or npm run admin:seed helps';
  throw new ConflictError('OWN_ACCOUNT', `The own account is changed ${how}`);
}

/** Whether a role may change who signs in: one account of such a role must always be left. */
export const mayKeepUsers = (role: AdminRole): boolean => can({ role }, 'users:update');

/** Whether the account, once signed in, may change who signs in. */
export const keepsUsers = (row: UserRow): boolean => mayKeepUsers(row.role) && row.disabled_at === null;

export const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  state: stateOf(row),
  secondFactor: row.has_second_factor,
  identity: row.idp_issuer === null ? null : { issuer: row.idp_issuer },
  createdAt: row.created_at.toISOString(),
  lastSignInAt: row.last_sign_in_at?.toISOString() ?? null,
  invitationExpiresAt: row.invitation_expires_at?.toISOString() ?? null,
});

function stateOf(row: UserRow): UserState {
  if (row.disabled_at) return 'disabled';
  return row.has_password || row.idp_issuer !== null ? 'active' : 'invited';
}
