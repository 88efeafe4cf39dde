/** Who a verified token speaks for. */
export type Principal = AdminPrincipal | StaffPrincipal;

export interface AdminPrincipal {
  readonly role: 'ADMIN';
  readonly id: string;
  readonly email: string;
}

export interface StaffPrincipal {
  readonly role: 'STAFF';
  readonly id: string;
  readonly name: string;
  /** The event the sign-in is bound to. */
  readonly eventId: string;
}

export type Role = Principal['role'];
