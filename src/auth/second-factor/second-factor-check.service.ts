import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Audit } from '../../audit/audit.js';
import { actorOf } from '../../common/access/principal.js';
import { UnauthorizedError } from '../../common/errors/domain-errors.js';
import { Database } from '../../data/database.js';
import { AccountNotices } from '../account-notices.service.js';
import type { KnownAdmin } from '../known-admin.js';
import { type FailureLimit, FailureLimits, type FailureRule } from '../limits/failure-limits.js';
import { TrustedDevices } from '../limits/trusted-devices.js';
import { SignInTrail } from '../sign-in-trail.js';
import { CONFIRMED_SECRET, RECOVERY_CODES_LEFT, USE_RECOVERY_CODE, USE_STEP } from './second-factor.sql.js';
import { tidyCode, Totp } from './totp.js';

/** Of three codes in a million each guess hits one: a hundred a day are a chance of one in three thousand. */
const BACKOFF: FailureRule = { free: 5, windowSeconds: 3_600, firstWait: 2, longestWait: 900 };
const A_DAY: FailureRule = {
  free: 100,
  windowSeconds: 86_400,
  firstWait: 3_600,
  longestWait: 3_600,
  warning: 'Somebody who knows the password of an admin is guessing codes',
};

/** Asks for a code of the authenticator app, or a recovery code, where one is set up. */
@Injectable()
export class SecondFactorCheck {
  constructor(
    private readonly database: Database,
    private readonly totp: Totp,
    private readonly limits: FailureLimits,
    private readonly devices: TrustedDevices,
    private readonly trail: SignInTrail,
    private readonly audit: Audit,
    private readonly notices: AccountNotices,
  ) {}

  /**
   * @returns whether a second factor was shown; false where the account has none
   * @throws UnauthorizedError SECOND_FACTOR_REQUIRED without a code, SECOND_FACTOR_WRONG for a wrong or used one
   * @throws TooManyRequestsError after five failures of this account, from wherever they came: who gets here knows
   *   the password. A trusted device of the account's owner has failures of its own.
   */
  async require(admin: KnownAdmin, code: string | undefined, request: Request): Promise<boolean> {
    if (!admin.hasSecondFactor) return false;
    if (code === undefined)
      throw new UnauthorizedError(
        'SECOND_FACTOR_REQUIRED',
        'Send the code of the authenticator app, or a recovery code, too',
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
    const [row] = await this.database.query<{ totp_sealed: Buffer }>(CONFIRMED_SECRET, [admin.id]);
    const secret = row && this.totp.open(admin.id, row.totp_sealed);
    const step = secret === undefined ? undefined : this.totp.stepOf(secret, code);
    if (step === undefined) return false;
    return (await this.database.query(USE_STEP, [admin.id, step])).length > 0;
  }

  private async useRecoveryCode(admin: KnownAdmin, code: string): Promise<boolean> {
    return await this.database.transaction(async (tx) => {
      const used = await tx.query(USE_RECOVERY_CODE, [admin.id, this.totp.recoveryDigests(admin.id, code)]);
      if (used.length === 0) return false;
      const [left] = await tx.query<{ codes: number }>(RECOVERY_CODES_LEFT, [admin.id]);
      await this.audit.record(actorOf(admin), 'admin.use_recovery_code', admin.id, { left: left?.codes }, tx);
      await this.notices.send(tx, admin.id, 'recoveryCodeUsed');
      return true;
    });
  }
}

const limitsOf = (adminId: string, lane: string): FailureLimit[] => [
  { key: `totp:${adminId}:${lane}`, rule: BACKOFF },
  { key: `totp:${adminId}:day:${lane}`, rule: A_DAY },
];
