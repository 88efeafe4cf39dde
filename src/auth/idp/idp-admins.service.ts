import { Injectable } from '@nestjs/common';
import { comparableEmails, tidyEmail } from '../../common/text/email-address.js';
import { ForbiddenError } from '../../common/errors/domain-errors.js';
import { Audit } from '../../audit/audit.js';
import { Database, isUniqueViolation, type Statement } from '../../data/database.js';
import { AccountNotices } from '../account-notices.service.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin, type KnownAdminRow } from '../known-admin.js';
import type { IdpAssurance } from '../sessions/refresh-tokens.service.js';
import { SignInTrail } from '../sign-in-trail.js';
import { actorOf } from '../../common/access/principal.js';
import type { ProviderIdentity } from './idp-tokens.js';

/** $1 issuer, $2 subject. */
const BOUND: Statement = {
  name: 'idp_bound_admin',
  text: `SELECT ${KNOWN_ADMIN} FROM admin WHERE idp_issuer = $1 AND idp_subject = $2`,
};

/** $1 forms of an e-mail address, $2 issuer, $3 subject. Only an admin who is bound to nobody yet, and not disabled. */
const BIND: Statement = {
  name: 'idp_bind_admin',
  text: `UPDATE admin SET idp_issuer = $2, idp_subject = $3, updated_at = now()
         WHERE email = ANY($1::text[]) AND idp_subject IS NULL AND disabled_at IS NULL RETURNING ${KNOWN_ADMIN}`,
};

/** Who the provider vouches for, and whether a code of the authenticator app is asked for too. */
export interface IdpSignIn {
  readonly admin: KnownAdmin;
  readonly asksSecondFactor: boolean;
  readonly idp: IdpAssurance;
}

/** Which account of the admin table an identity of the provider belongs to. No account is made here. */
@Injectable()
export class IdpAdmins {
  constructor(
    private readonly database: Database,
    private readonly audit: Audit,
    private readonly trail: SignInTrail,
    private readonly notices: AccountNotices,
  ) {}

  /**
   * The admin bound to the identity. The first time, the admin whose e-mail the provider calls verified is bound:
   * from then on only the subject counts, because the provider may give that e-mail address to another person.
   * @throws ForbiddenError IDP_NO_ADMIN, ROLE_UNKNOWN, ACCOUNT_DISABLED
   */
  async find(identity: ProviderIdentity): Promise<IdpSignIn> {
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
    const known = await this.unlessDisabled(admin);
    const asksSecondFactor = known.hasSecondFactor && !identity.secondFactor;
    // What still asks for a code is no sign-in yet.
    if (!asksSecondFactor) await this.trail.succeeded('admin', known, { method: 'identity provider' });
    const { secondFactor, authenticatedAt = null } = identity;
    return { admin: known, asksSecondFactor, idp: { secondFactor, confirmedAt: authenticatedAt } };
  }

  private async unlessDisabled(row: KnownAdminRow): Promise<KnownAdmin> {
    if (row.disabled)
      await this.trail.failed('admin', row.id, { method: 'identity provider', disabled: true });
    return knownAdmin(row);
  }

  private async bind({
    issuer,
    subject,
    verifiedEmail,
  }: ProviderIdentity): Promise<KnownAdminRow | undefined> {
    // With something invisible in it, it is the address of somebody else.
    if (!verifiedEmail || tidyEmail(verifiedEmail) !== verifiedEmail) return undefined;
    try {
      return await this.database.transaction(async (tx) => {
        const [admin] = await tx.query<KnownAdminRow>(BIND, [
          comparableEmails(verifiedEmail),
          issuer,
          subject,
        ]);
        if (!admin) return undefined;
        await this.audit.record(actorOf(knownAdmin(admin)), 'admin.bind_identity', admin.id, { issuer }, tx);
        await this.notices.send(tx, admin.id, 'identityBound');
        return admin;
      });
    } catch (error) {
      // Two first sign-ins of one identity at once: the other one has bound it.
      if (!isUniqueViolation(error)) throw error;
      return (await this.database.query<KnownAdminRow>(BOUND, [issuer, subject]))[0];
    }
  }
}
