import { Injectable } from '@nestjs/common';
import { isId, newId, timeOfId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import type { Transaction } from '../../data/database.js';
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
} from './payment-homes.service.js';
import { joinCheckoutOf } from './checkouts.js';
import { donorOfPayment } from './payment-donor.js';
import { adoptDisputes, mergeDispute } from './disputes.js';
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
import { CLAIM, CLOSE_OPEN, KNOWN_OF_PAYMENT } from './booking.sql.js';

/** A fact of the payment: its donation under lock, and what else there is, where it was read. */
interface Found {
  readonly donation: DonationRow | undefined;
  readonly known: KnownOfPayment | undefined;
}

/** What there is already about a payment that is booked just now. */
interface KnownOfPayment {
  /** Webhook events that found no donation. */
  readonly events: boolean;
  /** Refunds or disputes. */
  readonly returns: boolean;
  /** It was held, or a debit of it failed: an item of the review list, open or closed. */
  readonly alerts: boolean;
  /** Its donation is a try of a checkout that the donor's page named, or that has a second payment. */
  readonly checkout: boolean;
  /** Its donation pays a pledge. */
  readonly pledge: boolean;
}

/** Facts that are committed together, with their webhook event where they come from one. */
export interface Booking {
  readonly provider: PaymentProvider;
  readonly facts: readonly PaymentFact[];
  readonly webhookEvent: WebhookEvent | undefined;
  readonly context: BookingContext;
}

/** A payment has no donation, and the events that payments name were not read before the transaction. */
export class HomesUnread extends Error {}

/**
 * What a fact of a provider does to the books, inside a transaction: its donation under lock, then the one change that the state table
 * allows. Safe to repeat and to run in any order.
 */
@Injectable()
export class FactBooking {
  constructor(
    private readonly changes: DonationChanges,
    private readonly keys: KeyRing,
  ) {}

  /**
   * Books the facts of one answer or webhook event, in their order. Returns what became of each.
   * @param homes the events that payments without a donation name; undefined where they were not read
   * @throws HomesUnread where such an event is needed and was not read
   */
  async book(
    tx: Transaction,
    { provider, facts, webhookEvent, context: { isReversal = false, also } }: Booking,
    homes: readonly (PaymentHome | undefined)[] | undefined,
  ): Promise<BookingOutcome[]> {
    const source = {
      provider: provider.name,
      type: provider.type,
      webhookEventId: webhookEvent?.id ?? null,
      isReversal,
    };
    const outcomes: BookingOutcome[] = [];
    for (const [index, fact] of facts.entries()) {
      const home = () => {
        if (!homes) throw new HomesUnread();
        return homes[index];
      };
      const found = await this.find(tx, provider.name, fact);
      const outcome = await this.bookOne(tx, source, fact, found, home);
      const hasAlerts = !found.donation || found.known?.alerts !== false;
      await alertOn(tx, fact, { provider: provider.name, outcome, home, hasAlerts });
      outcomes.push(outcome);
    }
    await also?.(tx);
    // Last, so that it is sent with the other writes: the locks of the payments already keep one event from being booked twice.
    if (webhookEvent)
      tx.write(CLAIM, [provider.name, webhookEvent.id, webhookEvent.kind, ...summary(outcomes)], 1);
    return outcomes;
  }

  /** The donation that has the payment, under lock, and for a success what else is known: read behind the lock, in one go. */
  private async find(tx: Transaction, provider: string, { kind, paymentId }: PaymentFact): Promise<Found> {
    const [donation, known] = await Promise.all([
      lockDonationOfPayment(tx, provider, paymentId),
      kind === 'paid' ? knownOf(tx, provider, paymentId) : undefined,
    ]);
    return { donation, known };
  }

  private async bookOne(
    tx: Transaction,
    source: FactSource,
    fact: PaymentFact,
    found: Found,
    home: () => PaymentHome | undefined,
  ): Promise<BookingOutcome> {
    const donation = found.donation ?? (await this.lock(tx, source, fact));
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
        return this.apply(
          tx,
          source,
          donation,
          { kind: fact.kind },
          fact.kind === 'failed' ? (fact.reason ?? null) : null,
        );
      case 'paid':
        return donation
          ? await this.bookPaid(tx, source, donation, fact, found.donation && found.known)
          : await this.bookUnknown(tx, source, fact, home());
      case 'refund':
        return await this.bookRefund(tx, source, donation, fact);
      case 'dispute':
        return await this.bookDispute(tx, source, donation, fact);
    }
  }

  /** The donation of a payment that none has yet, under lock: the payment is written on it. */
  private async lock(
    tx: Transaction,
    { provider }: FactSource,
    fact: PaymentFact,
  ): Promise<DonationRow | undefined> {
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
    return this.changes.apply(tx, named, {
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
    knownBefore?: KnownOfPayment,
  ): Promise<BookingOutcome> {
    const fee = fact.fee ? { fee: fact.fee.amount, fee_currency: fact.fee.currency } : {};
    if (!this.changes.allows(donation, 'paid')) return this.bookMore(tx, source, donation, fact, fee);
    const known = knownBefore ?? (await knownOf(tx, source.provider, fact.paymentId));
    if (known.events) tx.write(CLOSE_OPEN, [source.provider, fact.paymentId, donation.id]);
    const returned = known.returns ? await this.bookEarlierReturns(tx, source, donation, fact) : 0n;
    await reportPaid(tx, source.provider, fact, donation);
    await reportPaidTwice(tx, source.provider, fact, donation, known.checkout);
    const outcome = this.apply(tx, source, donation, { kind: 'paid', amount: fact.amount, returned }, null, {
      currency: fact.currency,
      capture_id: fact.captureId ?? donation.capture_id,
      paid_at: fact.paidAt,
      ...fee,
    });
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
  private bookMore(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow,
    fact: PaidFact,
    fee: NamedColumns,
  ): BookingOutcome {
    if (fact.isGrowing !== true || fact.currency !== donation.currency) {
      this.apply(tx, source, donation, { kind: 'edited' }, null, fee);
      return { kind: 'unchanged', donationId: donation.id };
    }
    const grown = { kind: 'grown', amount: fact.amount } as const;
    return this.apply(tx, source, donation, grown, 'a further capture', fee);
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
    const inserted = this.changes.begin(tx, given, 'opened', {
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
    const outcome = this.apply(tx, source, donation, { kind: 'returned', returned }, reason);
    await settleReturned(tx, donation.id);
    return outcome;
  }

  private apply(
    tx: Transaction,
    source: FactSource,
    before: DonationRow,
    fact: DonationChange['fact'],
    reason: string | null,
    columns: NamedColumns = {},
  ): BookingOutcome {
    const after = this.changes.apply(tx, before, { fact, columns, actor: actorOfFact(source), reason });
    return { kind: after ? 'booked' : 'unchanged', donationId: before.id };
  }
}

/** Asked once, behind the lock of the donation, because of nearly every payment there is nothing: five statements less. */
async function knownOf(tx: Transaction, provider: string, paymentId: string): Promise<KnownOfPayment> {
  const [known] = await tx.query<KnownOfPayment>(KNOWN_OF_PAYMENT, [provider, paymentId]);
  if (!known) throw new Error('a statement without FROM answers one row');
  return known;
}
