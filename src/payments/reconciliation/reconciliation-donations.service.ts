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

/** Asks a provider about PENDING and FAILED donations, and less often about paid and refunded donations. */
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

  /** Checks PENDING and FAILED donations of one provider, oldest first. */
  async unsettled(provider: PaymentProvider, run: ProviderRun): Promise<void> {
    await this.eachUnsettled(run, provider.name, [], async (donation) => {
      await this.unsettledOne(provider, donation, run);
    });
  }

  /**
   * Reports PENDING and FAILED donations of providers that are not configured any more, because the payments cannot
   * be checked.
   */
  async ofOthers(configured: readonly string[], run: ProviderRun): Promise<void> {
    await this.eachUnsettled(run, null, configured, ({ provider }) => {
      throw new Error(`The payment provider ${String(provider)} is not set up on this server`);
    });
  }

  /**
   * Checks paid and refunded donations, because a webhook event about a refund or dispute may be lost. Each donation
   * is checked rarely.
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
    // Without a payment id, the answer to the payment request was lost. The same request returns the payment, because
    // its idempotency key contains the donation id.
    const paymentId =
      donation.payment_id ??
      (await this.intents.createPayment(provider, donation, await this.events.get(donation.event_id)))
        .paymentId;
    const facts = await this.read(provider, paymentId, donation, run);
    // If a donor pays a voucher on its last day, the provider may report the payment several days later. So do not
    // cancel a voucher before this grace period ends.
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
        found: `was ${donation.status}, now ${now.status}`,
        result: 'healed',
      });
    else if (donation.payment_id === null)
      run.findings.push({
        what: 'donation',
        id: donation.id,
        found: 'the payment id was missing',
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
      // After a change of account, all earlier payments are missing. Raise one item for all of them.
      await raiseReviewItem(this.database, {
        kind: 'payment_missing',
        subject: `${provider.name}:earlier payments`,
        donationId: null,
        detail: { problem: 'The account of the current keys does not know payments that were booked' },
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
        found: `was ${donation.status} with ${donation.refunded_amount} refunded, now ${now.status} with ${now.refunded_amount}`,
        result: 'healed',
      });
  }

  /**
   * Reads the payment. For a payment that the provider does not know, it raises a review item and returns undefined.
   */
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
        found: 'the provider does not know the payment',
        result: 'needs attention',
      });
      return undefined;
    }
  }
}
