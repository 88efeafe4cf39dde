import { ADMIN_ROLES, type AdminRole } from '../common/access/principal.js';
import { ForbiddenError } from '../common/errors/domain-errors.js';
import type { Prisma } from '../data/generated/client.js';
import { lock } from '../data/prisma.service.js';
import { LOCK_ADMIN } from './auth.sql.js';

/** An admin or accountant who has just shown who they are. */
export interface KnownAdmin {
  readonly id: string;
  readonly email: string;
  readonly role: AdminRole;
  readonly sessionVersion: number;
  /** Whether an authenticator app is set up, whose codes are asked for. */
  readonly hasSecondFactor: boolean;
}

/** Prisma cannot read a role that a newer version of the service has stored: no account with one is asked for its role. */
export const KNOWN_ROLE = { in: [...ADMIN_ROLES] };

/** What is read of an account before somebody shows that it is theirs. */
export const KNOWN_ADMIN = {
  id: true,
  email: true,
  sessionVersion: true,
  totpConfirmedAt: true,
  disabledAt: true,
} as const;

type KnownAdminRow = Prisma.AdminGetPayload<{ select: typeof KNOWN_ADMIN }>;

/**
 * @param row as it was before they showed who they are: with it no session begins once the account's sessions were ended
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

/** Changes of one account, its tokens and its codes stand in line until the commit. What is read after it stays true. */
export const lockAdmin = (tx: Prisma.TransactionClient, id: string): Promise<void> =>
  lock(tx, LOCK_ADMIN, [id]);

/** Links that were sent to set a password of this account, and not used, are worthless from here on. */
export async function forgetInvitations(tx: Prisma.TransactionClient, adminId: string): Promise<void> {
  await tx.adminInvitation.deleteMany({ where: { adminId, acceptedAt: null } });
}
