import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { ACCESS, type AccessDecision } from '../../common/access/access.decorators.js';
import { can } from '../../common/access/capabilities.js';
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
    const http = context.switchToHttp();
    const { principal, principalFailure, headers } = http.getRequest<SignedInRequest>();
    const response = http.getResponse<Response>();
    // No cache may keep names, PINs and addresses of donors.
    response.setHeader('Cache-Control', 'no-store');
    if (principalFailure) throw principalFailure as Error;
    if (!principal) {
      const sent = headers.authorization !== undefined;
      response.setHeader('WWW-Authenticate', sent ? 'Bearer error="invalid_token"' : 'Bearer');
      throw new UnauthorizedError();
    }
    if (!decision || !can(principal, decision)) throw new ForbiddenError();
    return true;
  }
}
