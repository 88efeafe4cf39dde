import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { UnauthorizedError } from '../../common/errors/domain-errors.js';

import type { SignedInRequest } from '../guards/access.guard.js';
import { Confirmations } from './confirmations.service.js';

/** Runs after the guards that every route has: the caller is known and may call the route. */
@Injectable()
export class ConfirmedGuard implements CanActivate {
  constructor(private readonly confirmations: Confirmations) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const { principal, sessionId } = request;
    if (!principal || !sessionId) throw new UnauthorizedError();
    await this.confirmations.require(principal, sessionId, request);
    return true;
  }
}
