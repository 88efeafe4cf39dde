import { Injectable } from '@nestjs/common';
import { Database } from '../../data/database.js';
import { donationById } from '../../donations/store/donation-store.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { CancellationService } from '../refunds/cancellation.service.js';
import { PaymentFacts } from '../booking/facts.service.js';
import type { PaymentProvider } from '../providers/provider-port.js';
import { ProviderRefusedError } from '../providers/provider-errors.js';
import type { ProviderRun } from './reconciliation-run.js';
import { OPEN_REFUNDS, REFUND_BY_ID, REFUND_TRIED } from './reconciliation.sql.js';
import type { RefundRow } from '../booking/refunds.sql.js';
import { reportRefund } from '../booking/review-reports.js';

/** Sends stored refunds again, or asks the provider about their status. */
@Injectable()
export class RefundReconciliation {
  constructor(
    private readonly database: Database,
    private readonly facts: PaymentFacts,
    private readonly cancellation: CancellationService,
  ) {}

  async open(provider: PaymentProvider, run: ProviderRun): Promise<void> {
    const settled = new Date(Date.now() - run.options.settleAfterMs);
    const refunds = await this.database.query<RefundRow>(OPEN_REFUNDS, [settled, provider.name]);
    await run.each(refunds, async (refund) => {
      const { id, donation_id: donationId } = refund;
      const done = await run.guarded({ what: 'refund', id, donationId }, async () => {
        const status = await this.settle(provider, refund);
        if (status === undefined || status === refund.status) return;
        const result =
          status === 'succeeded' ? 'healed' : status === 'pending' ? 'waiting' : 'needs attention';
        run.findings.push({ what: 'refund', id, found: `was ${refund.status}, now ${status}`, result });
      });
      if (!done) await this.database.query(REFUND_TRIED, [id]);
    });
  }

  private async settle(provider: PaymentProvider, refund: RefundRow): Promise<string | undefined> {
    const donation =
      refund.donation_id === null ? undefined : await donationById(this.database, refund.donation_id);
    if (!donation) return undefined;
    if (refund.provider_refund_id === null) return await this.send(donation, refund);
    const fact = await provider.readRefund(refund.provider_refund_id, { paymentId: refund.payment_id });
    await this.facts.book(provider, [fact]);
    return fact.status;
  }

  /**
   * Sends a refund. If the provider refuses it permanently, the refund fails and gets its own review item. This does not
   * count as a failure of reconciliation.
   */
  private async send(donation: DonationRow, refund: RefundRow): Promise<string> {
    try {
      return (await this.cancellation.sendRefund(donation, refund)).status;
    } catch (error) {
      if (!(error instanceof ProviderRefusedError)) throw error;
      const [now] = await this.database.query<RefundRow>(REFUND_BY_ID, [refund.id]);
      if (now?.status !== 'failed') throw error;
      await this.database.transaction((tx) => reportRefund(tx, now, donation.id));
      return now.status;
    }
  }
}
