import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthenticatedRequest } from '../../common/access/access.decorators.js';
import type { Principal } from '../../common/access/principal.js';
import { ForbiddenError, UnauthorizedError } from '../../common/errors/domain-errors.js';
import { timeOfId } from '../../common/crypto/ids.js';
import { Database, type SqlExecutor, type Statement } from '../../data/database.js';
import type { Confirmation } from '../dto/account.dto.js';
import { OwnIdentity } from '../own-identity.service.js';
import { SignInMethods } from '../sign-in-methods.service.js';
import { AccessTokens } from '../tokens.js';
import { FRESH_MS } from './freshness.js';

export const CONFIRMATION_HEADER = 'x-confirmation';

/** $1 admin, $2 session, $3 since when. */
const CONFIRMED_BY_IDP: Statement = {
  name: 'confirmed_by_idp',
  text: `SELECT 1 FROM refresh_token WHERE admin_id = $1 AND family_id = $2 AND revoked_at IS NULL
           AND idp_confirmed_at > $3 LIMIT 1`,
};

/**
 * A session alone must not change how an account is entered: a thief of it could lock the owner out. The person
 * confirms such changes by the password, for this sign-in and ten minutes, or by a sign-in at the identity provider
 * that is as fresh (decision 66).
 */
@Injectable()
export class Confirmations {
  constructor(
    private readonly database: Database,
    private readonly identity: OwnIdentity,
    private readonly methods: SignInMethods,
    private readonly tokens: AccessTokens,
  ) {}

  /**
   * @throws ForbiddenError PASSWORD_WRONG, PASSWORD_SIGN_IN_OFF
   * @throws ConflictError PASSWORD_NOT_SET
   * @throws TooManyRequestsError after wrong passwords, here or at the sign-in
   */
  async byPassword(
    caller: Principal,
    sessionId: string,
    password: string,
    request: Request,
  ): Promise<Confirmation> {
    await this.methods.requirePassword();
    await this.identity.prove(caller, password, request);
    const expiresAt = new Date(Date.now() + FRESH_MS).toISOString();
    const claims = { sub: caller.id, sid: sessionId };
    return { confirmation: this.tokens.signFor('confirmation', claims, FRESH_MS / 1_000), expiresAt };
  }

  /** @throws ForbiddenError IDENTITY_NOT_CONFIRMED */
  async require(request: AuthenticatedRequest, db: SqlExecutor = this.database): Promise<void> {
    const { principal: caller, sessionId, headers } = request;
    if (!caller || !sessionId) throw new UnauthorizedError();
    const sent = headers[CONFIRMATION_HEADER];
    const { sub, sid } =
      typeof sent === 'string' ? (this.tokens.readFor('confirmation', sent) ?? {}) : ({} as never);
    if (sub === caller.id && sid === sessionId) return;
    if (await confirmedByIdp(db, caller, sessionId)) return;
    throw new ForbiddenError(
      'IDENTITY_NOT_CONFIRMED',
      'Confirm this by your password (POST /auth/confirm), or sign in again at the identity provider',
    );
  }
}

async function confirmedByIdp(db: SqlExecutor, caller: Principal, sessionId: string): Promise<boolean> {
  const since = Date.now() - FRESH_MS;
  // Only a new sign-in can be fresh, and its id tells its time: no need to ask for older ones.
  if (timeOfId(sessionId).getTime() < since) return false;
  return (await db.query(CONFIRMED_BY_IDP, [caller.id, sessionId, new Date(since)])).length > 0;
}
