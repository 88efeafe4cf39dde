import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import type { Response } from 'express';
import { accountOf } from '../../common/access/principal.js';
import { ForbiddenError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import { originAllowed } from '../../common/http/origins.js';
import { AppConfig } from '../../config/app-config.js';
import { Database } from '../../data/database.js';
import type { AdminSession, SignedOut } from '../dto/session.dto.js';
import type { SignedInRequest } from '../guards/access.guard.js';
import { adminSession } from '../sign-in.service.js';
import { AccessTokens } from '../tokens.js';
import { RefreshCookie } from '../cookies.js';
import { PRUNE_EXPIRED } from '../auth.sql.js';
import { RefreshTokens } from './refresh-tokens.service.js';
import { SessionService } from './session.service.js';

/** Renews and ends sessions. */
@Injectable()
export class SessionLife {
  constructor(
    private readonly config: AppConfig,
    private readonly tokens: AccessTokens,
    private readonly refreshTokens: RefreshTokens,
    private readonly sessions: SessionService,
    private readonly cookie: RefreshCookie,
  ) {}

  /** Returns a new access token for the refresh cookie, and sets the next refresh cookie. */
  async renew(request: SignedInRequest, response: Response): Promise<AdminSession> {
    this.refuseForeignPages(request);
    const token = this.cookie.read(request);
    if (!token) throw new UnauthorizedError('SESSION_ENDED', 'There is no session to renew; sign in');
    try {
      const renewed = await this.refreshTokens.renew(token);
      this.cookie.keep(response, renewed);
      const { admin, sessionId, idpSecondFactor } = renewed;
      return adminSession(this.tokens.forAdmin(admin, sessionId, idpSecondFactor), admin);
    } catch (error) {
      if (error instanceof UnauthorizedError) this.cookie.clear(response);
      throw error;
    }
  }

  /**
   * Ends the session of the access token and, except for staff, the session of the refresh cookie. The cookie alone is enough,
   * so that a dashboard with an expired access token can still sign out.
   */
  async end(request: SignedInRequest, response: Response): Promise<SignedOut> {
    this.refuseForeignPages(request);
    const { sessionId, principalFailure } = request;
    const principal = request.principal ?? request.limited;
    if (principalFailure) throw principalFailure as Error;
    if (principal && accountOf(principal.role) === 'staff' && sessionId)
      await this.sessions.end(`staff:${principal.id}`, sessionId);
    else await this.endAdmin(request, response);
    return { signedOut: true };
  }

  private async endAdmin(request: SignedInRequest, response: Response): Promise<void> {
    const { sessionId } = request;
    const principal = request.principal ?? request.limited;
    const token = this.cookie.read(request);
    const renewable = token ? await this.refreshTokens.find(token) : undefined;
    const adminId = principal?.id ?? renewable?.adminId;
    if (!adminId) throw new UnauthorizedError();
    const signIns = new Set([sessionId, renewable?.adminId === adminId ? renewable.sessionId : undefined]);
    for (const signIn of signIns) {
      if (!signIn) continue;
      await this.refreshTokens.end(adminId, signIn);
      await this.sessions.end(`admin:${adminId}`, signIn);
    }
    this.cookie.clear(response);
  }

  /**
   * Refuses requests from pages of other origins. `SameSite` is not enough, because a sister host (another host of the same
   * domain) is the same site.
   */
  private refuseForeignPages(request: SignedInRequest): void {
    if (!originAllowed(this.config, request.headers.origin))
      throw new ForbiddenError('ORIGIN_FORBIDDEN', 'This origin may not use sessions');
  }
}

/** Deletes expired revocations, refresh tokens, one-time codes and invitations. */
@Injectable()
export class ExpiredSessions {
  constructor(private readonly database: Database) {}

  @Cron('17 * * * *')
  async prune(): Promise<void> {
    for (const statement of PRUNE_EXPIRED) await this.database.query(statement);
  }
}
