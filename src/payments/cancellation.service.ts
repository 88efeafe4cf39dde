import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { ConflictError, InvalidInputError } from '../common/errors/domain-errors.js';
import { newId } from '../common/ids.js';
import { toJsonAmount } from '../common/money/minor-units.js';
import { Database } from '../data/database.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { type Actor, actorOf } from '../common/access/actor.js';
import { assertDonationId, assertSeen, noSuchDonation } from '../donations/donation-access.js';
import { DonationChanges } from '../donations/donation-changes.js';
import type { DonationRow } from '../donations/donation-columns.js';
import { donationById, lockDonation } from '../donations/donation-store.js';
import { type CancelDonationDto, type CancellationDto, toRefund } from './dto/cancellation.dto.js';
import { toDonation } from '../donations/dto/donation.dto.js';
import { PaymentFacts } from './facts.service.js';
import { insertRefundRequest, markRefundFailed, moneyCommitted, requestedRefund } from './refunds.js';
import type { RefundRow } from './refunds.sql.js';
import { IntentsService } from './intents.service.js';
import type { PaymentProvider } from './payment-provider.js';
import { ProviderRefusedError } from './provider-errors.js';
import { PaymentProviders } from './providers.js';

const HOUR = 3_600_000;

/** Cancelling and refunding. What the provider must do, it does before our books say so. */
@Injectable()
export class CancellationService {
  constructor(
    private readonly database: Database,
    private readonly changes: DonationChanges,
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly intents: IntentsService,
    private readonly events: EventLookup,
  ) {}

  /**
   * Cancels an unpaid donation, corrects the books (`shouldRefund: false`) or gives money back.
   * @throws ConflictError (409) for what is cancelled or refunded already, is being paid just now, or has less
   *   left than asked; UnavailableError (503) when the provider gives no answer: send the same again.
   */
  async cancel(caller: Principal, id: string, sent: CancelDonationDto): Promise<CancellationDto> {
    assertDonationId(id);
    const donation = await donationById(this.database, id);
    assertSeen(caller, donation);
    refuseSettled(donation);
    if (sent.amount !== undefined && !(sent.shouldRefund && donation.status === 'COMPLETED'))
      throw new InvalidInputError(
        'AMOUNT_WITHOUT_REFUND',
        'amount belongs to a refund of a completed donation',
      );
    const actor = actorOf(caller);
    const reason = sent.reason ?? null;
    let refund: RefundRow | null = null;
    if (donation.status !== 'COMPLETED') await this.cancelUnpaid(donation, actor, reason);
    else if (!sent.shouldRefund) await this.correctBooks(id, actor, reason);
    else if (donation.provider === null) await this.giveBackOffline(id, sent.amount, actor, reason);
    else refund = await this.refundOnline(donation, sent.amount, actor, reason);
    const now = await donationById(this.database, id);
    if (!now) throw noSuchDonation();
    return { ...toDonation(now), refund: refund && toRefund(refund) };
  }

  /**
   * Sends a refund that we wrote down and have no answer for; the same row is the same key. An older one is
   * looked for first, because providers forget keys after a day.
   */
  async sendRefund(donation: DonationRow, refund: RefundRow): Promise<RefundRow> {
    const provider = this.providers.ofDonation(donation.provider);
    const made = Date.now() - refund.created_at.getTime() > HOUR && (await this.findRefund(provider, refund));
    if (made) return made;
    try {
      const fact = await provider.refundPayment({
        refundId: refund.id,
        paymentId: refund.payment_id,
        captureId: donation.capture_id,
        amount: refund.amount,
        currency: refund.currency,
      });
      await this.facts.book(provider, [fact, ...(fact.others ?? [])]);
      return { ...refund, status: fact.status, provider_refund_id: fact.providerRefundId };
    } catch (error) {
      if (!(error instanceof ProviderRefusedError)) throw error;
      await markRefundFailed(this.database, refund.id);
      // Somebody may have refunded at the provider: bring in what is true there.
      await this.facts.book(provider, await provider.readPayment(refund.payment_id));
      throw error;
    }
  }

  private async findRefund(provider: PaymentProvider, refund: RefundRow): Promise<RefundRow | undefined> {
    const facts = await provider.readPayment(refund.payment_id);
    await this.facts.book(provider, facts);
    for (const fact of facts)
      if (fact.kind === 'refund' && fact.refundId === refund.id)
        return { ...refund, status: fact.status, provider_refund_id: fact.providerRefundId };
    return undefined;
  }

  /** Cancelled at the provider first; money that moved meanwhile is booked and answers 409. */
  private async cancelUnpaid(donation: DonationRow, actor: Actor, reason: string | null): Promise<void> {
    if (donation.provider !== null) await this.cancelAtProvider(donation);
    await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, donation.id);
      if (!before) throw noSuchDonation();
      const after = await this.changes.apply(tx, before, { fact: { kind: 'cancelled' }, actor, reason });
      // The provider's own webhook event may have been here first.
      if (!after && !(before.status === 'CANCELLED' && donation.provider !== null)) throw nowIs(before);
    });
  }

  private async cancelAtProvider(donation: DonationRow): Promise<void> {
    const provider = this.providers.ofDonation(donation.provider);
    // Without a payment id the answer to its creation was lost: the same key finds it again.
    const paymentId =
      donation.payment_id ??
      (await this.intents.createPayment(provider, donation, await this.events.get(donation.event_id)))
        .paymentId;
    const facts = await provider.cancelPayment(paymentId);
    if (facts.some(({ kind }) => kind === 'cancelled')) return;
    await this.facts.book(provider, facts);
    const now = await donationById(this.database, donation.id);
    if (now && now.status !== 'CANCELLED') throw nowIs(now);
  }

  private async correctBooks(id: string, actor: Actor, reason: string | null): Promise<void> {
    await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      if (!before) throw noSuchDonation();
      const after = await this.changes.apply(tx, before, {
        fact: { kind: 'corrected' },
        actor,
        reason: reason ?? 'book correction',
      });
      if (!after) throw nowIs(before);
    });
  }

  /** Cash given back by hand: the books follow, no provider is asked. */
  private async giveBackOffline(
    id: string,
    asked: number | undefined,
    actor: Actor,
    reason: string | null,
  ): Promise<void> {
    await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      if (before?.status !== 'COMPLETED') throw before ? nowIs(before) : noSuchDonation();
      const left = before.amount - before.refunded_amount;
      const amount = asked === undefined ? left : BigInt(asked);
      if (amount > left) throw tooMuch(left);
      const after = await this.changes.apply(tx, before, {
        fact: { kind: 'returned', returned: before.refunded_amount + amount },
        actor,
        reason: reason ?? `${amount} given back`,
      });
      if (!after) throw nowIs(before);
    });
  }

  /** Row first, provider second, books when the provider has said so. */
  private async refundOnline(
    { id, provider, currency }: DonationRow,
    asked: number | undefined,
    actor: Actor,
    reason: string | null,
  ): Promise<RefundRow> {
    // What the provider can never give back must not be written down: it would be tried for ever.
    const gives = this.providers.ofDonation(provider);
    if (asked !== undefined) gives.assertTakes(BigInt(asked), currency);
    const [donation, refund] = await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      if (before?.status !== 'COMPLETED' || before.provider === null || before.payment_id === null)
        throw before ? nowIs(before) : noSuchDonation();
      const left = before.amount - (await moneyCommitted(tx, before.provider, before.payment_id));
      // A second click, or a try whose answer was lost, goes on with the refund that is written down; but
      // "all that is left" is not a part that happens to be under way.
      const open = await requestedRefund(tx, id, asked === undefined ? null : BigInt(asked));
      if (open && (asked !== undefined || left <= 0n)) return [before, open];
      const amount = asked === undefined ? left : BigInt(asked);
      if (left <= 0n)
        throw new ConflictError('REFUND_UNDER_WAY', 'A refund of all that is left is under way');
      if (amount > left) throw tooMuch(left);
      const row = await insertRefundRequest(tx, {
        id: newId(),
        donationId: id,
        provider: before.provider,
        paymentId: before.payment_id,
        amount,
        currency: before.currency,
        reason,
        actor,
      });
      await this.changes.note(tx, before, actor, reason ?? `refund of ${amount} requested`);
      return [before, row];
    });
    return await this.sendRefund(donation, refund);
  }
}

function refuseSettled(donation: DonationRow): void {
  if (donation.status === 'CANCELLED' || donation.status === 'REFUNDED') throw nowIs(donation);
}

const nowIs = ({ status }: DonationRow) =>
  new ConflictError(`DONATION_${status}`, `The donation is ${status}`);

const tooMuch = (left: bigint) =>
  new ConflictError('REFUND_TOO_LARGE', `Only ${toJsonAmount(left)} of this donation can be given back`);
