import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { SYSTEM } from '../../common/access/principal.js';
import { InvalidInputError } from '../../common/errors/domain-errors.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database, type Transaction } from '../../data/database.js';
import { withInstanceLock } from '../../data/instance-lock.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import { donationById, lockDonation } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { isPublicStatus } from '../../events/event-status.js';
import { Mailer } from '../../mail/mailer.service.js';
import { PaymentFacts } from '../../payments/booking/facts.service.js';
import { joinPledge } from '../../payments/booking/pledge-payments.js';
import { keepProviderRequest } from '../../payments/intents/intents.service.js';
import { MissingRightError, ProviderRefusedError } from '../../payments/providers/provider-errors.js';
import { PaymentProviders } from '../../payments/providers/payment-providers.js';
import type {
  CardChargeRequest,
  PaymentFact,
  PaymentProvider,
} from '../../payments/providers/provider-port.js';
import { cancelUnlessUnderWay } from '../../payments/refunds/cancel-payment.js';
import { SettingsService } from '../../settings/settings.service.js';
import { isOpenPledge } from '../payment-links.service.js';
import {
  CLAIM_CHARGE,
  type ClaimedCharge,
  type DueCharge,
  END_BATCHES,
  LOCK_CARD_OF_CHARGE,
  LOCK_CHARGE,
  type LockedCharge,
  NEXT_CHARGE,
  OTHER_PAYMENTS,
  POSTPONE_CHARGE,
  SETTLE_CHARGE,
  SHARE_BATCH,
  SKIP_CHARGE,
  SKIP_WITHOUT_NOTICE,
  TRY_CHARGE,
} from './card-charges.sql.js';
import { chargedDonation } from './charged-donation.js';
import { ChargePace } from './charge-pace.js';

/** Charges of one run. Then the lock is free, so that another process can continue. */
const MOST = 600;

interface OtherPayment {
  readonly id: string;
  readonly provider: string | null;
  readonly payment_id: string | null;
}

/** Result of a claim: the pledge may be charged, it is left out, or a donor is paying it. */
type Claim = 'claimed' | 'over' | 'waits';

/**
 * Charges saved cards a day after the notice. Each pledge is claimed in a transaction that checks everything the guest agreed to, and
 * that writes the donation of the charge. Only then the provider is asked, under a key made from the pledge. After a crash or a lost
 * answer, the provider is asked about this charge; nothing is assumed (decision 89).
 */
@Injectable()
export class CardCharges {
  private readonly logger = new Logger(CardCharges.name);

  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly changes: DonationChanges,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly mailer: Mailer,
    private readonly pace: ChargePace,
  ) {}

  /** Works on all due charges, one after another. Returns the number of calls to charge a card. */
  @Cron('*/10 * * * * *')
  async run(): Promise<number> {
    return (await withInstanceLock(this.database.pool, 'card-charges', () => this.work())) ?? 0;
  }

  /** The work of `run` without the lock. Two processes that do it at the same time still charge each pledge once. */
  async work(): Promise<number> {
    await this.database.query(SKIP_WITHOUT_NOTICE);
    let charged = 0;
    for (let count = 0; count < MOST; count += 1) {
      const [due] = await this.database.query<DueCharge>(NEXT_CHARGE);
      if (!due) break;
      if (await this.one(due)) charged += 1;
    }
    await this.database.query(END_BATCHES);
    return charged;
  }

  /** @returns true if a card was charged, or a lost answer was asked for */
  private async one(due: DueCharge): Promise<boolean> {
    const { pledge_id: pledgeId } = due;
    try {
      if (due.state === 'announced' && !(await this.isClaimed(due))) return false;
      return await this.charge(pledgeId);
    } catch (error) {
      // The claim, or the try, has set the time of the next try.
      this.logger.warn({ msg: 'Charge of a saved card has no result yet', pledge: pledgeId, err: error });
      if (due.state === 'announced') await this.database.query(POSTPONE_CHARGE, [pledgeId]);
      return true;
    }
  }

  private async isClaimed(due: DueCharge): Promise<boolean> {
    // A payment link that is open in a browser is cancelled first, so that the donor cannot pay while the card is charged.
    const others = await this.database.query<OtherPayment>(OTHER_PAYMENTS, [due.pledge_id]);
    for (const other of others) await this.cancel(other);
    const claim = await this.claim(due);
    if (claim === 'waits') await this.database.query(POSTPONE_CHARGE, [due.pledge_id]);
    return claim === 'claimed';
  }

  private async cancel({ provider: name, payment_id: paymentId }: OtherPayment): Promise<void> {
    if (name === null || paymentId === null) return;
    const provider = this.providers.ofDonation(name);
    await this.facts.book(provider, await cancelUnlessUnderWay(provider, paymentId, new Date()));
  }

  private async claim({ pledge_id: pledgeId, batch_id: batchId }: DueCharge): Promise<Claim> {
    const eventId = await this.eventOf(pledgeId);
    const event = eventId === undefined ? undefined : await this.events.find(eventId);
    if (!event) return 'over';
    const { live } = await this.settings.effective(event.overrides);
    return await this.database.transaction(async (tx): Promise<Claim> => {
      const [batch] = await tx.query<{ state: string }>(SHARE_BATCH, [batchId]);
      if (batch?.state !== 'announced') return 'over';
      const pledge = await lockDonation(tx, pledgeId);
      if (!pledge) return 'over';
      await tx.query(LOCK_CARD_OF_CHARGE, [pledgeId]);
      const [charge] = await tx.query<LockedCharge>(LOCK_CHARGE, [pledgeId]);
      if (charge && charge.state !== 'announced') return 'over';
      const reason = !isOpenPledge(pledge)
        ? 'not_open'
        : !isPublicStatus(event.status)
          ? 'event_over'
          : obstacleOf(charge, pledge);
      if (reason !== undefined || !charge) {
        await tx.query(SKIP_CHARGE, [pledgeId, reason ?? 'guest_deleted']);
        return 'over';
      }
      if (charge.notice === 'early' || (await tx.query(OTHER_PAYMENTS, [pledgeId])).length > 0)
        return 'waits';
      const { provider, amount, currency, email, text_language: language } = charge;
      const given = chargedDonation(
        this.keys,
        pledge,
        { provider, amount, currency, email, language },
        live.moderate,
      );
      const donation = this.changes.begin(tx, given, 'opened', { actor: SYSTEM });
      await joinPledge(tx, donation.id, pledge);
      tx.write(CLAIM_CHARGE, [pledgeId, donation.id], 1);
      return 'claimed';
    });
  }

  /** Asks the provider for a claimed charge, books the answer, and ends the charge if the payment has an end. */
  private async charge(pledgeId: string): Promise<boolean> {
    const [claimed] = await this.database.query<ClaimedCharge>(TRY_CHARGE, [pledgeId]);
    if (!claimed) return false;
    if (claimed.status !== 'PENDING') {
      // A webhook event was faster.
      await this.settle(pledgeId);
      return false;
    }
    const provider = this.providers.ofDonation(claimed.provider);
    try {
      await this.pace.next();
      await this.facts.book(provider, await this.answerOf(provider, claimed));
    } catch (error) {
      const isFinal = error instanceof ProviderRefusedError || error instanceof InvalidInputError;
      if (!isFinal || error instanceof MissingRightError) throw error;
      await this.refused(
        claimed.donation_id,
        error instanceof ProviderRefusedError ? error.reason : error.code,
      );
    }
    await this.settle(pledgeId);
    return true;
  }

  /** After an earlier try, the provider is asked first, because it may have forgotten the key of that try. */
  private async answerOf(provider: PaymentProvider, claimed: ClaimedCharge): Promise<PaymentFact[]> {
    const { customer_id: customerId, method_id: methodId, donation_id: donationId } = claimed;
    if (!provider.chargeCard || !provider.chargeBodyOf || customerId === null || methodId === null)
      throw new ProviderRefusedError('card_missing');
    if (claimed.tries > 1) {
      const found = await provider.findCharge?.(customerId, donationId);
      if (found) return found;
    }
    const request: CardChargeRequest = {
      pledgeId: claimed.pledge_id,
      donationId,
      eventId: claimed.event_id,
      amount: claimed.amount,
      currency: claimed.currency,
      customerId,
      methodId,
    };
    const key = `ready:${claimed.pledge_id}`;
    const body = await keepProviderRequest(this.database, provider.name, key, provider.chargeBodyOf(request));
    return await provider.chargeCard({ ...request, body });
  }

  /** The provider refused the request itself, so no money can arrive. */
  private async refused(donationId: string, reason: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const donation = await lockDonation(tx, donationId);
      if (donation?.status !== 'PENDING') return;
      const cause = { kind: 'payment_refused', code: reason } as const;
      this.changes.apply(tx, donation, { fact: { kind: 'cancelled' }, actor: SYSTEM, cause });
    });
  }

  private async settle(pledgeId: string): Promise<void> {
    await this.database.transaction(async (tx: Transaction) => {
      const [settled] = await tx.query<{ state: string }>(SETTLE_CHARGE, [pledgeId]);
      if (settled?.state === 'failed') this.mailer.enqueueChargeFailed(tx, pledgeId);
    });
  }

  private async eventOf(pledgeId: string): Promise<string | undefined> {
    return (await donationById(this.database, pledgeId))?.event_id;
  }
}

/** Returns the reason why a pledge must not be charged now; undefined if everything is as the guest agreed to and was announced. */
function obstacleOf(
  charge: LockedCharge | undefined,
  pledge: { readonly amount: bigint; readonly currency: string },
): string | undefined {
  if (!charge) return 'guest_deleted';
  if (charge.card_state !== 'ready') return 'card_deleted';
  if (charge.amount !== pledge.amount || charge.currency !== pledge.currency) return 'amount_changed';
  if (charge.obstacle !== null) return charge.obstacle;
  if (!charge.is_within_limit) return 'limit';
  if (charge.notice === 'missing') return 'notice_failed';
  return charge.notice === 'old' ? 'notice_old' : undefined;
}
