import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { UnauthorizedError } from '../common/errors/domain-errors.js';
import { clientAddress, clientSite } from '../common/http/client-address.js';
import { type FailureLimit, FailureLimits, type FailureRule } from './limits/failure-limits.js';
import { TrustedDevices } from './limits/trusted-devices.js';
import { Turns } from './limits/turns.js';
import { Passwords, TrustedPasswords } from './passwords.js';

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

/** What a password is held against. */
export interface PasswordAccount {
  /** As typed, lower case: it may belong to nobody. */
  readonly email: string;
  readonly id?: string;
  /** Absent where the account has none, or there is no account. */
  readonly hash?: string | null;
}

/** Checks a password under the limits of its account, wherever one is asked for: at the sign-in and at changes. */
@Injectable()
export class PasswordCheck {
  /** One address has one place in the queue of passwords, whatever it sends. */
  private readonly turns = new Turns();

  constructor(
    private readonly passwords: Passwords,
    private readonly trustedPasswords: TrustedPasswords,
    private readonly devices: TrustedDevices,
    private readonly limits: FailureLimits,
  ) {}

  /**
   * @param wrong writes down that the password is wrong, and makes the answer
   * @throws UnauthorizedError of `wrong`
   * @throws TooManyRequestsError after five failures of this account from this address or trusted device: nobody
   *   elsewhere can lock its owner out
   */
  async require(
    account: PasswordAccount,
    password: string,
    request: Request,
    wrong: () => Promise<UnauthorizedError>,
  ): Promise<void> {
    const device = this.devices.ofAdmin(request);
    const trusted = account.id !== undefined && device.owner === account.id;
    const counted = trusted ? device.key : `address:${clientAddress(request.ip)}`;
    const attempt = async (passwords: Passwords): Promise<void> => {
      if (!(await passwords.matches(password, account.hash ?? undefined))) throw await wrong();
    };
    await this.limits.guard(limitsOf(account.email, counted, request.ip), () =>
      trusted
        ? attempt(this.trustedPasswords)
        : this.turns.run(clientSite(request.ip) ?? counted, () => attempt(this.passwords)),
    );
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
