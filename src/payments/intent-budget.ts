import { Injectable } from '@nestjs/common';
import { Semaphore } from '../common/concurrency.js';
import { TooManyRequestsError, UnavailableError } from '../common/errors/domain-errors.js';
import { clientAddress, clientSite, TrustedNetworks } from '../common/http/client-address.js';
import { CrowdedAddresses } from '../common/http/crowded-addresses.js';
import { KeyRing } from '../common/key-ring.js';
import { AppConfig } from '../config/app-config.js';
import { donorKeyOf } from '../donations/new-donation.js';
import { Counters } from '../redis/counters.js';
import { Challenge, type Visitor } from './challenge.js';

/** A payment takes a provider about half a second: a ballroom of two thousand that gives in one minute. */
const AT_ONCE = 32;
const LINE = {
  length: 1_000,
  maxWaitMs: 8_000,
  refusal: () =>
    new UnavailableError('OVERLOADED', 'Too many payments at this moment; send this one again', 2),
};

/**
 * A lane for each provider: however many start payments at once, records, lists and walls go on beside them, and a
 * provider that hangs holds nobody who pays with another one. In a lane, addresses that have started little go first.
 */
export class IntentLanes {
  private readonly lanes = new Map<string, Semaphore>();

  /**
   * @param used how much of its budget the caller's address has used
   * @throws UnavailableError `OVERLOADED` when the line is too long or too slow
   */
  async run<Result>(provider: string, work: () => Promise<Result>, used: number): Promise<Result> {
    let lane = this.lanes.get(provider);
    if (!lane) this.lanes.set(provider, (lane = new Semaphore(AT_ONCE, LINE)));
    return await lane.run(work, used);
  }
}

const MINUTE = 60;
const EMAIL_WINDOW = 10 * MINUTE;
/** Enough for a donor who errs, or tries another card. */
const FEW = 3;

/** Keeps `POST /donations/intent` from being used to try out stolen cards. */
@Injectable()
export class IntentBudget {
  constructor(
    private readonly config: AppConfig,
    private readonly counters: Counters,
    private readonly networks: TrustedNetworks,
    private readonly keys: KeyRing,
    private readonly challenge: Challenge,
    private readonly crowded: CrowdedAddresses,
  ) {}

  /**
   * @returns how much of its budget the address has used by now, from 0 to 1
   * @throws TooManyRequestsError when the address has started too many donations in this minute.
   */
  async spendAddress(visitor: Visitor): Promise<number> {
    const { ip } = visitor;
    const { intentsPerAddress, trustedFactor } = this.config.limits;
    const limit = this.networks.includes(ip) ? intentsPerAddress * trustedFactor : intentsPerAddress;
    const { allowed, count, resetSeconds } = await this.counters.hit(
      `rate:intent:address:${clientAddress(ip)}`,
      limit,
      MINUTE,
    );
    if (!allowed) {
      this.crowded.note(ip);
      await this.refuse(visitor, resetSeconds);
    }
    return count / limit;
  }

  /**
   * The event's budget is first come, first served up to its half. Then an address gets a few, and when all is
   * used up still its first: who has much cannot take what others have not begun to use.
   * @throws TooManyRequestsError when the donor, from this address, or the address at this event has had its share
   */
  async spendDonation(eventId: string, email: string | null, visitor: Visitor): Promise<void> {
    const { ip } = visitor;
    const { intentsPerEvent, intentsPerEmail, trustedFactor } = this.config.limits;
    const donor = donorKeyOf(this.keys, email)?.toString('base64url');
    // With the address: nobody elsewhere can use up what belongs to the owner of an e-mail address.
    if (donor) {
      const ofDonor = `rate:intent:email:${donor}:${clientAddress(ip)}`;
      const { allowed, resetSeconds } = await this.counters.hit(ofDonor, intentsPerEmail, EMAIL_WINDOW);
      if (!allowed) await this.refuse(visitor, resetSeconds);
    }
    const ofEvent = `rate:intent:event:${eventId}`;
    const { count, resetSeconds } = await this.counters.hit(ofEvent, intentsPerEvent, MINUTE);
    const share = shareOf(count / intentsPerEvent) * (this.networks.includes(ip) ? trustedFactor : 1);
    const own = `${ofEvent}:${clientSite(ip) ?? clientAddress(ip)}`;
    if ((await this.counters.hit(own, share, MINUTE)).allowed) return;
    // What is refused was not started, and must not count against others.
    await this.counters.takeBack(ofEvent, MINUTE);
    await this.refuse(visitor, resetSeconds);
  }

  /**
   * Refuses, unless the visitor solved a challenge.
   * @throws TooManyRequestsError that asks for a challenge where challenges are configured
   */
  private async refuse(visitor: Visitor, seconds: number): Promise<void> {
    const { siteKey } = this.challenge;
    if (siteKey === undefined) throw tooMany(seconds);
    if (!(await this.challenge.solved(visitor))) throw challengeRequired(siteKey);
  }
}

/** How many payments one address may start in a minute, by how much of the event's budget is used. */
const shareOf = (used: number): number => (used <= 0.5 ? Infinity : used <= 1 ? FEW : 1);

const tooMany = (retryAfter: number) =>
  new TooManyRequestsError(retryAfter, 'TOO_MANY_INTENTS', 'Too many payments were started; try again later');

/** Pages show the challenge with the key in the header, and send the answer as `Challenge-Token`. */
const challengeRequired = (siteKey: string) =>
  new TooManyRequestsError(60, 'CHALLENGE_REQUIRED', 'Show that you are a person, then send this again', {
    'Challenge-Site-Key': siteKey,
  });
