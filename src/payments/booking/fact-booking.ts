import { isRehearsal } from '../../common/crypto/rehearsal-ids.js';
import { Injectable } from '@nestjs/common';
import { isId, newId, timeOfId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import type { Transaction } from '../../data/database.js';
import { type DonationChange, DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import type { HistoryCause } from '../../donations/lifecycle/history-cause.js';
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
import { donorOfPayment, payerColumns } from './payment-donor.js';
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

/** The locked donation of a fact, and the existing related records. `known` is undefined if the records were not read. */
interface Found {
  readonly donation: DonationRow | undefined;
  readonly known: KnownOfPayment | undefined;
}

/** Shows which records already exist for a payment that is being booked. */
interface KnownOfPayment {
  /** True if webhook events without a donation exist. */
  readonly events: boolean;
  /** True if refunds or disputes exist. */
  readonly returns: boolean;
  /** True if the review list has an open or closed item for a held payment or a failed debit. */
  readonly alerts: boolean;
  /**
   * True if the donation belongs to a checkout: the donation page sent a checkout id, or a second payment refers to
   * the donation.
   */
  readonly checkout: boolean;
  /** True if the donation pays a pledge. */
  readonly pledge: boolean;
}

/** Facts of one answer or webhook event of a provider. `webhookEvent` is undefined if they come from an answer. */
export interface Booking {
  readonly provider: PaymentProvider;
  readonly facts: readonly PaymentFact[];
  readonly webhookEvent: WebhookEvent | undefined;
  readonly context: BookingContext;
}

/** Thrown if a payment has no donation and its fundraising event was not read before the transaction. */
export class HomesUnread extends Error {}

/**
 * Books the facts of a provider inside a transaction. The service locks the donation, then makes the change that the
 * state table allows. Facts may arrive repeatedly and in any order.
 */
@Injectable()
export class FactBooking {
  constructor(
    private readonly changes: DonationChanges,
    private readonly keys: KeyRing,
  ) {}

  /**
   * Books the facts of one answer or webhook event in their order. Returns an outcome per fact.
   * @param homes the event of each payment without a donation; undefined if the events were not read
   * @throws HomesUnread if an event is needed but was not read
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
    // This is the last write, so that one message sends all writes. The payment locks already prevent a second
    // booking of the event.
    if (webhookEvent)
      tx.write(CLAIM, [provider.name, webhookEvent.id, webhookEvent.kind, ...summary(outcomes)], 1);
    return outcomes;
  }

  /** Locks the donation of the payment. For a paid payment, it also reads the related records in the same round trip. */
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
          fact.kind === 'failed' && fact.reason !== undefined
            ? { kind: 'payment_failed', code: fact.reason }
            : undefined,
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

  /** Locks the donation to which a new payment refers, and stores the payment id in the donation. */
  private async lock(
    tx: Transaction,
    { provider }: FactSource,
    fact: PaymentFact,
  ): Promise<DonationRow | undefined> {
    // There is no row to lock yet, so lock the payment id. Without this lock, a payment and its refund booked at the
    // same moment would not see each other.
    await lockPayment(tx, provider, fact.paymentId);
    const since = await lockDonationOfPayment(tx, provider, fact.paymentId);
    if (since || fact.donationId === undefined || !isId(fact.donationId)) return since;
    const named = await lockDonation(tx, fact.donationId);
    if (named?.provider !== provider) return undefined;
    // The creation of an intent uses no payment lock. So it may have stored the payment id after the first
    // look-up.
    if (named.payment_id === fact.paymentId) return named;
    // The donation already has another payment, so the second payment becomes a new donation.
    if (named.payment_id !== null) return undefined;
    return this.changes.apply(tx, named, {
      fact: { kind: 'edited' },
      columns: { payment_id: fact.paymentId },
      actor: actorOfFact({ provider, webhookEventId: null }),
    });
  }

  private async bookPaid(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow,
    fact: PaidFact,
    knownBefore?: KnownOfPayment,
  ): Promise<BookingOutcome> {
    const details = detailsOf(fact);
    if (!this.changes.allows(donation, 'paid'))
      return await this.bookMore(tx, source, donation, fact, details);
    const known = knownBefore ?? (await knownOf(tx, source.provider, fact.paymentId));
    if (known.events) tx.write(CLOSE_OPEN, [source.provider, fact.paymentId, donation.id]);
    const returned = known.returns ? await this.bookEarlierReturns(tx, source, donation, fact) : 0n;
    await reportPaid(tx, source.provider, fact, donation);
    await reportPaidTwice(tx, source.provider, fact, donation, known.checkout);
    const payer = await payerColumns(tx, this.keys, donation, fact);
    const outcome = this.apply(
      tx,
      source,
      donation,
      { kind: 'paid', amount: fact.amount, returned },
      undefined,
      {
        currency: fact.currency,
        capture_id: fact.captureId ?? donation.capture_id,
        paid_at: fact.paidAt,
        ...details,
        ...payer,
      },
    );
    if (known.pledge) await settlePledge(tx, this.changes, donation, fact.paymentId, actorOfFact(source));
    return outcome;
  }

  /**
   * Books refunds and disputes that arrived before their payment. Returns the sum returned to the donor so far, in
   * minor units.
   */
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

  /**
   * Books a further capture of the same payment. Also books the fee, the method and the payer, because some answers and
   * events lack them.
   */
  private async bookMore(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow,
    fact: PaidFact,
    details: NamedColumns,
  ): Promise<BookingOutcome> {
    const columns = { ...details, ...(await payerColumns(tx, this.keys, donation, fact)) };
    if (fact.isGrowing !== true || fact.currency !== donation.currency) {
      this.apply(tx, source, donation, { kind: 'edited' }, undefined, columns);
      return { kind: 'unchanged', donationId: donation.id };
    }
    const grown = { kind: 'grown', amount: fact.amount } as const;
    return this.apply(tx, source, donation, grown, { kind: 'further_capture' }, columns);
  }

  /**
   * Creates a donation for a paid payment without a donation. A checkout page created such a payment, or our donation
   * row was lost.
   */
  private async bookUnknown(
    tx: Transaction,
    source: FactSource,
    fact: PaidFact,
    home: PaymentHome | undefined,
  ): Promise<BookingOutcome> {
    if (!home) {
      if (fact.eventRef === undefined && fact.donationId === undefined) return { kind: 'foreign' };
      // The payment belongs to a rehearsal that was deleted.
      if (fact.eventRef !== undefined && isRehearsal(fact.eventRef)) return { kind: 'foreign' };
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
      ...NO_DETAILS,
      ...(await donorOfPayment(tx, this.keys, fact, home.moderate)),
      staff_id: null,
      staff_name: null,
      provider: source.provider,
      payment_id: fact.paymentId,
      expected_amount: null,
      expected_currency: null,
      created_at: timeOfId(id),
      ...NOT_AT_A_TERMINAL,
    };
    const inserted = this.changes.begin(tx, given, 'opened', {
      actor: actorOfFact(source),
      cause: { kind: 'payment_without_intent' },
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
    return await this.applyReturned(tx, source, donation, fact.paymentId, {
      kind: 'refund_status',
      status: refund.status,
      ...moneyIn(refund),
    });
  }

  private async bookDispute(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow | undefined,
    fact: DisputeFact,
  ): Promise<BookingOutcome> {
    const { dispute, isNews } = await mergeDispute(tx, source.provider, fact, donation?.id ?? null);
    if (donation) await reportDispute(tx, source.provider, fact.paymentId, dispute, donation.id);
    const outcome = await this.applyReturned(tx, source, donation, fact.paymentId, {
      kind: 'dispute_status',
      status: dispute.status,
      ...moneyIn(dispute),
    });
    return isNews && outcome.kind === 'unchanged' ? { ...outcome, kind: 'booked' } : outcome;
  }

  private async applyReturned(
    tx: Transaction,
    source: FactSource,
    donation: DonationRow | undefined,
    paymentId: string,
    cause: HistoryCause,
  ): Promise<BookingOutcome> {
    if (!donation) return { kind: 'kept', paymentId };
    const returned = await moneyReturned(tx, source.provider, paymentId, donation.currency);
    const outcome = this.apply(tx, source, donation, { kind: 'returned', returned }, cause);
    await settleReturned(tx, donation.id);
    return outcome;
  }

  private apply(
    tx: Transaction,
    source: FactSource,
    before: DonationRow,
    fact: DonationChange['fact'],
    cause: HistoryCause | undefined,
    columns: NamedColumns = {},
  ): BookingOutcome {
    const after = this.changes.apply(tx, before, {
      fact,
      columns,
      actor: actorOfFact(source),
      cause,
      sendsReceipt: typeof columns.donor_email === 'string',
    });
    return { kind: after ? 'booked' : 'unchanged', donationId: before.id };
  }
}

/** Returns the columns for the fee and the method of a payment, without those that the fact lacks. */
const detailsOf = ({ fee, method: paid }: PaidFact): NamedColumns => ({
  ...(fee && { fee: fee.amount, fee_currency: fee.currency }),
  ...(paid && { method: paid.method, wallet: paid.wallet ?? null }),
});

const moneyIn = ({ amount, currency }: { readonly amount: bigint; readonly currency: string }) => ({
  amount: Number(amount),
  currency,
});

/**
 * Reads with one statement instead of five, because nearly every payment has none of these records. Call it after the
 * donation is locked.
 */
async function knownOf(tx: Transaction, provider: string, paymentId: string): Promise<KnownOfPayment> {
  const [known] = await tx.query<KnownOfPayment>(KNOWN_OF_PAYMENT, [provider, paymentId]);
  if (!known) throw new Error('A statement without FROM must return one row');
  return known;
}
