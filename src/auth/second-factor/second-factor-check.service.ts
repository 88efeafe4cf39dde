import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Audit } from '../../audit/audit.js';
import { actorOf } from '../../common/access/principal.js';
import { UnauthorizedError } from '../../common/errors/domain-errors.js';
import { PrismaService } from '../../data/prisma.service.js';
import { AccountNotices } from '../account-notices.service.js';
import type { KnownAdmin } from '../known-admin.js';
import { type FailureLimit, FailureLimits, type FailureRule } from '../limits/failure-limits.js';
import { TrustedDevices } from '../limits/trusted-devices.js';
import { SignInTrail } from '../sign-in-trail.js';
import { tidyCode, Totp } from './totp.js';

/**
 * Three of a million codes are valid at any time. With a hundred guesses a day, the chance to guess a valid code is 1 in 3,000.
 */
const BACKOFF: FailureRule = { free: 5, windowSeconds: 3_600, firstWait: 2, longestWait: 900 };
const A_DAY: FailureRule = {
  free: 100,
  windowSeconds: 86_400,
  firstWait: 3_600,
  longestWait: 3_600,
  warning: 'Too many wrong second-factor codes after a correct admin password: the password may be stolen',
};

/** Asks for a code of the authenticator app, or a recovery code, if the account has a second factor. */
@Injectable()
export class SecondFactorCheck {
  constructor(
    private readonly prisma: PrismaService,
    private readonly totp: Totp,
    private readonly limits: FailureLimits,
    private readonly devices: TrustedDevices,
    private readonly trail: SignInTrail,
    private readonly audit: Audit,
    private readonly notices: AccountNotices,
  ) {}

  /**
   * @returns true if a second factor was checked; false if the account has none
   * @throws UnauthorizedError SECOND_FACTOR_REQUIRED if the code is missing, SECOND_FACTOR_WRONG if the code is wrong or was
   * used before
   * @throws TooManyRequestsError after five failures of this account. All addresses share one counter, because the caller
   * already knows the password. A trusted device of the account's owner has its own counter.
   */
  async require(admin: KnownAdmin, code: string | undefined, request: Request): Promise<boolean> {
    if (!admin.hasSecondFactor) return false;
    if (code === undefined)
      throw new UnauthorizedError(
        'SECOND_FACTOR_REQUIRED',
        'Also send the code of the authenticator app, or a recovery code',
      );
    const device = this.devices.ofAdmin(request);
    const lane = device.owner === admin.id ? device.key : 'strangers';
    await this.limits.guard(limitsOf(admin.id, lane), async () => {
      if (await this.matches(admin, tidyCode(code))) return;
      await this.trail.failed('admin', admin.id, { method: 'second factor' });
      throw new UnauthorizedError(
        'SECOND_FACTOR_WRONG',
        'The code is wrong or was used before; wait for the next one',
      );
    });
    return true;
  }

  private async matches(admin: KnownAdmin, code: string): Promise<boolean> {
    if (!/^\d{6}$/.test(code)) return await this.useRecoveryCode(admin, code);
    const { admin: admins } = await this.prisma.client();
    const isConfirmed = { id: admin.id, totpConfirmedAt: { not: null } };
    const row = await admins.findUnique({ where: isConfirmed, select: { totpSealed: true } });
    const secret = row?.totpSealed ? this.totp.open(admin.id, row.totpSealed) : undefined;
    const totpLastStep = secret === undefined ? undefined : this.totp.stepOf(secret, code);
    if (totpLastStep === undefined) return false;
    // Each code is valid once: if two requests use a code at the same time, only one of them updates the row.
    const { count } = await admins.updateMany({
      where: { ...isConfirmed, OR: [{ totpLastStep: null }, { totpLastStep: { lt: totpLastStep } }] },
      data: { totpLastStep },
    });
    return count === 1;
  }

  private async useRecoveryCode(admin: KnownAdmin, code: string): Promise<boolean> {
    const unused = { adminId: admin.id, usedAt: null };
    const codeDigest = { in: this.totp.recoveryDigests(admin.id, code) };
    return await this.prisma.transaction(async (tx) => {
      const { count } = await tx.recoveryCode.updateMany({
        where: { ...unused, codeDigest },
        data: { usedAt: new Date() },
      });
      if (count === 0) return false;
      const left = await tx.recoveryCode.count({ where: unused });
      await this.audit.record(actorOf(admin), 'admin.use_recovery_code', admin.id, { left }, tx);
      await this.notices.send(tx, admin.id, 'recoveryCodeUsed');
      return true;
    });
  }
}

const limitsOf = (adminId: string, lane: string): FailureLimit[] => [
  { key: `totp:${adminId}:${lane}`, rule: BACKOFF },
  { key: `totp:${adminId}:day:${lane}`, rule: A_DAY },
];
