import { Injectable } from '@nestjs/common';
import { firstIdAt } from '../../common/crypto/ids.js';
import { Database } from '../../data/database.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { donationById } from '../../donations/store/donation-store.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { raiseReviewItem, settleReviewItem } from '../../review/review-items.js';
import { ApprovedPayments } from '../booking/approved-payments.service.js';
import { cancelUnlessUnderWay } from '../refunds/cancel-payment.js';
import { PaymentFacts } from '../booking/facts.service.js';
import { IntentsService } from '../intents/intents.service.js';
import type { PaymentFact, PaymentProvider } from '../providers/provider-port.js';
import { isMissing, ProviderUnavailableError } from '../providers/provider-errors.js';
import type { ProviderRun } from './reconciliation-run.js';
import { SETTLED_DUE, UNSETTLED } from './reconciliation.sql.js';

const VOUCHER_GRACE = 3 * 24 * 60 * 60_000;

/** Asks a provider about donations: those that are not settled, and now and then those that are. */
@Injectable()
export class DonationReconciliation {
  constructor(
    private readonly database: Database,
    private readonly facts: PaymentFacts,
    private readonly changes: DonationChanges,
    private readonly intents: IntentsService,
    private readonly approved: ApprovedPayments,
    private readonly events: EventLookup,
  ) {}

  /** PENDING and FAILED donations of one provider, the oldest first. */
  async unsettled(provider: PaymentProvider, run: ProviderRun): Promise<void> {
    await this.eachUnsettled(run, provider.name, [], async (donation) => {
      await this.unsettledOne(provider, donation, run);
    });
  }

  /** Donations of providers that have lost their keys: nobody can be asked. */
  async ofOthers(configured: readonly string[], run: ProviderRun): Promise<void> {
    await this.eachUnsettled(run, null, configured, ({ provider }) => {
      throw new Error(`The payment provider ${String(provider)} is not set up on this server`);
    });
  }

  /**
   * Settled donations, rarely: a refund or dispute of which no message came would else stay unknown for ever.
   */
  async settled(provider: PaymentProvider, run: ProviderRun): Promise<void> {
    const rows = await this.database.query<DonationRow>(SETTLED_DUE, [provider.name]);
    await run.each(rows, async (donation) => {
      const answered = await run.guarded({ what: 'payment', id: donation.id, donationId: donation.id }, () =>
        this.settledOne(provider, donation, run),
      );
      await this.changes.scheduleCheck(this.database, donation.id, answered);
    });
  }

  private async eachUnsettled(
    run: ProviderRun,
    provider: string | null,
    others: readonly string[],
    work: (donation: DonationRow) => Promise<void>,
  ): Promise<void> {
    const { settleAfterMs, byHand } = run.options;
    const before = firstIdAt(new Date(Date.now() - settleAfterMs));
    for (let after = firstIdAt(new Date(0)); ;) {
      const rows = await this.database.query<DonationRow>(UNSETTLED, [
        before,
        after,
        byHand,
        provider,
        others,
      ]);
      await run.each(rows, async (donation) => {
        await run.guarded({ what: 'donation', id: donation.id, donationId: donation.id }, async () => {
          await work(donation);
        });
        await this.changes.markChecked(this.database, donation.id);
      });
      const last = rows.at(-1);
      if (!last || !byHand || run.isAway) return;
      after = last.id;
    }
  }

  private async unsettledOne(
    provider: PaymentProvider,
    donation: DonationRow,
    run: ProviderRun,
  ): Promise<void> {
    const expired = donation.created_at.getTime() < Date.now() - run.options.expireAfterMs;
    // The answer to the payment's creation was lost: the key made from the donation's id finds it again.
    const paymentId =
      donation.payment_id ??
      (await this.intents.createPayment(provider, donation, await this.events.get(donation.event_id)))
        .paymentId;
    const facts = await this.read(provider, paymentId, donation, run);
    // A voucher paid on its last day is reported days later.
    if (expired)
      await this.facts.book(
        provider,
        await cancelUnlessUnderWay(provider, paymentId, new Date(Date.now() - VOUCHER_GRACE)),
      );
    else if (facts)
      await this.facts.book(provider, [...facts, ...(await this.approved.follow(provider, facts))]);
    const now = await donationById(this.database, donation.id);
    if (now && now.status !== donation.status)
      run.findings.push({
        what: 'donation',
        id: donation.id,
        found: `${donation.status}, in truth ${now.status}`,
        result: 'healed',
      });
    else if (donation.payment_id === null)
      run.findings.push({
        what: 'donation',
        id: donation.id,
        found: 'its payment was not recorded',
        result: 'healed',
      });
  }

  private async settledOne(
    provider: PaymentProvider,
    donation: DonationRow,
    run: ProviderRun,
  ): Promise<void> {
    if (donation.payment_id === null) return;
    let facts: PaymentFact[];
    try {
      facts = await provider.readPayment(donation.payment_id);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // After a change of account that is every earlier payment: one item, not one for each.
      await raiseReviewItem(this.database, {
        kind: 'payment_missing',
        subject: `${provider.name}:earlier payments`,
        donationId: null,
        detail: { problem: 'payments that were booked are unknown to the account of the present keys' },
      });
      return;
    }
    await settleReviewItem(this.database, 'payment_missing', `${provider.name}:${donation.payment_id}`);
    await this.facts.book(provider, facts);
    const now = await donationById(this.database, donation.id);
    if (now && (now.status !== donation.status || now.refunded_amount !== donation.refunded_amount))
      run.findings.push({
        what: 'donation',
        id: donation.id,
        found: `${donation.status} with ${donation.refunded_amount} given back, in truth ${now.status} with ${now.refunded_amount}`,
        result: 'healed',
      });
  }

  /** What the provider says; undefined for a payment that it does not know, which a person has to look at. */
  private async read(
    provider: PaymentProvider,
    paymentId: string,
    donation: DonationRow,
    run: ProviderRun,
  ): Promise<PaymentFact[] | undefined> {
    const subject = `${provider.name}:${paymentId}`;
    try {
      const facts = await provider.readPayment(paymentId);
      await settleReviewItem(this.database, 'payment_missing', subject);
      return facts;
    } catch (error) {
      if (error instanceof ProviderUnavailableError || !isMissing(error)) throw error;
      await raiseReviewItem(this.database, {
        kind: 'payment_missing',
        subject,
        donationId: donation.id,
        detail: { problem: error.reason },
      });
      run.findings.push({
        what: 'donation',
        id: donation.id,
        found: 'its payment is unknown to the provider',
        result: 'needs a person',
      });
      return undefined;
    }
  }
}
