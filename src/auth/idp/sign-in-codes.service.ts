import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { UnauthorizedError } from '../../common/errors/domain-errors.js';
import { Database, type Statement } from '../../data/database.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin, type KnownAdminRow } from '../known-admin.js';
import { SecondFactorCheck } from '../second-factor/second-factor-check.service.js';
import type { IdpAssurance } from '../sessions/refresh-tokens.service.js';
import { SignInTrail } from '../sign-in-trail.js';
import type { IdpSignIn } from './idp-admins.service.js';

const GOOD_FOR_MS = 60_000;
/** A person takes out the phone, opens the app and types. */
const GOOD_FOR_WITH_SECOND_FACTOR_MS = 5 * 60_000;

/** $1 digest, $2 admin, $3 expires at, $4 whether the provider asked for a second factor, $5 when it asked who it is. */
const INSERT: Statement = {
  name: 'sign_in_code_insert',
  text: `INSERT INTO sign_in_code (code_digest, admin_id, expires_at, idp_second_factor, idp_confirmed_at)
    VALUES ($1, $2, $3, $4, $5)`,
};

type CodeRow = KnownAdminRow & { idp_second_factor: boolean; idp_confirmed_at: Date | null };

const COLUMNS = `${KNOWN_ADMIN}, c.idp_second_factor, c.idp_confirmed_at`;

const GOOD = 'c.code_digest = $1 AND c.used_at IS NULL AND c.expires_at > now() AND admin.id = c.admin_id';

/** $1 digest. */
const FIND: Statement = {
  name: 'sign_in_code_find',
  text: `SELECT ${COLUMNS} FROM sign_in_code c, admin WHERE ${GOOD}`,
};

/** $1 digest. Of several requests at once, one gets the row. */
const USE: Statement = {
  name: 'sign_in_code_use',
  text: `UPDATE sign_in_code c SET used_at = now() FROM admin WHERE ${GOOD}
         RETURNING ${COLUMNS}`,
};

/** Who a code stood for. */
export interface UsedCode {
  readonly admin: KnownAdmin;
  readonly idp: IdpAssurance;
}

/** One-time codes, good for a minute, in the browser that signed in. A token is never part of an address, because logs and histories keep those. */
@Injectable()
export class SignInCodes {
  constructor(
    private readonly database: Database,
    private readonly secondFactors: SecondFactorCheck,
    private readonly trail: SignInTrail,
  ) {}

  /** @param browser the secret of the browser that the code is good in */
  async issue({ admin, asksSecondFactor, idp }: IdpSignIn, browser: string): Promise<string> {
    const code = randomBytes(32).toString('base64url');
    const expires = Date.now() + (asksSecondFactor ? GOOD_FOR_WITH_SECOND_FACTOR_MS : GOOD_FOR_MS);
    await this.database.query(INSERT, [
      digest(code, browser),
      admin.id,
      new Date(expires),
      idp.secondFactor,
      idp.confirmedAt,
    ]);
    return code;
  }

  /**
   * The code is used up only once the second factor, where one is asked for, was right.
   * @throws UnauthorizedError for a code that is unknown, used, too old or of another browser; SECOND_FACTOR_REQUIRED, SECOND_FACTOR_WRONG
   */
  async use(code: string, totp: string | undefined, browser: string, request: Request): Promise<UsedCode> {
    const values = [digest(code, browser)];
    const found = this.known((await this.database.query<CodeRow>(FIND, values))[0]);
    const asks = found.admin.hasSecondFactor && !found.idp.secondFactor;
    if (asks) await this.secondFactors.require(found.admin, totp, request);
    const used = this.known((await this.database.query<CodeRow>(USE, values))[0]);
    if (asks)
      await this.trail.succeeded('admin', used.admin, { method: 'identity provider', secondFactor: true });
    return used;
  }

  private known(row: CodeRow | undefined): UsedCode {
    if (!row) throw new UnauthorizedError('WRONG_CODE', 'The code is no longer valid; sign in again');
    const { idp_second_factor: secondFactor, idp_confirmed_at: confirmedAt } = row;
    return { admin: knownAdmin(row), idp: { secondFactor, confirmedAt } };
  }
}

const digest = (code: string, browser: string): Buffer =>
  createHash('sha256').update(`${code}.${browser}`).digest();
