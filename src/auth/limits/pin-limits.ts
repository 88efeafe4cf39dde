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

/** Failures of one device, or one untrusted address, at one event. */
const AT_EVENT: FailureRule = { free: 5, windowSeconds: HOUR, firstWait: 2, longestWait: 900 };
/** Failures of one IPv6 site at one event. A site contains 65 536 networks, and each network counts as one address. */
const SITE_AT_EVENT: FailureRule = { ...AT_EVENT, free: 20 };
/** Failures of one device or address in a day, at all events together. */
const A_DAY: FailureRule = { free: 30, windowSeconds: DAY, firstWait: HOUR, longestWait: HOUR };
/** Failures of all devices that are trusted because of one member. So more devices do not allow more guesses. */
const OF_MEMBER: FailureRule = {
  ...A_DAY,
  free: 100,
  warning: 'Too many wrong PINs on the trusted devices of one member',
};

interface StrangerRules {
  readonly ofNetwork: FailureRule;
  readonly ofAll: FailureRule;
}
const GUESSING = 'PIN guessing detected: untrusted devices wait, trusted devices do not';
const even = (free: number, wait: number): FailureRule => ({
  free,
  windowSeconds: DAY,
  firstWait: wait,
  longestWait: wait,
  warning: GUESSING,
});
const AT_ONE_EVENT: StrangerRules = { ofNetwork: even(30, 300), ofAll: even(150, 60) };
/** Limits for sign-ins that name no event. They are strict, because the PIN is compared with the PINs of all members. */
const ANYWHERE: StrangerRules = { ofNetwork: even(15, 600), ofAll: even(75, 120) };
/** Failures per day that each network may cause, even if other untrusted addresses have used up the shared limit. */
const SHARE_OF_NETWORK = 2;

const UNLOCKS = 'pin-unlocks';
/**
 * Lifetime of the number of unlocks, which is a part of the counters' keys. All these counters have a shorter
 * lifetime. So when the number starts again at zero, no old counter has the same key.
 */
const UNLOCKS_KEPT = 2 * DAY;

/** Counts PIN failures under several keys: device, network, event and member. */
@Injectable()
export class PinLimits {
  constructor(
    private readonly failures: FailureLimits,
    private readonly counters: Counters,
    private readonly audit: Audit,
  ) {}

  /**
   * Runs one attempt.
   * @param event id, or the counter key of an unknown event; undefined if the request contains no event
   * @throws TooManyRequestsError during a wait, without running the attempt
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

  /** Clears the failures of all events and devices, so that waiting clients may try at once. */
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
