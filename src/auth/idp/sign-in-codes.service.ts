import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { UnauthorizedError } from '../../common/errors/domain-errors.js';
import type { Prisma } from '../../data/generated/client.js';
import { PrismaService } from '../../data/prisma.service.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin } from '../known-admin.js';
import { SecondFactorCheck } from '../second-factor/second-factor-check.service.js';
import type { IdpAssurance } from '../sessions/refresh-tokens.service.js';
import { SignInTrail } from '../sign-in-trail.js';
import type { IdpSignIn } from './idp-admins.service.js';

const GOOD_FOR_MS = 60_000;
/** Long enough for a person to take out the phone, open the authenticator app and type the code. */
const GOOD_FOR_WITH_SECOND_FACTOR_MS = 5 * 60_000;

/** The sign-in for which a used code was issued. */
export interface UsedCode {
  readonly admin: KnownAdmin;
  readonly idp: IdpAssurance;
}

/**
 * One-time codes for the browser that signed in. A code is valid for a minute, or for five minutes if a second factor is
 * needed. Addresses contain codes instead of tokens, because logs and browser histories store addresses.
 */
@Injectable()
export class SignInCodes {
  constructor(
    private readonly prisma: PrismaService,
    private readonly secondFactors: SecondFactorCheck,
    private readonly trail: SignInTrail,
  ) {}

  /** @param browser the secret of the only browser that may use the code */
  async issue({ admin, asksSecondFactor, idp }: IdpSignIn, browser: string): Promise<string> {
    const code = randomBytes(32).toString('base64url');
    const goodFor = asksSecondFactor ? GOOD_FOR_WITH_SECOND_FACTOR_MS : GOOD_FOR_MS;
    const { signInCode } = await this.prisma.client();
    await signInCode.create({
      data: {
        codeDigest: digest(code, browser),
        adminId: admin.id,
        expiresAt: new Date(Date.now() + goodFor),
        idpSecondFactor: idp.secondFactor,
        idpConfirmedAt: idp.confirmedAt,
      },
    });
    return code;
  }

  /**
   * Marks the code as used. If the account needs a second factor, checks the factor first; a wrong factor does not use up the
   * code.
   * @throws UnauthorizedError if the code is unknown, used, expired or belongs to another browser; SECOND_FACTOR_REQUIRED,
   * SECOND_FACTOR_WRONG
   */
  async use(code: string, totp: string | undefined, browser: string, request: Request): Promise<UsedCode> {
    const db = await this.prisma.client();
    const codeDigest = digest(code, browser);
    const found = await known(db, codeDigest);
    const asks = found.admin.hasSecondFactor && !found.idp.secondFactor;
    if (asks) await this.secondFactors.require(found.admin, totp, request);
    // Only one of several concurrent requests updates the row.
    const used = await db.signInCode.updateMany({
      where: { codeDigest, ...good() },
      data: { usedAt: new Date() },
    });
    if (used.count === 0) throw wrongCode();
    if (asks)
      await this.trail.succeeded('admin', found.admin, { method: 'identity provider', secondFactor: true });
    return found;
  }
}

const good = () => ({ usedAt: null, expiresAt: { gt: new Date() } });

async function known(db: Prisma.TransactionClient, codeDigest: Uint8Array<ArrayBuffer>): Promise<UsedCode> {
  const row = await db.signInCode.findUnique({
    where: { codeDigest, ...good() },
    select: { idpSecondFactor: true, idpConfirmedAt: true, admin: { select: KNOWN_ADMIN } },
  });
  if (!row) throw wrongCode();
  const { idpSecondFactor: secondFactor, idpConfirmedAt: confirmedAt } = row;
  return { admin: await knownAdmin(db, row.admin), idp: { secondFactor, confirmedAt } };
}

const wrongCode = () => new UnauthorizedError('WRONG_CODE', 'The code is no longer valid; sign in again');

const digest = (code: string, browser: string) => createHash('sha256').update(`${code}.${browser}`).digest();
