import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { boundedCache } from '../../common/bounded-cache.js';
import { type Soon, soon } from '../../common/soon.js';
import { SessionService } from '../sessions/session.service.js';
import { AccessTokens, type TokenClaims } from '../tokens.js';
import type { SignedIn, SignedInRequest } from './signed-in.js';

const REMEMBERED = 20_000;

/**
 * Finds out who is calling, by the bearer token: signature, algorithm, issuer, audience, expiry, and whether its session
 * is valid. It refuses no request: a public route works with any token, or none.
 */
@Injectable()
export class PrincipalGuard implements CanActivate {
  /** Tokens whose signature was checked: the same one comes with every request of a sign-in. */
  private readonly checked = boundedCache<TokenClaims>(REMEMBERED);

  constructor(
    private readonly tokens: AccessTokens,
    private readonly sessions: SessionService,
  ) {}

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
      const found = this.signedInBy(authorization);
      return found instanceof Promise ? found.then(known, failed) : known(found);
    } catch (failure) {
      return failed(failure);
    }
  }

  /**
   * Who the header speaks for; undefined for none, or a token that is not ours, is over, or whose session was ended.
   * @throws what the database throws when it cannot be asked
   */
  private signedInBy(authorization: string): Soon<SignedIn | undefined> {
    const token = /^bearer\s+(\S+)/i.exec(authorization)?.[1];
    const claims = token === undefined ? undefined : this.claimsOf(token);
    if (!claims) return undefined;
    return soon(
      this.sessions.principalOf(claims),
      (principal) => principal && { principal, sessionId: claims.sid },
    );
  }

  private claimsOf(token: string): TokenClaims | undefined {
    const known = this.checked.get(token);
    if (known) return known.exp * 1_000 > Date.now() ? known : undefined;
    const claims = this.tokens.read(token);
    if (claims) this.checked.set(token, claims);
    return claims;
  }

  private remember(request: SignedInRequest, { principal, sessionId }: SignedIn): void {
    if ('lacksSecondFactor' in principal) request.limited = principal;
    else request.principal = principal;
    request.sessionId = sessionId;
  }
}
