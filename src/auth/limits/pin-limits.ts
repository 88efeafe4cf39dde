import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Audit } from '../../audit/audit.js';
import { actorOf, type Principal } from '../../common/access/principal.js';
import { clientNetwork, clientSite } from '../../common/http/client-address.js';
import { Counters } from '../../redis/counters.js';
import { type FailureLimit, FailureLimits, type FailureRule } from './failure-limits.js';
import type { Device } from './trusted-devices.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** One device, or one stranger's address, at one event. */
const AT_EVENT: FailureRule = { free: 5, windowSeconds: HOUR, firstWait: 2, longestWait: 900 };
/** An IPv6 site holds 65 536 networks that each count as an address. */
const SITE_AT_EVENT: FailureRule = { ...AT_EVENT, free: 20 };
/** One device or address, wherever it tries. */
const A_DAY: FailureRule = { free: 30, windowSeconds: DAY, firstWait: HOUR, longestWait: HOUR };
/** All devices that one member made trusted: more devices must not mean more guesses. */
const OF_MEMBER: FailureRule = { ...A_DAY, free: 100, warning: 'Trusted devices of one member are guessing' };

interface StrangerRules {
  readonly ofNetwork: FailureRule;
  readonly ofAll: FailureRule;
}
const GUESSING = 'Somebody is guessing PINs: strangers wait, trusted devices do not';
const even = (free: number, wait: number): FailureRule => ({
  free,
  windowSeconds: DAY,
  firstWait: wait,
  longestWait: wait,
  warning: GUESSING,
});
const AT_ONE_EVENT: StrangerRules = { ofNetwork: even(30, 300), ofAll: even(150, 60) };
/** Without an event a guess is tried against everybody's PIN. */
const ANYWHERE: StrangerRules = { ofNetwork: even(15, 600), ofAll: even(75, 120) };
/** Failures a day that a network has even while strangers everywhere else have used up the rest. */
const SHARE_OF_NETWORK = 2;

const UNLOCKS = 'pin-unlocks';
/** Longer than any counter lasts: when the number of unlocks starts again, nothing old is left to find. */
const UNLOCKS_KEPT = 2 * DAY;

/** Which failures of PINs count, and by what. */
@Injectable()
export class PinLimits {
  constructor(
    private readonly failures: FailureLimits,
    private readonly counters: Counters,
    private readonly audit: Audit,
  ) {}

  /**
   * Runs one attempt.
   * @param event id, or whatever stands for the event in the counters; undefined where none was named
   * @throws TooManyRequestsError without running it while a wait is on
   */
  async guard<Result>(
    event: string | undefined,
    device: Device,
    request: Request,
    attempt: () => Promise<Result>,
  ): Promise<Result> {
    const unlocks = (await this.counters.read(UNLOCKS))?.count ?? 0;
    const limits = await this.limitsOf(`pin:${String(unlocks)}`, event, device, request.ip);
    return await this.failures.guard(limits, attempt);
  }

  /** Forgets all failures so far, everywhere: those who wait may try at once. */
  async unlock(caller: Principal): Promise<{ unlocked: true }> {
    await this.audit.record(actorOf(caller), 'staff.unlock', null);
    await this.counters.hit(UNLOCKS, Infinity, UNLOCKS_KEPT);
    return { unlocked: true };
  }

  private async limitsOf(
    prefix: string,
    event: string | undefined,
    { key, owner }: Device,
    ip: string | undefined,
  ): Promise<FailureLimit[]> {
    const place = `${prefix}:at:${event ?? 'any'}`;
    const limits: FailureLimit[] = [
      { key: `${place}:${key}`, rule: AT_EVENT },
      { key: `${prefix}:day:${key}`, rule: A_DAY },
    ];
    if (owner !== undefined) return [...limits, { key: `${prefix}:member:${owner}`, rule: OF_MEMBER }];
    const rules = event === undefined ? ANYWHERE : AT_ONE_EVENT;
    const site = clientSite(ip);
    if (site !== undefined) limits.push({ key: `${place}:site:${site}`, rule: SITE_AT_EVENT });
    const network = `${place}:network:${clientNetwork(ip)}`;
    limits.push({ key: network, rule: rules.ofNetwork });
    if ((await this.failures.failures(network)) >= SHARE_OF_NETWORK)
      limits.push({ key: `${place}:strangers`, rule: rules.ofAll });
    return limits;
  }
}
