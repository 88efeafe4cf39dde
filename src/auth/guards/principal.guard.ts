import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { RequestHandler, Response } from 'express';
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
      await this.authenticate(request, http.getResponse<Response>());
    return true;
  }

  private authenticate(request: SignedInRequest, response: Response): Promise<void> {
    return new Promise((resolve) => {
      const done = (failure: unknown, signedIn?: SignedIn | false): void => {
        if (failure) request.principalFailure = failure;
        if (signedIn) {
          request.principal = signedIn.principal;
          request.sessionId = signedIn.sessionId;
        }
        resolve();
      };
      const middleware = this.strategy
        .getPassportInstance()
        .authenticate('jwt', { session: false }, done) as RequestHandler;
      void middleware(request, response, done);
    });
  }
}
