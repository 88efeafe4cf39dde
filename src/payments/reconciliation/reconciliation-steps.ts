import { Injectable } from '@nestjs/common';
import type { PaymentProvider } from '../providers/provider-port.js';
import { DonationReconciliation } from './reconciliation-donations.service.js';
import { PayoutReading } from './payout-reading.service.js';
import { ReconciliationFailures } from './reconciliation-failures.js';
import { MethodReading } from './method-reading.service.js';
import { MessageReconciliation } from './reconciliation-messages.service.js';
import { RefundReconciliation } from './reconciliation-refunds.service.js';
import { ProviderRun, type ReconciliationOptions } from './reconciliation-run.js';
import { WebhookSubscriptions } from '../providers/webhook-subscriptions.service.js';
import { WalkReconciliation } from './reconciliation-walk.service.js';

type Step = (run: ProviderRun) => Promise<void>;

/** The steps of a reconciliation run, in order. */
@Injectable()
export class ReconciliationSteps {
  constructor(
    private readonly messages: MessageReconciliation,
    private readonly donations: DonationReconciliation,
    private readonly refunds: RefundReconciliation,
    private readonly walk: WalkReconciliation,
    private readonly payouts: PayoutReading,
    private readonly methods: MethodReading,
    private readonly subscriptions: WebhookSubscriptions,
    private readonly failures: ReconciliationFailures,
  ) {}

  begin(name: string, options: ReconciliationOptions): ProviderRun {
    return new ProviderRun(name, options, this.failures);
  }

  ofProvider(provider: PaymentProvider, { since }: ReconciliationOptions): Step[] {
    return [
      // The walk is first, because it must book a paid payment before a later step cancels the donation as unpaid.
      ...(since ? [(run: ProviderRun) => this.walk.since(provider, since, run)] : []),
      (run) => this.messages.read(provider, run),
      (run) => this.donations.unsettled(provider, run),
      (run) => this.refunds.open(provider, run),
      (run) => this.donations.settled(provider, run),
      // These steps are last, because donations do not depend on them.
      (run) => this.payouts.read(provider, run),
      (run) => this.methods.read(provider, run),
      (run) => this.subscriptionsOf(provider, run),
    ];
  }

  /** Checks the subscriptions once an hour, and in every manual run. */
  private async subscriptionsOf(provider: PaymentProvider, run: ProviderRun): Promise<void> {
    if (!(await this.subscriptions.isDue(provider, run.options.byHand))) return;
    await run.guarded({ what: 'webhooks', id: provider.name }, () => this.subscriptions.read(provider));
  }

  async ofOthers(configured: readonly string[], run: ProviderRun): Promise<void> {
    await this.donations.ofOthers(configured, run);
  }
}
