import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { UnauthorizedError } from '../common/errors/domain-errors.js';
import { clientAddress, clientSite } from '../common/http/client-address.js';
import { Database, type Statement } from '../data/database.js';
import type { AdminLogin } from './dto/sign-in.dto.js';
import { type KnownAdmin, knownAdmin, type KnownAdminRow } from './known-admin.js';
import { type FailureLimit, FailureLimits, type FailureRule } from './limits/failure-limits.js';
import { TrustedDevices } from './limits/trusted-devices.js';
import { Turns } from './limits/turns.js';
import { SignInTrail } from './sign-in-trail.js';
import { Passwords, TrustedPasswords } from './passwords.js';

type AdminRow = KnownAdminRow & { password_hash: string };

const ADMIN_BY_EMAIL: Statement = {
  name: 'admin_by_email',
  text: 'SELECT id, email, role, password_hash, session_version FROM admin WHERE email = $1',
};

/** Who knows the password may forget the failures of the account: nobody else's are counted under the key. */
const BACKOFF: FailureRule = {
  free: 5,
  windowSeconds: 3_600,
  firstWait: 2,
  longestWait: 900,
  successClears: true,
};
const DAY = 86_400;
const A_DAY: FailureRule = { free: 100, windowSeconds: DAY, firstWait: 3_600, longestWait: 3_600 };
/** An IPv6 site holds 65 536 networks that each count as an address. */
const OF_SITE: FailureRule = { ...BACKOFF, free: 20, successClears: false };

/** Signs admins and accountants in by e-mail and password. */
@Injectable()
export class AdminSignIn {
  /** One address has one place in the queue of passwords, whatever it sends. */
  private readonly turns = new Turns();

  constructor(
    private readonly database: Database,
    private readonly passwords: Passwords,
    private readonly trustedPasswords: TrustedPasswords,
    private readonly devices: TrustedDevices,
    private readonly limits: FailureLimits,
    private readonly trail: SignInTrail,
  ) {}

  /**
   * @throws UnauthorizedError the same for an unknown e-mail as for a wrong password, and after as long
   * @throws TooManyRequestsError after five failures of this account from this address or trusted device: nobody
   *   elsewhere can lock an admin out
   * @throws ForbiddenError ROLE_UNKNOWN
   */
  async signIn({ email, password }: AdminLogin, request: Request): Promise<KnownAdmin> {
    const account = email.toLowerCase();
    const [admin] = await this.database.query<AdminRow>(ADMIN_BY_EMAIL, [account]);
    const device = this.devices.ofAdmin(request);
    const trusted = admin !== undefined && device.owner === admin.id;
    const counted = trusted ? device.key : `address:${clientAddress(request.ip)}`;
    const known = await this.limits.guard(limitsOf(account, counted, request.ip), () =>
      trusted
        ? this.check(this.trustedPasswords, password, admin)
        : this.turns.run(clientSite(request.ip) ?? counted, () =>
            this.check(this.passwords, password, admin),
          ),
    );
    await this.trail.succeeded('admin', known, { method: 'password' });
    return known;
  }

  private async check(
    passwords: Passwords,
    password: string,
    admin: AdminRow | undefined,
  ): Promise<KnownAdmin> {
    const right = await passwords.matches(password, admin?.password_hash);
    if (right && admin) return knownAdmin(admin);
    // An unknown account leaves the same traces, in the same time.
    await this.trail.failed('admin', admin?.id ?? null, { method: 'password' });
    throw new UnauthorizedError('WRONG_CREDENTIALS', 'Wrong e-mail or password');
  }
}

function limitsOf(account: string, device: string, ip: string | undefined): FailureLimit[] {
  const key = `admin:${createHash('sha256').update(account).digest('base64url')}`;
  const site = device.startsWith('address:') ? clientSite(ip) : undefined;
  return [
    { key: `${key}:${device}`, rule: BACKOFF },
    { key: `${key}:day:${device}`, rule: A_DAY },
    ...(site === undefined ? [] : [{ key: `${key}:site:${site}`, rule: OF_SITE }]),
  ];
}
