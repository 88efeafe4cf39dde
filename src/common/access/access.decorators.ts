import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors } from '../http/api-errors.decorator.js';

import { UnauthorizedError } from '../errors/domain-errors.js';
import type { Capability, Principal } from './principal.js';

export const ACCESS = Symbol('access decision');

/** Access rule of a route: public, or one required capability. The server does not start if a route has no rule. */
export type AccessDecision = 'public' | Capability;

/** A request after authentication; `principal` is absent for an anonymous caller. */
export type AuthenticatedRequest = Request & { principal?: Principal; sessionId?: string };

/** Requires that the caller has this capability. */
export const Auth = (capability: Capability) =>
  applyDecorators(
    SetMetadata(ACCESS, capability satisfies AccessDecision),
    ApiBearerAuth(),
    ApiErrors(401, 403),
  );

/** Allows every caller, even without a token. */
export const Public = () => SetMetadata(ACCESS, 'public' satisfies AccessDecision);

/** The caller, for a route with an `@Auth` decision. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!principal) throw new UnauthorizedError();
  return principal;
});

/** The session id in the token, for a route with an `@Auth` decision. */
export const SessionId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { sessionId } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!sessionId) throw new UnauthorizedError();
  return sessionId;
});

/** The signed-in caller of a public route, or undefined. */
export const Viewer = createParamDecorator(
  (_: unknown, context: ExecutionContext): Principal | undefined =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().principal,
);
