import { Injectable } from '@nestjs/common';
import { isId } from '../../common/crypto/ids.js';
import { Database } from '../../data/database.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { donationById, donationByPayment } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { captureRefusals, recordCaptureRefusal } from './capture-refusals.js';
import type { PaymentFact, PaymentProvider, PaymentRef } from '../providers/provider-port.js';
import { ProviderRefusedError } from '../providers/provider-errors.js';

/** Captures: who may take the money of an approved payment, and when. */
@Injectable()
export class ApprovedPayments {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
  ) {}

  /**
   * Takes the money because the donor is here and asks for it: allowed after a decline, too. Where paying is one
   * step, the provider is asked whether it was paid.
   * @throws ProviderRefusedError, ProviderUnavailableError
   */
  async take(provider: PaymentProvider, paymentId: string): Promise<PaymentFact[]> {
    if (!provider.capturePayment) return await provider.readPayment(paymentId);
    const { refusals } = await captureRefusals(this.database, provider.name, paymentId);
    const refused = async (reason: string, declined: boolean) => {
      await recordCaptureRefusal(this.database, provider.name, paymentId, refusals, { reason, declined });
    };
    try {
      const facts = await provider.capturePayment(paymentId, refusals);
      const failure = facts.find((fact) => fact.kind === 'failed');
      if (failure) await refused(failure.reason ?? 'declined', true);
      return facts;
    } catch (error) {
      if (error instanceof ProviderRefusedError) await refused(error.reason, false);
      throw error;
    }
  }

  /**
   * What a capture adds to facts that say `approved`. After a decline it takes a new act of the donor: without one
   * the payment stays failed, for the donor may have paid otherwise.
   * @param approvedAt when the donor agreed, where a webhook event says so; reconciliation, which only finds that
   *   the payment is still approved, leaves it out
   * @throws ProviderRefusedError, ProviderUnavailableError
   */
  async follow(
    provider: PaymentProvider,
    facts: readonly PaymentFact[],
    approvedAt?: Date,
  ): Promise<PaymentFact[]> {
    const added: PaymentFact[] = [];
    for (const fact of facts)
      if (fact.kind === 'approved') added.push(...(await this.followOne(provider, fact, approvedAt)));
    return added;
  }

  /** Whether a payment names a donation or an event that exists here: what merely looks like one of ours is none. */
  async isOurs(provider: string, payment: PaymentRef): Promise<boolean> {
    return (
      (await this.donationOf(provider, payment)) !== undefined || (await this.isOfEvent(payment.eventRef))
    );
  }

  private async followOne(
    provider: PaymentProvider,
    { paymentId, donationId, eventRef }: PaymentRef,
    approvedAt: Date | undefined,
  ): Promise<PaymentFact[]> {
    if (!provider.capturePayment) return [];
    const donation = await this.donationOf(provider.name, { paymentId, donationId });
    if (!donation && !(await this.isOfEvent(eventRef))) return [];
    // Money of a cancelled donation is not taken, nor a second time that of a paid one.
    if (donation && (donation.status === 'CANCELLED' || donation.paid_at !== null)) return [];
    const { declined_at: declinedAt, reason } = await captureRefusals(
      this.database,
      provider.name,
      paymentId,
    );
    const since = declinedAt ?? (donation?.status === 'FAILED' ? donation.updated_at : null);
    if (since !== null && !isAfter(approvedAt, since))
      return [{ kind: 'failed', paymentId, ...(reason !== null && { reason }) }];
    return await this.take(provider, paymentId);
  }

  /** The payment's donation, also where its row waits for the payment's id. */
  private async donationOf(
    provider: string,
    { paymentId, donationId }: PaymentRef,
  ): Promise<DonationRow | undefined> {
    const known = await donationByPayment(this.database, provider, paymentId);
    if (known || donationId === undefined || !isId(donationId)) return known;
    const named = await donationById(this.database, donationId);
    return named?.provider === provider && named.payment_id === null ? named : undefined;
  }

  private async isOfEvent(eventRef: string | undefined): Promise<boolean> {
    return eventRef !== undefined && (await this.events.find(eventRef)) !== undefined;
  }
}

/** In whole seconds, as providers write times: the same second is not after. */
const isAfter = (time: Date | undefined, since: Date): boolean =>
  time !== undefined && Math.floor(time.getTime() / 1000) > Math.floor(since.getTime() / 1000);
