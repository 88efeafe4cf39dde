import { ForbiddenError } from '../common/errors/domain-errors.js';
import { type AdminRole, isAdminRole } from '../common/access/principal.js';

/** An admin or accountant who has just shown who they are. */
export interface KnownAdmin {
  readonly id: string;
  readonly email: string;
  readonly role: AdminRole;
  readonly sessionVersion: number;
  /** Whether an authenticator app is set up, whose codes are asked for. */
  readonly hasSecondFactor: boolean;
}

export interface KnownAdminRow {
  id: string;
  email: string;
  /** Any text: a newer version of the service may have stored a role that this one does not know. */
  role: string;
  session_version: number;
  has_second_factor: boolean;
  disabled: boolean;
}

/** The columns of `KnownAdminRow`, of the table `admin`. */
export const KNOWN_ADMIN = `admin.id, admin.email, admin.role, admin.session_version,
  admin.totp_confirmed_at IS NOT NULL AS has_second_factor, admin.disabled_at IS NOT NULL AS disabled`;

/** @throws ForbiddenError ROLE_UNKNOWN, ACCOUNT_DISABLED */
export function knownAdmin(row: KnownAdminRow): KnownAdmin {
  if (!isAdminRole(row.role))
    throw new ForbiddenError(
      'ROLE_UNKNOWN',
      'This version of the service does not know the role of the account',
    );
  if (row.disabled) throw new ForbiddenError('ACCOUNT_DISABLED', 'This account was disabled by an admin');
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    sessionVersion: row.session_version,
    hasSecondFactor: row.has_second_factor,
  };
}
