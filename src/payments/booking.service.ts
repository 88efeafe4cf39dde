import { Injectable } from '@nestjs/common';
import { isId, newId, timeOfId } from '../common/ids.js';
import { KeyRing } from '../common/key-ring.js';
import type { Transaction } from '../data/database.js';
import { EventLookup } from '../events/event-lookup.service.js';
import type { EventRecord } from '../events/event-record.js';
import { Outbox } from '../outbox/outbox.js';
import { SettingsService } from '../settings/settings.service.js';
import { settleReviewItem } from '../review/review-items.js';
import { decide, type LifecycleFact } from '../donations/donation-lifecycle.js';
import type { Actor } from '../common/access/actor.js';
import type { DonationRow } from '../donations/donation-row.js';
import {
  appendHistory,
  insertDonation,
  lockDonation,
  lockDonationOfPayment,
  lockPayment,
  updateDonation,
} from '../donations/donations.sql.js';
import { donorKeyOf } from '../donations/donor-key.js';
import { adoptMoneyBack, mergeDispute, mergeRefund, moneyReturned } from './refunds.sql.js';
import type { DisputeFact, PaidFact, PaymentFact, RefundFact } from './payment-provider.js';
import { moveTotals } from '../donations/totals.js';
import { reportDispute, reportPaid, reportRefund, reportUnmatched } from './review-reports.js';

/** What became of a fact; kept with the provider's event. */
export type BookingOutcome =
  | { readonly kind: 'booked'; readonly donationId: string }
  | { readonly kind: 'unchanged'; readonly donationId: string }
  /** Kept for the success it belongs to. */
  | { readonly kind: 'kept' }
  /** Not a payment of this service. */
  | { readonly kind: 'foreign' };

/** The provider a fact came from and, for messages, its id there. */
export interface FactSource {
  readonly provider: string;
  readonly type: 'card' | 'wallet';
  readonly webhookEventId: string | null;
}

/** The event of a payment that has no row, and whether its messages wait for approval. */
export interface PaymentHome {
  readonly event: EventRecord;
  readonly holdsMessages: boolean;
}

/**
 * Brings a provider's facts into the books. Runs inside a transaction of the caller; safe to repeat and to
 * run in any order. Events are looked up before the transaction (`homeOf`), so nothing here leaves it.
 */
@Injectable()
export class BookingService {
  constructor(
    private readonly events: EventLookup,
    private readonly keys: KeyRing,
    private readonly outbox: Outbox,
    private readonly settings: SettingsService,
  ) {}

  /** Where a payment without a row belongs, as its metadata says; read before the transaction. */
  async homeOf(fact: PaymentFact): Promise<PaymentHome | undefined> {
    if (fact.kind !== 'paid' || fact.eventRef === undefined) return undefined;
    const event = await this.events.find(fact.eventRef);
    return (
      event && {
        event,
        holdsMessages: (await this.settings.effective(event.overrides)).live.moderate === 'messages',
      }
    );
  }

  async book(
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
    return await updateDonation(tx, named, { payment_id: fact.paymentId });
  }

  private async bookPaid(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow,
    fact: PaidFact,
  ): Promise<BookingOutcome> {
    if (donation.paid_at !== null) return { kind: 'unchanged', donationId: donation.id };
    const early = await adoptMoneyBack(tx, source.provider, fact.paymentId, donation.id);
    for (const refund of early.refunds) await reportRefund(tx, refund, donation.id);
    for (const dispute of early.disputes) await reportDispute(tx, source.provider, dispute, donation.id);
    const returned = await moneyReturned(tx, source.provider, fact.paymentId, fact.currency);
    await reportPaid(tx, source.provider, fact, donation);
    return await this.apply(tx, source, donation, { kind: 'paid', amount: fact.amount, returned }, null, {
      currency: fact.currency,
      capture_id: fact.captureId ?? donation.capture_id,
      paid_at: fact.paidAt,
    });
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
    const inserted = await insertDonation(tx, {
      id,
      event_id: home.event.id,
      amount: fact.amount,
      currency: fact.currency,
      type: source.type,
      status: 'PENDING',
      donor_name: fact.donor?.name ?? null,
      donor_email: email,
      is_anonymous: fact.donor?.name === undefined || (fact.donor.isAnonymous ?? false),
      message: fact.donor?.message ?? null,
      message_state: home.holdsMessages ? 'held' : 'visible',
      donor_key: donorKeyOf(this.keys, email),
      staff_id: null,
      staff_name: null,
      provider: source.provider,
      payment_id: fact.paymentId,
      capture_id: null,
      expected_amount: null,
      expected_currency: null,
      refunded_amount: 0n,
      paid_at: null,
      receipt_number: null,
      created_at: timeOfId(id),
      updated_at: timeOfId(id),
      completed_at: null,
    });
    await appendHistory(
      tx,
      id,
      null,
      'PENDING',
      actor(source),
      'payment made without an intent of this service',
    );
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

  /** The guarded transition: row, history, outbox and totals in this transaction, or nothing. */
  private async apply(
    tx: Transaction,
    source: FactSource,
    before: DonationRow,
    fact: LifecycleFact,
    reason: string | null,
    also: Partial<DonationRow> = {},
  ): Promise<BookingOutcome> {
    const { path, next } = decide(
      {
        status: before.status,
        paid: before.paid_at !== null,
        amount: before.amount,
        refunded: before.refunded_amount,
      },
      fact,
    );
    if (path.length === 0 && next.refunded === before.refunded_amount)
      return { kind: 'unchanged', donationId: before.id };
    const completes = path.includes('COMPLETED') && before.completed_at === null;
    const after = await updateDonation(tx, before, {
      ...also,
      status: next.status,
      amount: next.amount,
      refunded_amount: next.refunded,
      completed_at: completes ? new Date() : before.completed_at,
    });
    let from = before.status;
    for (const to of path) {
      await appendHistory(tx, before.id, from, to, actor(source), reason);
      from = to;
    }
    if (path.length === 0) await appendHistory(tx, before.id, from, from, actor(source), reason);
    await this.announce(tx, before, after, completes);
    await moveTotals(tx, before, after);
    return { kind: 'booked', donationId: before.id };
  }

  /** `donation.created` once, when it first completes; what follows is an update or a retraction. */
  private async announce(
    tx: Transaction,
    before: DonationRow,
    after: DonationRow,
    completes: boolean,
  ): Promise<void> {
    const append = (topic: 'donation.created' | 'donation.updated' | 'donation.retracted') =>
      this.outbox.append(tx, { topic, eventId: after.event_id, donationId: after.id });
    if (completes) await append('donation.created');
    if (after.status !== 'COMPLETED' && (before.status === 'COMPLETED' || completes))
      await append('donation.retracted');
    else if (after.status === 'COMPLETED' && !completes) await append('donation.updated');
  }
}

const actor = (source: FactSource): Actor => ({
  kind: 'provider',
  id: source.webhookEventId ?? source.provider,
});
