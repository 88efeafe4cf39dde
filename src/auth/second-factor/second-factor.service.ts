import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { ConflictError, ForbiddenError } from '../../common/errors/domain-errors.js';
import type { Prisma } from '../../data/generated/client.js';
import { PrismaService } from '../../data/prisma.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import type { RecoveryCodes, TotpSecret } from '../dto/second-factor.dto.js';
import { AccountNotices } from '../account-notices.service.js';
import { lockAdmin } from '../known-admin.js';
import { AdminSessions } from '../sessions/admin-sessions.service.js';
import { tidyCode, Totp } from './totp.js';

/** Sets up and removes the second factor of an account. */
@Injectable()
export class SecondFactor {
  constructor(
    private readonly prisma: PrismaService,
    private readonly totp: Totp,
    private readonly settings: SettingsService,
    private readonly sessions: AdminSessions,
    private readonly notices: AccountNotices,
    private readonly audit: Audit,
  ) {}

  /**
   * Returns a new secret for the caller's authenticator app. The second factor is off until a code confirms the secret.
   * @throws ConflictError SECOND_FACTOR_ON
   */
  async begin(caller: Principal): Promise<TotpSecret> {
    const { organization } = await this.settings.global();
    const secret = this.totp.newSecret();
    const email = await this.prisma.transaction(async (tx) => {
      const row = await lockedRow(tx, caller.id);
      if (row.totpConfirmedAt) throw alreadyOn();
      const totpSealed = this.totp.seal(caller.id, secret);
      await tx.admin.updateMany({ where: { id: caller.id }, data: { totpSealed, totpLastStep: null } });
      return row.email;
    });
    const otpauthUrl = this.totp.address(secret, organization, email);
    const { default: codes } = await import('qrcode');
    return { secret, otpauthUrl, qr: await codes.toString(otpauthUrl, { type: 'svg', margin: 2 }) };
  }

  /**
   * Turns the second factor on after the first correct code of the app. From then on, sign-ins need a code. All other sessions
   * end, because their users never entered a code.
   * @throws ConflictError SECOND_FACTOR_ON, SECOND_FACTOR_NOT_BEGUN
   * @throws ForbiddenError AUTHENTICATOR_CODE_WRONG
   */
  async confirm(caller: Principal, sessionId: string, code: string): Promise<RecoveryCodes> {
    const recoveryCodes = this.totp.newRecoveryCodes();
    const digests = recoveryCodes.map((one) => this.totp.recoveryDigests(caller.id, one)[0]);
    return await this.prisma.transaction(async (tx) => {
      const row = await lockedRow(tx, caller.id);
      if (row.totpConfirmedAt) throw alreadyOn();
      const secret = row.totpSealed && this.totp.open(caller.id, row.totpSealed);
      if (!secret)
        throw new ConflictError(
          'SECOND_FACTOR_NOT_BEGUN',
          'There is no secret to confirm; request one first',
        );
      const totpLastStep = this.totp.stepOf(secret, tidyCode(code));
      if (totpLastStep === undefined)
        throw new ForbiddenError(
          'AUTHENTICATOR_CODE_WRONG',
          'The code is wrong; check the time of the phone',
        );
      const on = { totpConfirmedAt: new Date(), totpLastStep };
      await tx.admin.updateMany({ where: { id: caller.id }, data: on });
      await tx.recoveryCode.deleteMany({ where: { adminId: caller.id } });
      await tx.recoveryCode.createMany({
        data: digests.map((codeDigest) => ({ adminId: caller.id, codeDigest })),
      });
      await this.audit.record(actorOf(caller), 'admin.second_factor_on', caller.id, {}, tx);
      await this.notices.send(tx, caller.id, 'secondFactorOn');
      const { accessToken } = await this.sessions.endOthers(tx, caller.id, sessionId);
      return { recoveryCodes, accessToken };
    });
  }

  /** @returns true if the account had a second factor, confirmed or not */
  async forget(tx: Prisma.TransactionClient, actor: Principal, adminId: string): Promise<boolean> {
    await lockAdmin(tx, adminId);
    const before = await tx.admin.findUnique({
      where: { id: adminId, totpSealed: { not: null } },
      select: { totpConfirmedAt: true },
    });
    const off = { totpSealed: null, totpConfirmedAt: null, totpLastStep: null };
    await tx.admin.updateMany({ where: { id: adminId }, data: off });
    await tx.recoveryCode.deleteMany({ where: { adminId } });
    if (!before) return false;
    if (before.totpConfirmedAt) await this.notices.send(tx, adminId, 'secondFactorOff');
    await this.audit.record(actorOf(actor), 'admin.second_factor_off', adminId, {}, tx);
    // All open sessions must be checked again: without the required second factor, a session may only set up a new one.
    this.sessions.reconsider(tx, adminId);
    return true;
  }
}

/** Returns the account, locked until the commit. */
async function lockedRow(tx: Prisma.TransactionClient, id: string) {
  await lockAdmin(tx, id);
  const row = await tx.admin.findUnique({
    where: { id },
    select: { email: true, totpSealed: true, totpConfirmedAt: true },
  });
  // The account was removed, but the session was still cached.
  if (!row) throw new ForbiddenError();
  return row;
}

const alreadyOn = () =>
  new ConflictError('SECOND_FACTOR_ON', 'A second factor is already set up; remove it first');
