import { Injectable } from '@nestjs/common';
import { comparableEmails, tidyEmail } from '../../common/text/email-address.js';
import { ForbiddenError } from '../../common/errors/domain-errors.js';
import { Audit } from '../../audit/audit.js';
import { isPrismaConflict, PrismaService } from '../../data/prisma.service.js';
import { AccountNotices } from '../account-notices.service.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin } from '../known-admin.js';
import type { IdpAssurance } from '../sessions/refresh-tokens.service.js';
import { SignInTrail } from '../sign-in-trail.js';
import { actorOf } from '../../common/access/principal.js';
import type { ProviderIdentity } from './idp-tokens.js';

/**
 * An account confirmed by the identity provider. `asksSecondFactor` is true if the user must also enter a code of the
 * authenticator app.
 */
export interface IdpSignIn {
  readonly admin: KnownAdmin;
  readonly asksSecondFactor: boolean;
  readonly idp: IdpAssurance;
}

/** Finds the admin account of an identity of the provider. Creates no account. */
@Injectable()
export class IdpAdmins {
  constructor(
    private readonly prisma: PrismaService,
    private readonly audit: Audit,
    private readonly trail: SignInTrail,
    private readonly notices: AccountNotices,
  ) {}

  /**
   * Returns the admin bound to the identity. At the first sign-in, binds the admin with the e-mail that the provider verified.
   * Later sign-ins use only the provider's subject id, because the provider may give the e-mail address to another person.
   * @throws ForbiddenError IDP_NO_ADMIN, ROLE_UNKNOWN, ACCOUNT_DISABLED
   */
  async find(identity: ProviderIdentity): Promise<IdpSignIn> {
    const row = (await this.bound(identity)) ?? (await this.bind(identity));
    if (!row) {
      await this.trail.failed('admin', null, { method: 'identity provider' });
      throw new ForbiddenError(
        'IDP_NO_ADMIN',
        'No admin has this identity, or its e-mail address is not verified',
      );
    }
    if (row.disabledAt)
      await this.trail.failed('admin', row.id, { method: 'identity provider', disabled: true });
    const known = await knownAdmin(await this.prisma.client(), row);
    const asksSecondFactor = known.hasSecondFactor && !identity.secondFactor;
    // A sign-in that still needs a code is not complete.
    if (!asksSecondFactor) await this.trail.succeeded('admin', known, { method: 'identity provider' });
    const { secondFactor, authenticatedAt = null } = identity;
    return { admin: known, asksSecondFactor, idp: { secondFactor, confirmedAt: authenticatedAt } };
  }

  private async bound({ issuer: idpIssuer, subject: idpSubject }: ProviderIdentity) {
    const { admin } = await this.prisma.client();
    const identity = { idpIssuer, idpSubject };
    return await admin.findUnique({ where: { idpIssuer_idpSubject: identity }, select: KNOWN_ADMIN });
  }

  private async bind(identity: ProviderIdentity) {
    const { issuer, subject, verifiedEmail } = identity;
    // Refuses an address with invisible characters, because another person can own such an address.
    if (!verifiedEmail || tidyEmail(verifiedEmail) !== verifiedEmail) return null;
    try {
      return await this.prisma.transaction(async (tx) => {
        const [row] = await tx.admin.updateManyAndReturn({
          where: { email: { in: [...comparableEmails(verifiedEmail)] }, idpSubject: null, disabledAt: null },
          data: { idpIssuer: issuer, idpSubject: subject },
          select: KNOWN_ADMIN,
        });
        if (!row) return null;
        const admin = await knownAdmin(tx, row);
        await this.audit.record(actorOf(admin), 'admin.bind_identity', admin.id, { issuer }, tx);
        await this.notices.send(tx, admin.id, 'identityBound');
        return row;
      });
    } catch (error) {
      // A concurrent first sign-in of the same identity has already bound the account.
      if (!isPrismaConflict(error)) throw error;
      return await this.bound(identity);
    }
  }
}
