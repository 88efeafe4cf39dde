import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Reflector } from '@nestjs/core';
import {
  ACCESS,
  type AccessDecision,
  type AuthenticatedRequest,
} from '../../common/access/access.decorators.js';
import { can, type Principal, SETTING_UP } from '../../common/access/principal.js';
import { boundedCache } from '../../common/caching/bounded-cache.js';
import { type Soon, soon } from '../../common/concurrency/concurrency.js';
import { ForbiddenError, UnauthorizedError } from '../../common/errors/domain-errors.js';

import { SessionService } from '../sessions/session.service.js';
import { AccessTokens, type TokenClaims } from '../tokens.js';

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

/**
 * What a decorator says of a route, or of its controller where the route says nothing. Decorators do not change while
 * the process runs: each route is looked at once, and not at every request.
 */
// Only the caller knows what the decorator of this key wrote.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function routeMetadata<Value>(
  reflector: Reflector,
  key: symbol,
): (context: ExecutionContext) => Value | undefined {
  const known = new WeakMap<object, WeakMap<object, { readonly value: Value | undefined }>>();
  return (context) => {
    const controller = context.getClass();
    const handler = context.getHandler();
    let ofController = known.get(controller);
    if (!ofController) known.set(controller, (ofController = new WeakMap()));
    let found = ofController.get(handler);
    if (!found) {
      found = { value: reflector.getAllAndOverride<Value | undefined>(key, [handler, controller]) };
      ofController.set(handler, found);
    }
    return found.value;
  };
}

const REMEMBERED = 20_000;

/**
 * Finds out who is calling, by the bearer token: signature, algorithm, issuer, audience, expiry, and whether its session
 * is valid. It refuses no request: a public route works with any token, or none.
 */
@Injectable()
export class PrincipalGuard implements CanActivate {
  /** Tokens whose signature was checked: the same one comes with every request of a sign-in. */
  private readonly checked = boundedCache<TokenClaims>(REMEMBERED);

  constructor(
    private readonly tokens: AccessTokens,
    private readonly sessions: SessionService,
  ) {}

  canActivate(context: ExecutionContext): Soon<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const { authorization } = request.headers;
    if (authorization === undefined) return true;
    const failed = (failure: unknown): boolean => {
      request.principalFailure = failure;
      return true;
    };
    const known = (signedIn: SignedIn | undefined): boolean => {
      if (signedIn) this.remember(request, signedIn);
      return true;
    };
    try {
      const found = this.signedInBy(authorization);
      return found instanceof Promise ? found.then(known, failed) : known(found);
    } catch (failure) {
      return failed(failure);
    }
  }

  /**
   * Who the header speaks for; undefined for none, or a token that is not ours, is over, or whose session was ended.
   * @throws what the database throws when it cannot be asked
   */
  private signedInBy(authorization: string): Soon<SignedIn | undefined> {
    const token = /^bearer\s+(\S+)/i.exec(authorization)?.[1];
    const claims = token === undefined ? undefined : this.claimsOf(token);
    if (!claims) return undefined;
    return soon(
      this.sessions.principalOf(claims),
      (principal) => principal && { principal, sessionId: claims.sid },
    );
  }

  private claimsOf(token: string): TokenClaims | undefined {
    const known = this.checked.get(token);
    if (known) return known.exp * 1_000 > Date.now() ? known : undefined;
    const claims = this.tokens.read(token);
    if (claims) this.checked.set(token, claims);
    return claims;
  }

  private remember(request: SignedInRequest, { principal, sessionId }: SignedIn): void {
    if ('lacksSecondFactor' in principal) request.limited = principal;
    else request.principal = principal;
    request.sessionId = sessionId;
  }
}

/** Deny by default: only what a route's `@Auth` or `@Public` allows. Sockets have their own decisions. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly decisionOf: (context: ExecutionContext) => AccessDecision | undefined;

  constructor(reflector: Reflector) {
    this.decisionOf = routeMetadata(reflector, ACCESS);
  }

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const decision = this.decisionOf(context);
    if (decision === 'public') return true;
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const { principalFailure, headers, limited } = request;
    if (limited && decision && SETTING_UP.has(decision)) request.principal = limited;
    const { principal } = request;
    const response = context.switchToHttp().getResponse<Response>();
    // No cache may keep names, PINs and addresses of donors.
    response.isConfidential = true;
    if (principalFailure) throw principalFailure as Error;
    if (!principal && limited)
      throw new ForbiddenError(
        'SECOND_FACTOR_SETUP_REQUIRED',
        'The organization requires a second factor: set one up first',
      );
    if (!principal) {
      const sent = headers.authorization !== undefined;
      response.setHeader('WWW-Authenticate', sent ? 'Bearer error="invalid_token"' : 'Bearer');
      throw new UnauthorizedError();
    }
    if (!decision || !can(principal, decision)) throw new ForbiddenError();
    return true;
  }
}
