import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, type AccessDecision } from '../../common/access/access.decorators.js';
import { ForbiddenError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import type { SignedInRequest } from './signed-in.js';

/** Deny by default: only what a route's `@Auth` or `@Public` allows. Sockets have their own decisions. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const decision = this.reflector.getAllAndOverride<AccessDecision | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (decision === 'public') return true;
    const { principal, principalFailure } = context.switchToHttp().getRequest<SignedInRequest>();
    if (principalFailure) throw principalFailure as Error;
    if (!principal) throw new UnauthorizedError();
    if (!decision?.includes(principal.role)) throw new ForbiddenError();
    return true;
  }
}
