import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AccessTokenStrategy } from './access-token.strategy.js';
import type { SignedIn, SignedInRequest } from './signed-in.js';

/** Finds out who is calling. It refuses no request: a public route works with any token, or none. */
@Injectable()
export class PrincipalGuard implements CanActivate {
  constructor(private readonly strategy: AccessTokenStrategy) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<SignedInRequest>();
    if (request.headers.authorization !== undefined)
      await this.authenticate(request, request.headers.authorization);
    return true;
  }

  private async authenticate(request: SignedInRequest, authorization: string): Promise<void> {
    try {
      const signedIn = await this.strategy.signedInBy(authorization);
      if (signedIn) this.remember(request, signedIn);
    } catch (failure) {
      request.principalFailure = failure;
    }
  }

  private remember(request: SignedInRequest, { principal, sessionId }: SignedIn): void {
    if ('lacksSecondFactor' in principal) request.limited = principal;
    else request.principal = principal;
    request.sessionId = sessionId;
  }
}
