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
/** The longest window of a budget, the donor's. */
const LONGEST = 10 * MINUTE;
/** Enough for a donor who errs, or tries another card. */
const FEW = 3;

/** What a visitor wants to start. */
export interface WantedPayment {
  readonly eventId: string;
  readonly email: string | null;
}

/** What an attempt took from the budgets. */
export interface SpentBudget {
  /** How much of its budget the address has used by now, from 0 to 1. */
  readonly used: number;
  /** For an attempt that failed on our side or the provider's, or that lost its key to another request. */
  takeBack(): Promise<void>;
}

type Hit = Counters['hit'];

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
   * Takes one payment from the budgets of the address, of the donor from that address, and of the event.
   * @throws TooManyRequestsError when one of them is used up; then nothing is taken from the others either
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
      // What is refused was not started.
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

  /** With the address: nobody elsewhere can use up what belongs to the owner of an e-mail address. */
  private async spendDonor(hit: Hit, { email }: WantedPayment, visitor: Visitor): Promise<void> {
    const donor = donorKeyOf(this.keys, email)?.toString('base64url');
    if (!donor) return;
    const ofDonor = `rate:intent:email:${donor}:${clientAddress(visitor.ip)}`;
    const { allowed, resetSeconds } = await hit(ofDonor, this.config.limits.intentsPerEmail, LONGEST);
    if (!allowed) await this.refuse(visitor, resetSeconds);
  }

  /**
   * The event's budget is first come, first served up to its half. Then an address gets a few, and when all is
   * used up still its first: who has much cannot take what others have not begun to use.
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
   * Refuses, unless the visitor solved a challenge.
   * @throws TooManyRequestsError that asks for a challenge where challenges are configured
   */
  private async refuse(visitor: Visitor, seconds: number): Promise<void> {
    const { siteKey } = this.challenge;
    if (siteKey === undefined) throw tooMany(seconds);
    if (!(await this.challenge.solved(visitor))) throw challengeRequired(siteKey);
  }
}

const ofAddress = (ip: string | undefined) => `rate:intent:address:${clientAddress(ip)}`;

/** How many payments one address may start in a minute, by how much of the event's budget is used. */
const shareOf = (used: number): number => (used <= 0.5 ? Infinity : used <= 1 ? FEW : 1);

const tooMany = (retryAfter: number) =>
  new TooManyRequestsError(retryAfter, 'TOO_MANY_INTENTS', 'Too many payments were started; try again later');

/** Pages show the challenge with the key in the header, and send the answer as `Challenge-Token`. */
const challengeRequired = (siteKey: string) =>
  new TooManyRequestsError(60, 'CHALLENGE_REQUIRED', 'Show that you are a person, then send this again', {
    'Challenge-Site-Key': siteKey,
  });
