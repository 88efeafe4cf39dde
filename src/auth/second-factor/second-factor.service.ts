import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { ConflictError, ForbiddenError } from '../../common/errors/domain-errors.js';
import { Database, type Transaction } from '../../data/database.js';
import { SettingsService } from '../../settings/settings.service.js';
import type { RecoveryCodes, TotpSecret } from '../dto/second-factor.dto.js';
import { AccountNotices } from '../account-notices.service.js';
import { AdminSessions } from '../sessions/admin-sessions.service.js';
import {
  CONFIRM_SECRET,
  FORGET_RECOVERY_CODES,
  FORGET_SECRET,
  KEEP_RECOVERY_CODES,
  KEEP_SECRET,
  LOCK_SECOND_FACTOR,
} from './second-factor.sql.js';
import { tidyCode, Totp } from './totp.js';

interface LockedRow {
  email: string;
  totp_sealed: Buffer | null;
  confirmed: boolean;
}

/** Sets the second factor of an account up, and forgets it. */
@Injectable()
export class SecondFactor {
  constructor(
    private readonly database: Database,
    private readonly totp: Totp,
    private readonly settings: SettingsService,
    private readonly sessions: AdminSessions,
    private readonly notices: AccountNotices,
    private readonly audit: Audit,
  ) {}

  /**
   * A new secret for the caller's authenticator app. It counts for nothing until a code of it was confirmed.
   * @throws ConflictError SECOND_FACTOR_ON
   */
  async begin(caller: Principal): Promise<TotpSecret> {
    const { organization } = await this.settings.global();
    const secret = this.totp.newSecret();
    const email = await this.database.transaction(async (tx) => {
      const row = await lockedRow(tx, caller.id);
      if (row.confirmed) throw alreadyOn();
      await tx.query(KEEP_SECRET, [caller.id, this.totp.seal(caller.id, secret)]);
      return row.email;
    });
    const otpauthUrl = this.totp.address(secret, organization, email);
    const { default: codes } = await import('qrcode');
    return { secret, otpauthUrl, qr: await codes.toString(otpauthUrl, { type: 'svg', margin: 2 }) };
  }

  /**
   * The first code shows that the app has the secret: from now on sign-ins ask for one. Other sign-ins, which never
   * showed one, end.
   * @throws ConflictError SECOND_FACTOR_ON, SECOND_FACTOR_NOT_BEGUN
   * @throws ForbiddenError AUTHENTICATOR_CODE_WRONG
   */
  async confirm(caller: Principal, sessionId: string, code: string): Promise<RecoveryCodes> {
    const recoveryCodes = this.totp.newRecoveryCodes();
    const digests = recoveryCodes.map((one) => this.totp.recoveryDigests(caller.id, one)[0]);
    return await this.database.transaction(async (tx) => {
      const row = await lockedRow(tx, caller.id);
      if (row.confirmed) throw alreadyOn();
      const secret = row.totp_sealed && this.totp.open(caller.id, row.totp_sealed);
      if (!secret)
        throw new ConflictError(
          'SECOND_FACTOR_NOT_BEGUN',
          'There is no secret to confirm; ask for one first',
        );
      const step = this.totp.stepOf(secret, tidyCode(code));
      if (step === undefined)
        throw new ForbiddenError(
          'AUTHENTICATOR_CODE_WRONG',
          'The code is wrong; does the phone have the right time?',
        );
      await tx.query(CONFIRM_SECRET, [caller.id, step]);
      await tx.query(FORGET_RECOVERY_CODES, [caller.id]);
      await tx.query(KEEP_RECOVERY_CODES, [caller.id, digests]);
      await this.audit.record(actorOf(caller), 'admin.second_factor_on', caller.id, {}, tx);
      await this.notices.send(tx, caller.id, 'secondFactorOn');
      const { accessToken } = await this.sessions.endOthers(tx, caller.id, sessionId);
      return { recoveryCodes, accessToken };
    });
  }

  /** @returns whether there was one, confirmed or not */
  async forget(tx: Transaction, actor: Principal, adminId: string): Promise<boolean> {
    const [forgotten] = await tx.query<{ was_on: boolean }>(FORGET_SECRET, [adminId]);
    await tx.query(FORGET_RECOVERY_CODES, [adminId]);
    if (!forgotten) return false;
    if (forgotten.was_on) await this.notices.send(tx, adminId, 'secondFactorOff');
    await this.audit.record(actorOf(actor), 'admin.second_factor_off', adminId, {}, tx);
    // Whether a session is limited to setting one up depends on it.
    tx.afterCommit(() => {
      this.sessions.reconsider(adminId);
    });
    return true;
  }
}

async function lockedRow(tx: Transaction, adminId: string): Promise<LockedRow> {
  const [row] = await tx.query<LockedRow>(LOCK_SECOND_FACTOR, [adminId]);
  // The account was removed while its session was still known.
  if (!row) throw new ForbiddenError();
  return row;
}

const alreadyOn = () =>
  new ConflictError('SECOND_FACTOR_ON', 'A second factor is set up already; switch it off first');
