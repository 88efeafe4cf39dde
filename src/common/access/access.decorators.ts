import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors } from '../http/api-errors.decorator.js';
import { UnauthorizedError } from '../errors/domain-errors.js';
import type { Principal, Role } from './principal.js';

export const ACCESS = Symbol('access decision');

/** What a route allows: everybody, or the listed roles. A route without one does not start. */
export type AccessDecision = 'public' | readonly Role[];

/** A request after authentication; `principal` is absent for the public. */
export type AuthenticatedRequest = Request & { principal?: Principal };

/** Only these roles may call the route. */
export const Auth = (...roles: [Role, ...Role[]]) =>
  applyDecorators(SetMetadata(ACCESS, roles), ApiBearerAuth(), ApiErrors(401, 403));

/** Anybody may call the route. */
export const Public = () => SetMetadata(ACCESS, 'public' satisfies AccessDecision);

/** The caller of a route with an `@Auth` decision. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!principal) throw new UnauthorizedError();
  return principal;
});

/** The caller of a public route where somebody is signed in, or undefined. */
export const Viewer = createParamDecorator(
  (_: unknown, context: ExecutionContext): Principal | undefined =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().principal,
);
