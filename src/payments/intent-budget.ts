import { Injectable } from '@nestjs/common';
import { TrustedNetworks } from '../common/http/trusted-networks.js';
import { TooManyRequestsError } from '../common/errors/domain-errors.js';
import { clientAddress } from '../common/http/client-address.js';
import { KeyRing } from '../common/key-ring.js';
import { AppConfig } from '../config/app-config.js';
import { Counters } from '../redis/counters.js';
import { donorKeyOf } from '../donations/donor-key.js';

const MINUTE = 60;
const EMAIL_WINDOW = 10 * MINUTE;

/** Keeps `POST /donations/intent` from being used to try out stolen cards. */
@Injectable()
export class IntentBudget {
  constructor(
    private readonly config: AppConfig,
    private readonly counters: Counters,
    private readonly networks: TrustedNetworks,
    private readonly keys: KeyRing,
  ) {}

  /** @throws TooManyRequestsError when the address has started too many donations in this minute. */
  async spendAddress(ip: string | undefined): Promise<void> {
    const { intentsPerAddress, trustedFactor } = this.config.limits;
    const limit = this.networks.includes(ip) ? intentsPerAddress * trustedFactor : intentsPerAddress;
    await this.spend(`intent:address:${clientAddress(ip)}`, limit, MINUTE);
  }

  /** @throws TooManyRequestsError when the event, or the e-mail address, has seen too many. */
  async spendDonation(eventId: string, email: string | null): Promise<void> {
    const { intentsPerEvent, intentsPerEmail } = this.config.limits;
    const donor = donorKeyOf(this.keys, email)?.toString('base64url');
    if (donor) await this.spend(`intent:email:${donor}`, intentsPerEmail, EMAIL_WINDOW);
    await this.spend(`intent:event:${eventId}`, intentsPerEvent, MINUTE);
  }

  private async spend(key: string, limit: number, windowSeconds: number): Promise<void> {
    const { allowed, resetSeconds } = await this.counters.hit(`rate:${key}`, limit, windowSeconds);
    if (!allowed)
      throw new TooManyRequestsError(
        resetSeconds,
        'TOO_MANY_INTENTS',
        'Too many payments were started; try again later',
      );
  }
}
