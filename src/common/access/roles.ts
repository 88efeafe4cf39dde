/** The table a person signs in from. */
export type Account = 'admin' | 'staff';

interface RoleFacts {
  readonly account: Account;
  /** How history and audit name a deed of this role. */
  readonly actor: 'admin' | 'accountant' | 'staff';
  /** Which events the role works with: every one, or the one the sign-in is bound to. */
  readonly reach: 'all-events' | 'own-event';
}

/** Every role, and what holds for it besides its capabilities. A role that is not a row here may do nothing. */
const ROLES = {
  ADMIN: { account: 'admin', actor: 'admin', reach: 'all-events' },
  ACCOUNTANT: { account: 'admin', actor: 'accountant', reach: 'all-events' },
  STAFF: { account: 'staff', actor: 'staff', reach: 'own-event' },
} as const satisfies Record<string, RoleFacts>;

type Roles = typeof ROLES;
export type Role = keyof Roles;
/** Roles of those who sign in by password or identity provider. */
export type AdminRole = { [R in Role]: Roles[R]['account'] extends 'admin' ? R : never }[Role];
/** Roles of those who sign in by PIN. */
export type StaffRole = Exclude<Role, AdminRole>;

/** The facts of a role, or undefined for a role that this version does not know. */
export const roleFacts = (role: unknown): RoleFacts | undefined =>
  typeof role === 'string' && Object.hasOwn(ROLES, role) ? ROLES[role as Role] : undefined;

export const accountOf = (role: Role): Account => ROLES[role].account;

export const isAdminRole = (role: unknown): role is AdminRole => roleFacts(role)?.account === 'admin';
export const isStaffRole = (role: unknown): role is StaffRole => roleFacts(role)?.account === 'staff';

export const ADMIN_ROLES: readonly AdminRole[] = Object.keys(ROLES).filter(isAdminRole);
