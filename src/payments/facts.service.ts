import { Injectable } from '@nestjs/common';
import type { Actor } from '../common/access/actor.js';
import { isId, newId, timeOfId } from '../common/ids.js';
import { KeyRing } from '../common/key-ring.js';
import { Database, type Transaction } from '../data/database.js';
import { DonationChanges } from '../donations/donation-changes.js';
import type { DonationRow, NamedColumns } from '../donations/donation-columns.js';
import type { LifecycleFact } from '../donations/donation-lifecycle.js';
import { moderationStates } from '../donations/moderation-rules.js';
import { lockDonation, lockDonationOfPayment, lockPayment } from '../donations/donation-store.js';
import { donorKeyOf } from '../donations/donor-key.js';
import { settleReviewItem } from '../review/review-items.js';
import type {
  DisputeFact,
  PaidFact,
  PaymentFact,
  PaymentProvider,
  RefundFact,
  WebhookEvent,
} from './payment-provider.js';
import { type PaymentHome, PaymentHomes } from './payment-homes.service.js';
import { adoptMoneyBack, mergeDispute, mergeRefund, moneyReturned } from './refunds.js';
import { joinCheckoutOf } from './checkouts.js';
import {
  reportDispute,
  reportPaid,
  reportPaidTwice,
  reportRefund,
  reportUnmatched,
} from './review-reports.js';
import { CLAIM, CLOSE } from './webhook-events.sql.js';

/** What became of a fact; kept with the provider's webhook event. */
export type BookingOutcome =
  | { readonly kind: 'booked'; readonly donationId: string }
  | { readonly kind: 'unchanged'; readonly donationId: string }
  /** Kept for the success it belongs to. */
  | { readonly kind: 'kept' }
  /** Not a payment of this service. */
  | { readonly kind: 'foreign' };

/** The provider a fact came from and, for webhook events, its id there. */
interface FactSource {
  readonly provider: string;
  readonly type: 'card' | 'wallet';
  readonly webhookEventId: string | null;
}

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
  async book(provider: PaymentProvider, facts: readonly PaymentFact[]): Promise<BookingOutcome[]> {
    return await this.bookAll(provider, facts, undefined);
  }

  /** Facts of a webhook event; one that was committed before changes nothing and gives undefined. */
  async bookWebhookEvent(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    facts: readonly PaymentFact[],
  ): Promise<BookingOutcome[] | undefined> {
    const outcomes = await this.bookAll(provider, facts, webhookEvent);
    return outcomes.length === 0 && facts.length > 0 ? undefined : outcomes;
  }

  private async bookAll(
    provider: PaymentProvider,
    facts: readonly PaymentFact[],
    webhookEvent: WebhookEvent | undefined,
  ): Promise<BookingOutcome[]> {
    if (facts.length === 0 && !webhookEvent) return [];
    // Read before the transaction: inside it only the books are touched.
    const homes = await Promise.all(facts.map((fact) => this.homes.find(fact)));
    const source = { provider: provider.name, type: provider.type, webhookEventId: webhookEvent?.id ?? null };
    return await this.database.transaction(async (tx) => {
      if (webhookEvent) {
        const claimed = await tx.query(CLAIM, [provider.name, webhookEvent.id, webhookEvent.kind]);
        if (claimed.length === 0) return [];
      }
      const outcomes: BookingOutcome[] = [];
      for (const [index, fact] of facts.entries())
        outcomes.push(await this.bookOne(tx, source, fact, homes[index]));
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
        return donation ? { kind: 'unchanged', donationId: donation.id } : { kind: 'foreign' };
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
    // A second payment that names the same donation is not that donation's payment: it becomes its own donation.
    if (named?.provider !== provider || named.payment_id !== null) return undefined;
    return await this.changes.apply(tx, named, {
      fact: { kind: 'edited' },
      columns: { payment_id: fact.paymentId },
      actor: actor({ provider, webhookEventId: null }),
      reason: null,
    });
  }

  private async bookPaid(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow,
    fact: PaidFact,
  ): Promise<BookingOutcome> {
    if (!this.changes.allows(donation, 'paid')) return await this.bookMore(tx, source, donation, fact);
    const early = await adoptMoneyBack(tx, source.provider, fact.paymentId, donation.id);
    for (const refund of early.refunds) await reportRefund(tx, refund, donation.id);
    for (const dispute of early.disputes) await reportDispute(tx, source.provider, dispute, donation.id);
    const returned = await moneyReturned(tx, source.provider, fact.paymentId, fact.currency);
    await reportPaid(tx, source.provider, fact, donation);
    await reportPaidTwice(tx, source.provider, fact, donation);
    return await this.apply(tx, source, donation, { kind: 'paid', amount: fact.amount, returned }, null, {
      currency: fact.currency,
      capture_id: fact.captureId ?? donation.capture_id,
      paid_at: fact.paidAt,
    });
  }

  /** A payment that is taken in several captures: the later ones are part of the same donation. */
  private async bookMore(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow,
    fact: PaidFact,
  ): Promise<BookingOutcome> {
    if (fact.isGrowing !== true || fact.currency !== donation.currency)
      return { kind: 'unchanged', donationId: donation.id };
    return await this.apply(
      tx,
      source,
      donation,
      { kind: 'grown', amount: fact.amount },
      'a further capture',
    );
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
      return { kind: 'kept' };
    }
    const id = newId();
    const email = fact.donor?.email ?? null;
    const donor = {
      donorName: fact.donor?.name ?? null,
      isAnonymous: fact.donor?.name === undefined || (fact.donor.isAnonymous ?? false),
      message: fact.donor?.message ?? null,
    };
    const given = {
      id,
      event_id: home.event.id,
      amount: fact.amount,
      currency: fact.currency,
      type: source.type,
      donor_name: donor.donorName,
      donor_email: email,
      is_anonymous: donor.isAnonymous,
      message: donor.message,
      ...moderationStates(home.moderate, donor),
      donor_key: donorKeyOf(this.keys, email),
      staff_id: null,
      staff_name: null,
      provider: source.provider,
      payment_id: fact.paymentId,
      expected_amount: null,
      expected_currency: null,
      created_at: timeOfId(id),
    };
    const inserted = await this.changes.begin(tx, given, 'opened', {
      actor: actor(source),
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
    if (donation) await reportRefund(tx, refund, donation.id);
    return await this.applyReturned(tx, source, donation, `refund ${refund.status}`);
  }

  private async bookDispute(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow | undefined,
    fact: DisputeFact,
  ): Promise<BookingOutcome> {
    const dispute = await mergeDispute(tx, source.provider, fact, donation?.id ?? null);
    if (donation) await reportDispute(tx, source.provider, dispute, donation.id);
    return await this.applyReturned(tx, source, donation, `dispute ${dispute.status}`);
  }

  private async applyReturned(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow | undefined,
    reason: string,
  ): Promise<BookingOutcome> {
    const paymentId = donation?.payment_id ?? null;
    if (!donation || paymentId === null) return { kind: 'kept' };
    const returned = await moneyReturned(tx, source.provider, paymentId, donation.currency);
    return await this.apply(tx, source, donation, { kind: 'returned', returned }, reason);
  }

  private async apply(
    tx: Transaction,
    source: FactSource,
    before: DonationRow,
    fact: LifecycleFact,
    reason: string | null,
    columns: NamedColumns = {},
  ): Promise<BookingOutcome> {
    const after = await this.changes.apply(tx, before, { fact, columns, actor: actor(source), reason });
    return { kind: after ? 'booked' : 'unchanged', donationId: before.id };
  }
}

const actor = ({ webhookEventId, provider }: Omit<FactSource, 'type'>): Actor => ({
  kind: 'provider',
  id: webhookEventId ?? provider,
});

function summary(outcomes: readonly BookingOutcome[]): [string, string | null] {
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))];
  const donation = outcomes.find((outcome) => 'donationId' in outcome);
  return [kinds.join('+') || 'ignored', donation && 'donationId' in donation ? donation.donationId : null];
}
