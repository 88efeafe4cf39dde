import { SetMetadata } from '@nestjs/common';

export const AUTH_LIMIT = Symbol('limit of the authentication endpoints');

export const UNCOUNTED = Symbol('no limit');

/**
 * Exempts a route from the limits, for the static pages of the dashboard and the till. Staff must be able to open these pages
 * even if guests behind the same address have used up the limit.
 */
export const Uncounted = () => SetMetadata(UNCOUNTED, true);

/**
 * Key of the stricter limit. `renewal`: a trusted device that renews its session does not guess, so the request is not counted.
 */
export type AuthLimit = 'address' | 'session' | 'renewal';

/**
 * Applies the limit of the authentication endpoints to a controller or route. `address` counts by address even if the request
 * has a valid token, so that a token allows no extra guesses.
 */
export const AuthLimited = (counted: AuthLimit = 'address') => SetMetadata(AUTH_LIMIT, counted);
