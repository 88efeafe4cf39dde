import { type AdminRole, can, type Principal } from '../common/access/principal.js';
import { ConflictError, NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/crypto/ids.js';
import { KNOWN_ROLE, lockAdmin } from '../auth/known-admin.js';
import type { Prisma } from '../data/generated/client.js';
import type { User, UserState } from './dto/user.dto.js';

/** Columns of an account that are shown. The password hash is only read to see whether the account has a password. */
export const USER = {
  id: true,
  email: true,
  name: true,
  role: true,
  passwordHash: true,
  totpConfirmedAt: true,
  idpIssuer: true,
  disabledAt: true,
  createdAt: true,
  lastSignInAt: true,
  // An account has at most one invitation that is valid and unused.
  invitations: {
    where: { acceptedAt: null },
    select: { expiresAt: true },
    orderBy: { expiresAt: 'desc' },
    take: 1,
  },
} as const satisfies Prisma.AdminSelect;

export type UserRow = Prisma.AdminGetPayload<{ select: typeof USER }>;

const userNotFound = () => new NotFoundError('USER_NOT_FOUND', 'There is no such user');

/** @throws NotFoundError USER_NOT_FOUND if the id is invalid */
function idOf(text: string): string {
  if (!isId(text)) throw userNotFound();
  return text.toLowerCase();
}

/** @throws NotFoundError USER_NOT_FOUND */
export async function userRow(db: Prisma.TransactionClient, userId: string): Promise<UserRow> {
  const where = { id: idOf(userId), role: KNOWN_ROLE };
  const row = await db.admin.findUnique({ where, select: USER });
  if (!row) throw userNotFound();
  return row;
}

/**
 * Locks the row until the commit and returns it.
 * @throws NotFoundError USER_NOT_FOUND
 */
export async function lockedUser(tx: Prisma.TransactionClient, userId: string): Promise<UserRow> {
  await lockAdmin(tx, idOf(userId));
  return await userRow(tx, userId);
}

/**
 * Refuses a change of the caller's own account through a route that asks for no password. The user must confirm such a change
 * with the password elsewhere, so that a thief of the session cannot gain permanent access.
 * @throws ConflictError OWN_ACCOUNT
 */
export function refuseOwn(caller: Principal, userId: string): void {
  if (idOf(userId) !== caller.id) return;
  throw new ConflictError(
    'OWN_ACCOUNT',
    'To change your own account, use your password. If you have lost it, ask another admin or run npm run admin:seed',
  );
}

/** True if a role may manage users. At least one account must always have such a role. */
export const mayKeepUsers = (role: AdminRole): boolean => can({ role }, 'users:update');

/** True if the account is enabled and may manage users. */
export const keepsUsers = (row: UserRow): boolean => mayKeepUsers(row.role) && row.disabledAt === null;

export const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  state: stateOf(row),
  secondFactor: row.totpConfirmedAt !== null,
  identity: row.idpIssuer === null ? null : { issuer: row.idpIssuer },
  createdAt: row.createdAt.toISOString(),
  lastSignInAt: row.lastSignInAt?.toISOString() ?? null,
  invitationExpiresAt: row.invitations[0]?.expiresAt.toISOString() ?? null,
});

function stateOf(row: UserRow): UserState {
  if (row.disabledAt) return 'disabled';
  return row.passwordHash !== null || row.idpIssuer !== null ? 'active' : 'invited';
}
