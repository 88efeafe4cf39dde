import { Injectable } from '@nestjs/common';
import { ForbiddenError } from '../../common/errors/domain-errors.js';
import { Audit } from '../../audit/audit.js';
import { Database, isUniqueViolation, type Statement } from '../../data/database.js';
import { type KnownAdmin, knownAdmin, type KnownAdminRow } from '../known-admin.js';
import { SignInTrail } from '../sign-in-trail.js';
import { actorOf } from '../../common/access/actor.js';
import type { ProviderIdentity } from './idp-tokens.js';

const COLUMNS = 'id, email, role, session_version';

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

/** Which account of the admin table an identity of the provider belongs to. No account is made here. */
@Injectable()
export class IdpAdmins {
  constructor(
    private readonly database: Database,
    private readonly audit: Audit,
    private readonly trail: SignInTrail,
  ) {}

  /**
   * The admin bound to the identity. The first time, the admin whose e-mail the provider calls verified is bound:
   * from then on only the subject counts, because the provider may give that e-mail address to another person.
   * @throws ForbiddenError IDP_NO_ADMIN, ROLE_UNKNOWN
   */
  async find(identity: ProviderIdentity): Promise<KnownAdmin> {
    const { issuer, subject } = identity;
    const [bound] = await this.database.query<KnownAdminRow>(BOUND, [issuer, subject]);
    const admin = bound ?? (await this.bind(identity));
    if (!admin) {
      await this.trail.failed('admin', null, { method: 'identity provider' });
      throw new ForbiddenError(
        'IDP_NO_ADMIN',
        'No admin has this identity, or its e-mail address is not verified',
      );
    }
    const known = knownAdmin(admin);
    await this.trail.succeeded('admin', known, { method: 'identity provider' });
    return known;
  }

  private async bind({
    issuer,
    subject,
    verifiedEmail,
  }: ProviderIdentity): Promise<KnownAdminRow | undefined> {
    if (!verifiedEmail) return undefined;
    try {
      return await this.database.transaction(async (tx) => {
        const [admin] = await tx.query<KnownAdminRow>(BIND, [verifiedEmail, issuer, subject]);
        if (admin)
          await this.audit.record(
            actorOf(knownAdmin(admin)),
            'admin.bind_identity',
            admin.id,
            { issuer },
            tx,
          );
        return admin;
      });
    } catch (error) {
      // Two first sign-ins of one identity at once: the other one has bound it.
      if (!isUniqueViolation(error)) throw error;
      return (await this.database.query<KnownAdminRow>(BOUND, [issuer, subject]))[0];
    }
  }
}
