import { SetMetadata } from '@nestjs/common';

export const AUTH_LIMIT = Symbol('limit of the authentication endpoints');

/** Whom the tighter limit counts. */
export type AuthLimit = 'address' | 'session';

/**
 * Puts a controller or route under the limit of the authentication endpoints. `address` counts the address
 * even when a valid token comes along, so that nobody buys more guesses with a token.
 */
export const AuthLimited = (counted: AuthLimit = 'address') => SetMetadata(AUTH_LIMIT, counted);
