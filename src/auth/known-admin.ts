import { ADMIN_ROLES, type AdminRole } from '../common/access/principal.js';
import { ForbiddenError } from '../common/errors/domain-errors.js';
import type { Prisma } from '../data/generated/client.js';
import { lock } from '../data/prisma.service.js';
import { LOCK_ADMIN } from './auth.sql.js';

/** An admin or accountant who has just authenticated. */
export interface KnownAdmin {
  readonly id: string;
  readonly email: string;
  readonly role: AdminRole;
  readonly sessionVersion: number;
  /** True if the account has a confirmed authenticator app. */
  readonly hasSecondFactor: boolean;
}

/**
 * Known roles for queries. Prisma cannot read a role that a newer version of the service has stored, so queries exclude such
 * accounts.
 */
export const KNOWN_ROLE = { in: [...ADMIN_ROLES] };

/** Columns of an account that are read before the user has authenticated. */
export const KNOWN_ADMIN = {
  id: true,
  email: true,
  sessionVersion: true,
  totpConfirmedAt: true,
  disabledAt: true,
} as const;

type KnownAdminRow = Prisma.AdminGetPayload<{ select: typeof KNOWN_ADMIN }>;

/**
 * Returns the authenticated admin with the current role.
 * @param row read before the authentication. If the account's sessions were ended since then, no new session starts.
 * @throws ForbiddenError ROLE_UNKNOWN, ACCOUNT_DISABLED
 */
export async function knownAdmin(db: Prisma.TransactionClient, row: KnownAdminRow): Promise<KnownAdmin> {
  const { id, email, sessionVersion, totpConfirmedAt, disabledAt } = row;
  const known = await db.admin.findUnique({ where: { id, role: KNOWN_ROLE }, select: { role: true } });
  if (!known)
    throw new ForbiddenError(
      'ROLE_UNKNOWN',
      'This version of the service does not know the role of the account',
    );
  if (disabledAt) throw new ForbiddenError('ACCOUNT_DISABLED', 'This account was disabled by an admin');
  return { id, email, role: known.role, sessionVersion, hasSecondFactor: totpConfirmedAt !== null };
}

/** Locks an account until the commit. So changes of the account, its tokens and its codes run one after the other. */
export const lockAdmin = (tx: Prisma.TransactionClient, id: string): Promise<void> =>
  lock(tx, LOCK_ADMIN, [id]);

/** Invalidates the unused password links of this account. */
export async function forgetInvitations(tx: Prisma.TransactionClient, adminId: string): Promise<void> {
  await tx.adminInvitation.deleteMany({ where: { adminId, acceptedAt: null } });
}
