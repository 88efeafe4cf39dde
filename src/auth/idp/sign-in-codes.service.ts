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
/** A person takes out the phone, opens the app and types. */
const GOOD_FOR_WITH_SECOND_FACTOR_MS = 5 * 60_000;

/** Who a code stood for. */
export interface UsedCode {
  readonly admin: KnownAdmin;
  readonly idp: IdpAssurance;
}

/** One-time codes, good for a minute, in the browser that signed in. A token is never part of an address, because logs and histories keep those. */
@Injectable()
export class SignInCodes {
  constructor(
    private readonly prisma: PrismaService,
    private readonly secondFactors: SecondFactorCheck,
    private readonly trail: SignInTrail,
  ) {}

  /** @param browser the secret of the browser that the code is good in */
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
   * The code is used up only once the second factor, where one is asked for, was right.
   * @throws UnauthorizedError for a code that is unknown, used, too old or of another browser; SECOND_FACTOR_REQUIRED, SECOND_FACTOR_WRONG
   */
  async use(code: string, totp: string | undefined, browser: string, request: Request): Promise<UsedCode> {
    const db = await this.prisma.client();
    const codeDigest = digest(code, browser);
    const found = await known(db, codeDigest);
    const asks = found.admin.hasSecondFactor && !found.idp.secondFactor;
    if (asks) await this.secondFactors.require(found.admin, totp, request);
    // Of several requests at once, one changes the row.
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
