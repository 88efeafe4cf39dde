import { SetMetadata } from '@nestjs/common';

export const AUTH_LIMIT = Symbol('limit of the authentication endpoints');

export const UNCOUNTED = Symbol('no limit');

/**
 * Exempts a route from the limits. For the page shells of the dashboard and the till, which are static: staff must be able to open
 * them even if guests behind the same address have used up the limit.
 */
export const Uncounted = () => SetMetadata(UNCOUNTED, true);

/** Key of the tighter limit. A renewal on a trusted device is no guess, so it is not counted. */
export type AuthLimit = 'address' | 'session' | 'renewal';

/**
 * Applies the limit of the authentication endpoints to a controller or route. `address` counts the address even if the
 * request has a valid token, so that a token gives no extra guesses.
 */
export const AuthLimited = (counted: AuthLimit = 'address') => SetMetadata(AUTH_LIMIT, counted);
