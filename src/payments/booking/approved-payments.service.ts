import { Injectable } from '@nestjs/common';
import { isId } from '../../common/crypto/ids.js';
import { Database } from '../../data/database.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { donationById, donationByPayment } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { captureRefusals, recordCaptureRefusal } from './capture-refusals.js';
import type { PaymentFact, PaymentProvider, PaymentRef } from '../providers/provider-port.js';
import { ProviderRefusedError } from '../providers/provider-errors.js';

/** Decides if an approved payment may be captured, and captures it. */
@Injectable()
export class ApprovedPayments {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
  ) {}

  /**
   * Captures the payment at the donor's request, also after a decline. If the provider has no capture step, this
   * method only reads the payment.
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
   * Captures approved payments and returns the new facts. After a decline, the donor must approve again, because the
   * donor may have paid in another way meanwhile.
   * @param approvedAt time of the approval from a webhook event; undefined in reconciliation, which does not know
   *   this time
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

  /** True if the payment refers to a donation or an event in this database. */
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
    // Do not capture a payment of a cancelled donation, or of one that is already paid.
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

  /** Returns the donation of the payment, also if its row does not have the payment id yet. */
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

/** Compares whole seconds, because providers write times in seconds. Two times in the same second count as equal. */
const isAfter = (time: Date | undefined, since: Date): boolean =>
  time !== undefined && Math.floor(time.getTime() / 1000) > Math.floor(since.getTime() / 1000);
