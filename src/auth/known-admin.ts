import { ForbiddenError } from '../common/errors/domain-errors.js';
import { type AdminRole, isAdminRole } from '../common/access/roles.js';

/** An admin or accountant who has just shown who they are. */
export interface KnownAdmin {
  readonly id: string;
  readonly email: string;
  readonly role: AdminRole;
  readonly sessionVersion: number;
}

export interface KnownAdminRow {
  id: string;
  email: string;
  /** Any text: a newer version of the service may have stored a role that this one does not know. */
  role: string;
  session_version: number;
}

/** @throws ForbiddenError ROLE_UNKNOWN */
export function knownAdmin(row: KnownAdminRow): KnownAdmin {
  if (!isAdminRole(row.role))
    throw new ForbiddenError(
      'ROLE_UNKNOWN',
      'This version of the service does not know the role of the account',
    );
  return { id: row.id, email: row.email, role: row.role, sessionVersion: row.session_version };
}
