import { Injectable } from '@nestjs/common';
import { ForbiddenError } from '../../common/errors/domain-errors.js';
import { Audit } from '../../audit/audit.js';
import { Database, isUniqueViolation, type Statement } from '../../data/database.js';
import type { KnownAdmin } from '../admin-sign-in.service.js';
import type { ProviderIdentity } from './idp-tokens.js';

interface AdminRow {
  id: string;
  email: string;
  session_version: number;
}

const COLUMNS = 'id, email, session_version';

/** $1 issuer, $2 subject. */
const BOUND: Statement = {
  name: 'idp_bound_admin',
  text: `SELECT ${COLUMNS} FROM admin WHERE idp_issuer = $1 AND idp_subject = $2`,
};

/** $1 e-mail, $2 issuer, $3 subject. Only an admin who is bound to nobody yet. */
const BIND: Statement = {
  name: 'idp_bind_admin',
  text: `UPDATE admin SET idp_issuer = $2, idp_subject = $3, updated_at = now()
         WHERE email = $1 AND idp_subject IS NULL RETURNING ${COLUMNS}`,
};

/** Which admin an identity of the provider is. Nobody becomes an admin here. */
@Injectable()
export class IdpAdmins {
  constructor(
    private readonly database: Database,
    private readonly audit: Audit,
  ) {}

  /**
   * The admin bound to the identity. The first time, the admin whose e-mail the provider vouches for is bound:
   * from then on the subject counts, and whoever gets that e-mail address later is somebody else.
   * @throws ForbiddenError IDP_NO_ADMIN
   */
  async find(identity: ProviderIdentity): Promise<KnownAdmin> {
    const { issuer, subject } = identity;
    const [bound] = await this.database.query<AdminRow>(BOUND, [issuer, subject]);
    const admin = bound ?? (await this.bind(identity));
    if (!admin)
      throw new ForbiddenError(
        'IDP_NO_ADMIN',
        'No admin has this identity, or its e-mail address is not verified',
      );
    return { id: admin.id, email: admin.email, sessionVersion: admin.session_version };
  }

  private async bind({ issuer, subject, verifiedEmail }: ProviderIdentity): Promise<AdminRow | undefined> {
    if (!verifiedEmail) return undefined;
    try {
      return await this.database.transaction(async (tx) => {
        const [admin] = await tx.query<AdminRow>(BIND, [verifiedEmail, issuer, subject]);
        if (admin)
          await this.audit.record(
            { kind: 'admin', id: admin.id },
            'admin.bind_identity',
            admin.id,
            { issuer },
            tx,
          );
        return admin;
      });
    } catch (error) {
      // Two first sign-ins of one identity at once: the other one was first.
      if (!isUniqueViolation(error)) throw error;
      return (await this.database.query<AdminRow>(BOUND, [issuer, subject]))[0];
    }
  }
}
