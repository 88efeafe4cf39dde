import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AuthenticatedRequest } from '../../common/access/access.decorators.js';
import { Confirmations } from './confirmations.service.js';

/** Runs after the guards that every route has: the caller is known and may call the route. */
@Injectable()
export class ConfirmedGuard implements CanActivate {
  constructor(private readonly confirmations: Confirmations) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.confirmations.require(context.switchToHttp().getRequest<AuthenticatedRequest>());
    return true;
  }
}
