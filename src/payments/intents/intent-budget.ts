import { Injectable } from '@nestjs/common';
import { Semaphore } from '../../common/concurrency/concurrency.js';
import { TooManyRequestsError, UnavailableError } from '../../common/errors/domain-errors.js';
import { clientAddress, clientSite, TrustedNetworks } from '../../common/http/client-address.js';
import { CrowdedAddresses } from '../../common/http/crowded-addresses.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { AppConfig } from '../../config/app-config.js';
import { donorKeyOf } from '../../donations/recording/new-donation.js';
import { Counters } from '../../redis/counters.js';
import { Challenge, type Visitor } from './challenge.js';

/**
 * Maximum number of open payment requests per provider. A request lasts about 0.5 s, so 2,000 guests can donate in
 * one minute.
 */
const AT_ONCE = 32;
const LINE = {
  length: 1_000,
  maxWaitMs: 8_000,
  refusal: () =>
    new UnavailableError('OVERLOADED', 'Too many payments at this moment; send this request again', 2),
};

/**
 * A separate lane for each provider. Payment starts cannot block records, lists and walls, and a slow provider cannot
 * block the payments of another provider. In a lane, requests from addresses with few earlier requests are first.
 */
export class IntentLanes {
  private readonly lanes = new Map<string, Semaphore>();

  /**
   * @param used used share of the budget of the caller's address
   * @throws UnavailableError `OVERLOADED` if the queue or the wait is too long
   */
  async run<Result>(provider: string, work: () => Promise<Result>, used: number): Promise<Result> {
    let lane = this.lanes.get(provider);
    if (!lane) this.lanes.set(provider, (lane = new Semaphore(AT_ONCE, LINE)));
    return await lane.run(work, used);
  }
}

const MINUTE = 60;
/** Window of the donor's budget, in seconds. The other budgets have shorter windows. */
const LONGEST = 10 * MINUTE;
/**
 * Maximum number of payments per address when half of the event's budget is used. A donor can still correct a mistake
 * or try another card.
 */
const FEW = 3;

/** The payment that a visitor wants to start. */
export interface WantedPayment {
  readonly eventId: string;
  readonly email: string | null;
}

/** The budget that one attempt used. */
export interface SpentBudget {
  /** Used share of the budget of the address, from 0 to 1. */
  readonly used: number;
  /**
   * Subtracts the attempt from the budgets. Used after our error, a provider error, or if another request with the
   * same idempotency key was faster.
   */
  takeBack(): Promise<void>;
}

type Hit = Counters['hit'];

/** Limits `POST /donations/intent`, so that attackers cannot use it to test stolen cards. */
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
   * Counts one payment in three budgets: of the address, of the donor at this address, and of the event.
   * @throws TooManyRequestsError if one budget is used up. In this case, the payment does not count in any budget.
   */
  async spend(wanted: WantedPayment, visitor: Visitor): Promise<SpentBudget> {
    const taken: (readonly [key: string, windowSeconds: number])[] = [];
    const takeBack = async () => {
      await Promise.all(taken.map((hit) => this.counters.takeBack(...hit)));
    };
    const hit: Hit = (counter, limit, windowSeconds) => {
      taken.push([counter, windowSeconds]);
      return this.counters.hit(counter, limit, windowSeconds);
    };
    try {
      const used = await this.spendAddress(hit, visitor);
      await this.spendDonor(hit, wanted, visitor);
      await this.spendEvent(hit, wanted, visitor);
      return { used, takeBack };
    } catch (error) {
      // The payment was refused, so it must not count.
      await takeBack();
      throw error;
    }
  }

  private async spendAddress(hit: Hit, visitor: Visitor): Promise<number> {
    const { ip } = visitor;
    const limit = this.limitOfAddress(ip);
    const { allowed, count, resetSeconds } = await hit(ofAddress(ip), limit, MINUTE);
    if (!allowed) {
      this.crowded.note(ip);
      await this.refuse(visitor, resetSeconds);
    }
    return count / limit;
  }

  private limitOfAddress(ip: string | undefined): number {
    const { intentsPerAddress, trustedFactor } = this.config.limits;
    return this.networks.includes(ip) ? intentsPerAddress * trustedFactor : intentsPerAddress;
  }

  /** The key includes the address, so that others cannot use up the budget of an e-mail address. */
  private async spendDonor(hit: Hit, { email }: WantedPayment, visitor: Visitor): Promise<void> {
    const donor = donorKeyOf(this.keys, email)?.toString('base64url');
    if (!donor) return;
    const ofDonor = `rate:intent:email:${donor}:${clientAddress(visitor.ip)}`;
    const { allowed, resetSeconds } = await hit(ofDonor, this.config.limits.intentsPerEmail, LONGEST);
    if (!allowed) await this.refuse(visitor, resetSeconds);
  }

  /**
   * Limits the payments of one address depending on the used share of the event's budget. Up to half: no limit here.
   * Above half: a few payments per address. Above the whole budget: one payment per address. So an address with many
   * payments cannot block new addresses.
   */
  private async spendEvent(hit: Hit, { eventId }: WantedPayment, visitor: Visitor): Promise<void> {
    const { ip } = visitor;
    const { intentsPerEvent, trustedFactor } = this.config.limits;
    const ofEvent = `rate:intent:event:${eventId}`;
    const { count, resetSeconds } = await hit(ofEvent, intentsPerEvent, MINUTE);
    const share = shareOf(count / intentsPerEvent) * (this.networks.includes(ip) ? trustedFactor : 1);
    const own = `${ofEvent}:${clientSite(ip) ?? clientAddress(ip)}`;
    if (!(await hit(own, share, MINUTE)).allowed) await this.refuse(visitor, resetSeconds);
  }

  /**
   * Refuses the payment unless the visitor solved a challenge.
   * @throws TooManyRequestsError; if challenges are configured, its code is `CHALLENGE_REQUIRED`
   */
  private async refuse(visitor: Visitor, seconds: number): Promise<void> {
    const { siteKey } = this.challenge;
    if (siteKey === undefined) throw tooMany(seconds);
    if (!(await this.challenge.solved(visitor))) throw challengeRequired(siteKey);
  }
}

const ofAddress = (ip: string | undefined) => `rate:intent:address:${clientAddress(ip)}`;

/**
 * Returns the number of payments that one address may start per minute. `used` is the used share of the event's
 * budget.
 */
const shareOf = (used: number): number => (used <= 0.5 ? Infinity : used <= 1 ? FEW : 1);

const tooMany = (retryAfter: number) =>
  new TooManyRequestsError(retryAfter, 'TOO_MANY_INTENTS', 'Too many payments were started; try again later');

/** Pages show the challenge with the site key from the header, and send the answer as `Challenge-Token`. */
const challengeRequired = (siteKey: string) =>
  new TooManyRequestsError(60, 'CHALLENGE_REQUIRED', 'Solve the challenge, then send this request again', {
    'Challenge-Site-Key': siteKey,
  });
