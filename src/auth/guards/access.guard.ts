import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Response } from 'express';
import {
  ACCESS,
  type AccessDecision,
  type AuthenticatedRequest,
} from '../../common/access/access.decorators.js';
import { can, isApiKey, type Principal, SETTING_UP } from '../../common/access/principal.js';
import { ForbiddenError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import { ApiKeyCheck, keyIn } from '../api-keys/api-key-check.service.js';
import { AUTH_LIMIT } from '../limits/rate-limit.decorators.js';
import { JwtStrategies, type SignedIn } from './jwt.strategy.js';

/** A request that has passed `PrincipalGuard`. */
export type SignedInRequest = AuthenticatedRequest & {
  /** A signed-in user who must first set up a second factor. `principal` is then absent. */
  limited?: Principal;
  /** The reason why the token could not be checked, such as a database outage. Only routes that need a token then fail. */
  principalFailure?: unknown;
};

/**
 * Returns the metadata of a route, or of the controller if the route has none. Metadata does not change while the process runs,
 * so the function looks up each route only once.
 */
// Only the caller knows the type of the metadata behind this key.
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

/** Identifies the caller by the bearer token or the API key. This guard refuses no request, because public routes accept any token or none. */
@Injectable()
export class PrincipalGuard extends AuthGuard() {
  constructor(
    { names }: JwtStrategies,
    private readonly keys: ApiKeyCheck,
  ) {
    super({ defaultStrategy: [...names], session: false });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const { authorization } = request.headers;
    if (authorization === undefined) return true;
    const key = keyIn(authorization);
    if (key !== undefined) {
      await this.identifyKey(request, key);
      return true;
    }
    return (await super.canActivate(context)) as boolean;
  }

  private async identifyKey(request: SignedInRequest, key: string): Promise<void> {
    try {
      const principal = await this.keys.principalOf(key);
      if (principal) request.principal = principal;
    } catch (error) {
      request.principalFailure = error;
    }
  }

  /**
   * @param failure the reason why the token could not be checked
   * @param signedIn false for an invalid token
   */
  // Passport declares the type parameter. Here the type is always the same.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
  override handleRequest<User>(
    failure: unknown,
    signedIn: SignedIn | false,
    _info: unknown,
    context: ExecutionContext,
  ): User {
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    if (failure) request.principalFailure = failure;
    else if (signedIn) remember(request, signedIn);
    return signedIn as User;
  }
}

function remember(request: SignedInRequest, { principal, sessionId }: SignedIn): void {
  if ('lacksSecondFactor' in principal) request.limited = principal;
  else request.principal = principal;
  request.sessionId = sessionId;
}

/** Refuses every request that the route's `@Auth` or `@Public` does not allow. Socket messages have separate checks. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly decisionOf: (context: ExecutionContext) => AccessDecision | undefined;
  private readonly isOfSignIn: (context: ExecutionContext) => unknown;

  constructor(reflector: Reflector) {
    this.decisionOf = routeMetadata(reflector, ACCESS);
    this.isOfSignIn = routeMetadata(reflector, AUTH_LIMIT);
  }

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const decision = this.decisionOf(context);
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    if (decision === 'public') {
      if (request.principal && isApiKey(request.principal) && this.isOfSignIn(context))
        throw new ForbiddenError();
      return true;
    }
    const { principalFailure, headers, limited } = request;
    if (limited && decision && SETTING_UP.has(decision)) request.principal = limited;
    const { principal } = request;
    const response = context.switchToHttp().getResponse<Response>();
    // No cache may store names, PINs or addresses of donors.
    response.setHeader('Cache-Control', 'no-store');
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
