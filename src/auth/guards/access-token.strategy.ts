import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../common/bounded-cache.js';
import { type Soon, soon } from '../../common/soon.js';
import { SessionService } from '../sessions/session.service.js';
import { AccessTokens, type TokenClaims } from '../tokens.js';
import type { SignedIn } from './signed-in.js';

const REMEMBERED = 20_000;

/** Reads the bearer token: signature, algorithm, issuer, audience, expiry, and whether its session is valid. */
@Injectable()
export class AccessTokenStrategy {
  /** Tokens whose signature was checked: the same one comes with every request of a sign-in. */
  private readonly checked = boundedCache<TokenClaims>(REMEMBERED);

  constructor(
    private readonly tokens: AccessTokens,
    private readonly sessions: SessionService,
  ) {}

  /**
   * Who the header speaks for; undefined for none, or a token that is not ours, is over, or whose session was ended.
   * @throws what the database throws when it cannot be asked
   */
  signedInBy(authorization: string): Soon<SignedIn | undefined> {
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
}
