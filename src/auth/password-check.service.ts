import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../common/access/principal.js';
import {
  ConflictError,
  ForbiddenError,
  UnauthorizedError,
  UnavailableError,
} from '../common/errors/domain-errors.js';
import { clientAddress, clientSite } from '../common/http/client-address.js';
import { PrismaService } from '../data/prisma.service.js';
import { type FailureLimit, FailureLimits, type FailureRule } from './limits/failure-limits.js';
import { TrustedDevices } from './limits/trusted-devices.js';
import { KNOWN_ADMIN, type KnownAdmin, knownAdmin } from './known-admin.js';
import { PasswordHashes, type PasswordLane } from './passwords.js';
import { SignInTrail } from './sign-in-trail.js';

/** A correct password clears the failures, because the key counts only failures of this account. */
const BACKOFF: FailureRule = {
  free: 5,
  windowSeconds: 3_600,
  firstWait: 2,
  longestWait: 900,
  successClears: true,
};
const DAY = 86_400;
const A_DAY: FailureRule = { free: 100, windowSeconds: DAY, firstWait: 3_600, longestWait: 3_600 };
/** Limit for one IPv6 site. A site contains 65 536 networks, and each network counts as one address. */
const OF_SITE: FailureRule = { ...BACKOFF, free: 20, successClears: false };

const WAITING_OF_ONE = 5;

/** The account to check a password against. */
export interface PasswordAccount {
  /** The e-mail address that the user typed, in lower case. An account with this address may not exist. */
  readonly email: string;
  readonly id?: string;
  /** Absent if the account has no password or does not exist. */
  readonly hash?: string | null;
}

/** Checks a password under the limits of the account, at sign-in and before sensitive changes. */
@Injectable()
export class PasswordCheck {
  /** Each address has only one running password check, so many requests of one address do not delay other addresses. */
  private readonly turns = new Turns();

  constructor(
    private readonly prisma: PrismaService,
    private readonly hashes: PasswordHashes,
    private readonly devices: TrustedDevices,
    private readonly limits: FailureLimits,
    private readonly trail: SignInTrail,
  ) {}

  /**
   * @param wrong records the wrong password, and creates the error
   * @throws UnauthorizedError from `wrong`
   * @throws TooManyRequestsError after five failures of this account from this address or trusted device. Failures from other
   * addresses do not lock the owner out.
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
    const attempt = async (lane: PasswordLane): Promise<void> => {
      if (!(await this.hashes.matches(password, account.hash, lane))) throw await wrong();
    };
    await this.limits.guard(limitsOf(account.email, counted, request.ip), () =>
      trusted
        ? attempt('trusted')
        : this.turns.run(clientSite(request.ip) ?? counted, () => attempt('strangers')),
    );
  }

  /**
   * Asks a signed-in user for the password again before a sensitive change, because the session may be stolen. Wrong passwords
   * here and at sign-in use the same counters.
   * @throws ForbiddenError PASSWORD_WRONG, not 401, because the session is valid
   * @throws ConflictError PASSWORD_NOT_SET
   */
  async requireOf(caller: Principal, password: string, request: Request): Promise<KnownAdmin> {
    const db = await this.prisma.client();
    const row = await db.admin.findUnique({
      where: { id: caller.id },
      select: { ...KNOWN_ADMIN, passwordHash: true },
    });
    if (!row) throw new ForbiddenError();
    const { id, email, passwordHash: hash } = row;
    if (hash === null)
      throw new ConflictError('PASSWORD_NOT_SET', 'This account has no password; an admin can send a link');
    try {
      await this.require({ email, id, hash }, password, request, async () => {
        await this.trail.failed('admin', id, { method: 'password', signedIn: true });
        return new UnauthorizedError();
      });
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      throw new ForbiddenError('PASSWORD_WRONG', 'The password is wrong');
    }
    return await knownAdmin(db, row);
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

/** Runs one check per caller at a time, so a caller with many requests delays only the caller's own requests. */
class Turns {
  private readonly lines = new Map<string, { last: Promise<unknown>; length: number }>();

  /** @throws UnavailableError if this caller has too many waiting checks */
  async run<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.lines.get(caller) ?? { last: Promise.resolve(), length: 0 };
    if (line.length >= WAITING_OF_ONE)
      throw new UnavailableError('SIGN_IN_BUSY', 'Too many sign-ins at the moment', 2);
    line.length++;
    this.lines.set(caller, line);
    const turn = line.last.then(work, work);
    line.last = turn;
    try {
      return await turn;
    } finally {
      if (--line.length === 0) this.lines.delete(caller);
    }
  }
}
