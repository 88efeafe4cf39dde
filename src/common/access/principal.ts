import type { AdminRole, StaffRole } from './roles.js';

/** Who a verified token speaks for. */
export type Principal = AdminPrincipal | StaffPrincipal;

/** Somebody who signed in by password or identity provider. */
export interface AdminPrincipal {
  readonly role: AdminRole;
  readonly id: string;
  readonly email: string;
}

/** Somebody who signed in by PIN. */
export interface StaffPrincipal {
  readonly role: StaffRole;
  readonly id: string;
  readonly name: string;
  /** The event the sign-in is bound to. */
  readonly eventId: string;
}
