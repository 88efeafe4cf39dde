import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { ACCESS, type AccessDecision } from '../../common/access/access.decorators.js';
import { can, SETTING_UP } from '../../common/access/capabilities.js';
import { routeMetadata } from '../../common/access/route-metadata.js';
import { ForbiddenError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import type { SignedInRequest } from './signed-in.js';

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
    const http = context.switchToHttp();
    const request = http.getRequest<SignedInRequest>();
    const { principalFailure, headers, limited } = request;
    if (limited && decision && SETTING_UP.has(decision)) request.principal = limited;
    const { principal } = request;
    const response = http.getResponse<Response>();
    // No cache may keep names, PINs and addresses of donors.
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
