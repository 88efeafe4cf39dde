import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Soon } from '../../common/soon.js';
import { AccessTokenStrategy } from './access-token.strategy.js';
import type { SignedIn, SignedInRequest } from './signed-in.js';

/** Finds out who is calling. It refuses no request: a public route works with any token, or none. */
@Injectable()
export class PrincipalGuard implements CanActivate {
  constructor(private readonly strategy: AccessTokenStrategy) {}

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
      const found = this.strategy.signedInBy(authorization);
      return found instanceof Promise ? found.then(known, failed) : known(found);
    } catch (failure) {
      return failed(failure);
    }
  }

  private remember(request: SignedInRequest, { principal, sessionId }: SignedIn): void {
    if ('lacksSecondFactor' in principal) request.limited = principal;
    else request.principal = principal;
    request.sessionId = sessionId;
  }
}
