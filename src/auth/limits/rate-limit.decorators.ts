import { SetMetadata } from '@nestjs/common';

export const AUTH_LIMIT = Symbol('limit of the authentication endpoints');

export const UNCOUNTED = Symbol('of no limit');

/**
 * For the shells of the desk and the till, which are the same for everybody and cost what a file costs: whoever works at
 * the event opens them, however much the guests behind the same address ask for.
 */
export const Uncounted = () => SetMetadata(UNCOUNTED, true);

/** Whom the tighter limit counts; a renewal on a device where somebody signed in before is no guess, and not counted. */
export type AuthLimit = 'address' | 'session' | 'renewal';

/**
 * Puts a controller or route under the limit of the authentication endpoints. `address` counts the address
 * even when a valid token comes along, so that nobody buys more guesses with a token.
 */
export const AuthLimited = (counted: AuthLimit = 'address') => SetMetadata(AUTH_LIMIT, counted);
