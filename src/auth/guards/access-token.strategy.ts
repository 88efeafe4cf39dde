import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { SessionService } from '../sessions/session.service.js';
import { AccessTokens, ALGORITHM, asClaims, AUDIENCE, ISSUER } from '../tokens.js';
import type { SignedIn } from './signed-in.js';

type PassportInstance = InstanceType<typeof passport.Passport>;

/** Reads the bearer token: signature, algorithm, issuer, audience, expiry, and whether its session is valid. */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy, 'jwt') {
  /** Not the library's global instance: two applications in one process (tests) must not share strategies. */
  private own: PassportInstance | undefined;

  constructor(
    tokens: AccessTokens,
    private readonly sessions: SessionService,
  ) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKeyProvider: (_request, _token, done) => {
        // The type knows strings and buffers only; jsonwebtoken takes key objects, which are much faster.
        done(null, tokens.key as unknown as Buffer);
      },
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
    });
  }

  /** Called by the library. */
  async validate(payload: Record<string, unknown>): Promise<SignedIn | false> {
    const claims = asClaims(payload);
    const principal = claims && (await this.sessions.principalOf(claims));
    return principal ? { principal, sessionId: claims.sid } : false;
  }

  /** The library's constructor calls this too, before any field of this class is set. */
  getPassportInstance(): PassportInstance {
    this.own ??= new passport.Passport();
    return this.own;
  }
}
