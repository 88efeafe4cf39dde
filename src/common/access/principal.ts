import type { AdminRole, StaffRole } from './capabilities.js';

/** Who a verified token speaks for. */
export type Principal = AdminPrincipal | StaffPrincipal;

/** Somebody who signed in by password or identity provider. */
export interface AdminPrincipal {
  readonly role: AdminRole;
  readonly id: string;
  readonly email: string;
  /** The organization requires a second factor and this sign-in has none: it is good for nothing but setting one up. */
  readonly lacksSecondFactor?: true;
}

/** Somebody who signed in by PIN. */
export interface StaffPrincipal {
  readonly role: StaffRole;
  readonly id: string;
  readonly name: string;
  /** The event the sign-in is bound to. */
  readonly eventId: string;
  /** The enrolled terminal it was made on, if it was one. */
  readonly terminalId?: string | undefined;
}
