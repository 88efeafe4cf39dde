import { Injectable } from '@nestjs/common';
import { isId, newId, timeOfId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database, type Transaction } from '../../data/database.js';
import { type DonationChange, DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import type { DonationRow, NamedColumns } from '../../donations/store/donation-columns.js';
import { NO_DETAILS, NOT_AT_A_TERMINAL } from '../../donations/recording/new-donation.js';
import { lockDonation, lockDonationOfPayment, lockPayment } from '../../donations/store/donation-store.js';
import { settleReviewItem } from '../../review/review-items.js';
import type {
  DisputeFact,
  PaidFact,
  PaymentFact,
  PaymentProvider,
  RefundFact,
  WebhookEvent,
} from '../providers/provider-port.js';
import {
  actorOfFact,
  type BookingContext,
  type BookingOutcome,
  type FactSource,
  summary,
  type PaymentHome,
  PaymentHomes,
} from './payment-homes.service.js';
import { joinCheckoutOf } from './checkouts.js';
import { donorOfPayment } from './payment-donor.js';
import { adoptDisputes, mergeDispute } from './disputes.js';
import { knownOf } from './known-of-payment.js';
import { alertOn } from './payment-alerts.js';
import { settlePledge } from './pledge-payments.js';
import { adoptRefunds, mergeRefund, moneyReturned } from './refunds.js';
import {
  reportDispute,
  reportPaid,
  reportPaidTwice,
  reportRefund,
  reportRefundStatus,
  reportReversal,
  reportUnknownPayment,
  reportUnmatched,
  settleReturned,
  settleUnmatched,
} from './review-reports.js';
import { CLAIM, CLOSE, CLOSE_OPEN } from './webhook-events.sql.js';

/**
 * Brings the facts of providers into the books: one transaction for all facts of one webhook event or answer.
 * Safe to repeat and to run in any order.
 */
@Injectable()
export class PaymentFacts {
  constructor(
    private readonly database: Database,
    private readonly changes: DonationChanges,
    private readonly homes: PaymentHomes,
    private readonly keys: KeyRing,
  ) {}

  /** Facts from an answer of the provider to a call of ours. Returns what became of each. */
  async book(
    provider: PaymentProvider,
    facts: readonly PaymentFact[],
    context: BookingContext = {},
  ): Promise<BookingOutcome[]> {
    return await this.bookAll(provider, facts, undefined, context);
  }

  /** Facts of a webhook event; one that was committed before changes nothing and gives undefined. */
  async bookWebhookEvent(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    facts: readonly PaymentFact[],
  ): Promise<BookingOutcome[] | undefined> {
    const outcomes = await this.bookAll(provider, facts, webhookEvent, webhookEvent);
    return outcomes.length === 0 && facts.length > 0 ? undefined : outcomes;
  }

  private async bookAll(
    provider: PaymentProvider,
    facts: readonly PaymentFact[],
    webhookEvent: WebhookEvent | undefined,
    { isReversal = false, also }: BookingContext,
  ): Promise<BookingOutcome[]> {
    if (facts.length === 0 && !webhookEvent) return [];
    // Read before the transaction: inside it only the books are touched.
    const homes = await Promise.all(facts.map((fact) => this.homes.find(fact)));
    const source = {
      provider: provider.name,
      type: provider.type,
      webhookEventId: webhookEvent?.id ?? null,
      isReversal,
    };
    return await this.database.transaction(async (tx) => {
      if (webhookEvent) {
        const claimed = await tx.query(CLAIM, [provider.name, webhookEvent.id, webhookEvent.kind]);
        if (claimed.length === 0) return [];
      }
      const outcomes: BookingOutcome[] = [];
      for (const [index, fact] of facts.entries()) {
        const home = homes[index];
        const outcome = await this.bookOne(tx, source, fact, home);
        await alertOn(tx, fact, { provider: provider.name, outcome, home });
        outcomes.push(outcome);
      }
      await also?.(tx);
      if (webhookEvent) await tx.query(CLOSE, [provider.name, webhookEvent.id, ...summary(outcomes)]);
      return outcomes;
    });
  }

  private async bookOne(
    tx: Transaction,
    source: FactSource,
    fact: PaymentFact,
    home: PaymentHome | undefined,
  ): Promise<BookingOutcome> {
    const donation = await this.lock(tx, source, fact);
    switch (fact.kind) {
      case 'approved':
      case 'processing':
      case 'fraud_warning':
        return donation ? { kind: 'unchanged', donationId: donation.id } : { kind: 'foreign' };
      case 'unknown':
        if (!donation) return { kind: 'foreign' };
        await reportUnknownPayment(tx, source.provider, fact, donation.id);
        return { kind: 'unchanged', donationId: donation.id };
      case 'failed':
      case 'cancelled':
        if (!donation) return { kind: 'foreign' };
        return await this.apply(
          tx,
          source,
          donation,
          { kind: fact.kind },
          fact.kind === 'failed' ? (fact.reason ?? null) : null,
        );
      case 'paid':
        return donation
          ? await this.bookPaid(tx, source, donation, fact)
          : await this.bookUnknown(tx, source, fact, home);
      case 'refund':
        return await this.bookRefund(tx, source, donation, fact);
      case 'dispute':
        return await this.bookDispute(tx, source, donation, fact);
    }
  }

  /** The payment's donation under lock, the payment written on it if it was not yet. */
  private async lock(
    tx: Transaction,
    { provider }: FactSource,
    fact: PaymentFact,
  ): Promise<DonationRow | undefined> {
    const known = await lockDonationOfPayment(tx, provider, fact.paymentId);
    if (known) return known;
    // Nothing to lock yet: messages about one unknown payment still have to go one after the other, or a
    // refund could be kept at the very moment its success finds no refund.
    await lockPayment(tx, provider, fact.paymentId);
    const since = await lockDonationOfPayment(tx, provider, fact.paymentId);
    if (since || fact.donationId === undefined || !isId(fact.donationId)) return since;
    const named = await lockDonation(tx, fact.donationId);
    if (named?.provider !== provider) return undefined;
    // Its intent takes no lock of the payment: it may have written the payment on it since we looked.
    if (named.payment_id === fact.paymentId) return named;
    // A second payment that names the same donation is not that donation's payment: it becomes its own donation.
    if (named.payment_id !== null) return undefined;
    return await this.changes.apply(tx, named, {
      fact: { kind: 'edited' },
      columns: { payment_id: fact.paymentId },
      actor: actorOfFact({ provider, webhookEventId: null }),
      reason: null,
    });
  }

  private async bookPaid(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow,
    fact: PaidFact,
  ): Promise<BookingOutcome> {
    const fee = fact.fee ? { fee: fact.fee.amount, fee_currency: fact.fee.currency } : {};
    if (!this.changes.allows(donation, 'paid')) return await this.bookMore(tx, source, donation, fact, fee);
    const known = await knownOf(tx, source.provider, fact.paymentId, donation.id);
    if (known.events) await tx.query(CLOSE_OPEN, [source.provider, fact.paymentId, donation.id]);
    const returned = known.returns ? await this.bookEarlierReturns(tx, source, donation, fact) : 0n;
    await reportPaid(tx, source.provider, fact, donation);
    await reportPaidTwice(tx, source.provider, fact, donation, known.checkout);
    const outcome = await this.apply(
      tx,
      source,
      donation,
      { kind: 'paid', amount: fact.amount, returned },
      null,
      {
        currency: fact.currency,
        capture_id: fact.captureId ?? donation.capture_id,
        paid_at: fact.paidAt,
        ...fee,
      },
    );
    if (known.pledge) await settlePledge(tx, this.changes, donation, fact.paymentId, actorOfFact(source));
    return outcome;
  }

  /** What came before the payment it belongs to. Returns what is given back by now, minor units. */
  private async bookEarlierReturns(
    tx: Transaction,
    { provider }: FactSource,
    { id }: DonationRow,
    { paymentId, currency }: PaidFact,
  ): Promise<bigint> {
    for (const refund of await adoptRefunds(tx, provider, paymentId, id)) await reportRefund(tx, refund, id);
    for (const dispute of await adoptDisputes(tx, provider, paymentId, id))
      await reportDispute(tx, provider, paymentId, dispute, id);
    return await moneyReturned(tx, provider, paymentId, currency);
  }

  /** What a later reading adds: a further capture of the same payment, and the fee, which providers say late. */
  private async bookMore(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow,
    fact: PaidFact,
    fee: NamedColumns,
  ): Promise<BookingOutcome> {
    if (fact.isGrowing !== true || fact.currency !== donation.currency) {
      await this.apply(tx, source, donation, { kind: 'edited' }, null, fee);
      return { kind: 'unchanged', donationId: donation.id };
    }
    const grown = { kind: 'grown', amount: fact.amount } as const;
    return await this.apply(tx, source, donation, grown, 'a further capture', fee);
  }

  /** A paid payment without a row: a checkout page made it, or our row was lost. It becomes a donation. */
  private async bookUnknown(
    tx: Transaction,
    source: FactSource,
    fact: PaidFact,
    home: PaymentHome | undefined,
  ): Promise<BookingOutcome> {
    if (!home) {
      if (fact.eventRef === undefined && fact.donationId === undefined) return { kind: 'foreign' };
      await reportUnmatched(tx, source.provider, fact);
      return { kind: 'unmatched', paymentId: fact.paymentId };
    }
    const id = newId();
    const given = {
      id,
      event_id: home.event.id,
      amount: fact.amount,
      currency: fact.currency,
      type: source.type,
      ...(await donorOfPayment(tx, this.keys, fact, home.moderate)),
      staff_id: null,
      staff_name: null,
      provider: source.provider,
      payment_id: fact.paymentId,
      expected_amount: null,
      expected_currency: null,
      ...NO_DETAILS,
      created_at: timeOfId(id),
      ...NOT_AT_A_TERMINAL,
    };
    const inserted = await this.changes.begin(tx, given, 'opened', {
      actor: actorOfFact(source),
      reason: 'payment made without an intent of this service',
    });
    if (fact.donationId !== undefined) await joinCheckoutOf(tx, inserted.id, fact.donationId);
    await settleReviewItem(tx, 'unmatched_payment', `${source.provider}:${fact.paymentId}`);
    return await this.bookPaid(tx, source, inserted, fact);
  }

  private async bookRefund(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow | undefined,
    fact: RefundFact,
  ): Promise<BookingOutcome> {
    const refund = await mergeRefund(tx, source.provider, fact, donation?.id ?? null);
    if (donation) {
      await reportRefund(tx, refund, donation.id);
      await reportRefundStatus(tx, source.provider, fact, donation.id);
    } else await settleUnmatched(tx, source.provider, fact.paymentId);
    if (donation && source.isReversal && fact.refundId === undefined && refund.status === 'succeeded')
      await reportReversal(tx, source.provider, fact, donation.id);
    return await this.applyReturned(tx, source, donation, fact.paymentId, `refund ${refund.status}`);
  }

  private async bookDispute(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow | undefined,
    fact: DisputeFact,
  ): Promise<BookingOutcome> {
    const { dispute, isNews } = await mergeDispute(tx, source.provider, fact, donation?.id ?? null);
    if (donation) await reportDispute(tx, source.provider, fact.paymentId, dispute, donation.id);
    const outcome = await this.applyReturned(
      tx,
      source,
      donation,
      fact.paymentId,
      `dispute ${dispute.status}`,
    );
    return isNews && outcome.kind === 'unchanged' ? { ...outcome, kind: 'booked' } : outcome;
  }

  private async applyReturned(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow | undefined,
    paymentId: string,
    reason: string,
  ): Promise<BookingOutcome> {
    if (!donation) return { kind: 'kept', paymentId };
    const returned = await moneyReturned(tx, source.provider, paymentId, donation.currency);
    const outcome = await this.apply(tx, source, donation, { kind: 'returned', returned }, reason);
    await settleReturned(tx, donation.id);
    return outcome;
  }

  private async apply(
    tx: Transaction,
    source: FactSource,
    before: DonationRow,
    fact: DonationChange['fact'],
    reason: string | null,
    columns: NamedColumns = {},
  ): Promise<BookingOutcome> {
    const after = await this.changes.apply(tx, before, { fact, columns, actor: actorOfFact(source), reason });
    return { kind: after ? 'booked' : 'unchanged', donationId: before.id };
  }
}
