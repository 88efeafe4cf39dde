import { Injectable } from '@nestjs/common';
import { Database } from '../../data/database.js';
import { donationByPayment } from '../../donations/store/donation-store.js';
import type { BookingOutcome } from '../booking/payment-homes.service.js';
import { PaymentFacts } from '../booking/facts.service.js';
import type { PaymentFact, PaymentProvider, WalkedFacts } from '../providers/provider-port.js';
import { SETTLE_EXPIRED } from './event-reading.sql.js';
import { subjectOf } from '../providers/provider-health.js';
import type { ProviderRun } from './reconciliation-run.js';

/**
 * Reads all payments, refunds and disputes of a provider since a given time ("a walk"), and books the missing facts.
 * A walk needs no webhook events and no donation rows. Use it after a restored backup, or after an outage that is
 * longer than the provider keeps events.
 */
@Injectable()
export class WalkReconciliation {
  constructor(
    private readonly database: Database,
    private readonly facts: PaymentFacts,
  ) {}

  async since(provider: PaymentProvider, since: Date, run: ProviderRun): Promise<void> {
    let foreign = 0;
    const isDone = await run.guarded({ what: 'walk', id: provider.name }, async () => {
      if (!provider.walk) throw new Error('This provider cannot list its payments');
      for await (const walked of provider.walk(since)) {
        const [first] = walked.facts;
        if (!first) {
          foreign++;
          continue;
        }
        run.checked++;
        // A payment that cannot be booked must not stop the reconciliation.
        await run.guarded({ what: 'payment', id: `${provider.name}:${first.paymentId}` }, async () => {
          if (!(await this.book(provider, walked, run))) foreign++;
        });
        if (run.isAway)
          throw new Error(
            'The provider stopped answering during the reconciliation; start the reconciliation again',
          );
      }
    });
    if (isDone) await this.database.query(SETTLE_EXPIRED, [subjectOf(provider.name), since]);
    if (foreign > 0)
      run.findings.push({
        what: 'payment',
        id: provider.name,
        found: `${foreign} payments of other systems`,
        result: 'ignored',
      });
  }

  /** Returns false if the payment is not ours. */
  private async book(provider: PaymentProvider, walked: WalkedFacts, run: ProviderRun): Promise<boolean> {
    const facts = await this.withPayment(provider, walked.facts);
    const outcomes = await this.facts.book(provider, facts, { isReversal: walked.isReversal ?? false });
    outcomes.forEach((outcome, index) => {
      const fact = facts[index];
      if (outcome.kind === 'booked' && fact)
        run.findings.push({
          what: 'payment',
          id: `${provider.name}:${fact.paymentId}`,
          found: `${fact.kind} was not in the books`,
          result: 'healed',
        });
    });
    return outcomes.some((outcome) => isOurs(outcome));
  }

  /**
   * If the payment of a refund or dispute has no donation, also reads the payment. The payment is either missing in
   * our database or not ours.
   */
  private async withPayment(
    provider: PaymentProvider,
    facts: readonly PaymentFact[],
  ): Promise<readonly PaymentFact[]> {
    const [first] = facts;
    if (!first || facts.some(({ kind }) => kind !== 'refund' && kind !== 'dispute')) return facts;
    if (await donationByPayment(this.database, provider.name, first.paymentId)) return facts;
    const all = await provider.readPayment(first.paymentId);
    return all.some((fact) => fact.eventRef !== undefined || fact.donationId !== undefined) ? all : [];
  }
}

const isOurs = ({ kind }: BookingOutcome): boolean => kind !== 'foreign';
