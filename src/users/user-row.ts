import { type AdminRole, can, type Principal } from '../common/access/principal.js';
import { ConflictError, NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/crypto/ids.js';
import { KNOWN_ROLE, lockAdmin } from '../auth/known-admin.js';
import type { Prisma } from '../data/generated/client.js';
import type { User, UserState } from './dto/user.dto.js';

/** What is shown of an account, and whether it has a password. */
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
  // One at most is good, and waits.
  invitations: {
    where: { acceptedAt: null },
    select: { expiresAt: true },
    orderBy: { expiresAt: 'desc' },
    take: 1,
  },
} as const satisfies Prisma.AdminSelect;

export type UserRow = Prisma.AdminGetPayload<{ select: typeof USER }>;

const userNotFound = () => new NotFoundError('USER_NOT_FOUND', 'There is no such user');

/** @throws NotFoundError USER_NOT_FOUND for what is no id */
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
 * The row, under lock until the commit.
 * @throws NotFoundError USER_NOT_FOUND
 */
export async function lockedUser(tx: Prisma.TransactionClient, userId: string): Promise<UserRow> {
  await lockAdmin(tx, idOf(userId));
  return await userRow(tx, userId);
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
