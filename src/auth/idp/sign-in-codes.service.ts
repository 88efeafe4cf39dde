import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnauthorizedError } from '../../common/errors/domain-errors.js';
import { Database, type Statement } from '../../data/database.js';
import { type KnownAdmin, knownAdmin, type KnownAdminRow } from '../known-admin.js';

const GOOD_FOR_MS = 60_000;

/** $1 digest, $2 admin, $3 expires at. */
const INSERT: Statement = {
  name: 'sign_in_code_insert',
  text: 'INSERT INTO sign_in_code (code_digest, admin_id, expires_at) VALUES ($1, $2, $3)',
};

/** $1 digest. Of several requests at once, one gets the row. */
const USE: Statement = {
  name: 'sign_in_code_use',
  text: `UPDATE sign_in_code c SET used_at = now() FROM admin a
         WHERE c.code_digest = $1 AND c.used_at IS NULL AND c.expires_at > now() AND a.id = c.admin_id
         RETURNING a.id, a.email, a.role, a.session_version`,
};

/** One-time codes, good for a minute. A token is never part of an address, because logs and histories keep those. */
@Injectable()
export class SignInCodes {
  constructor(private readonly database: Database) {}

  async issue(admin: { id: string }): Promise<string> {
    const code = randomBytes(32).toString('base64url');
    await this.database.query(INSERT, [digest(code), admin.id, new Date(Date.now() + GOOD_FOR_MS)]);
    return code;
  }

  /** @throws UnauthorizedError for a code that is unknown, used or too old */
  async use(code: string): Promise<KnownAdmin> {
    const [admin] = await this.database.query<KnownAdminRow>(USE, [digest(code)]);
    if (!admin) throw new UnauthorizedError('WRONG_CODE', 'The code is no longer valid; sign in again');
    return knownAdmin(admin);
  }
}

const digest = (code: string): Buffer => createHash('sha256').update(code).digest();
