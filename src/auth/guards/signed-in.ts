import type { AuthenticatedRequest } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';

/** Who a request's token speaks for, and the sign-in it belongs to. */
export interface SignedIn {
  readonly principal: Principal;
  readonly sessionId: string;
}

/** A request after `PrincipalGuard`. */
export type SignedInRequest = AuthenticatedRequest & {
  /** Who is signed in but may only set up the second factor that is missing; `principal` is absent then. */
  limited?: Principal;
  /** Why the token could not be checked (the database is down). Only routes that need a token answer with it. */
  principalFailure?: unknown;
};
