import { Injectable } from '@nestjs/common';
import { type Principal, type Actor, actorOf } from '../../common/access/principal.js';
import { ConflictError, InvalidInputError } from '../../common/errors/domain-errors.js';
import { newId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database } from '../../data/database.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import {
  assertDonationId,
  assertSeen,
  noSuchDonation,
  donationById,
  lockDonation,
  refundsPending,
} from '../../donations/store/donation-store.js';
import { donationOfToken } from '../../donations/donors/donor-token.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { type IdempotencyKey, readIdempotencyKey } from '../../donations/recording/idempotency.js';
import { cancelUnlessUnderWay, isUnderWay } from './cancel-payment.js';
import {
  type CancelDonationDto,
  type CancellationDto,
  DONOR_NOT_REFUNDED,
  toRefund,
} from './dto/cancellation.dto.js';
import { toDonation } from '../../donations/dto/donation.dto.js';
import { PaymentFacts } from '../booking/facts.service.js';
import { settleCancelled } from '../booking/payment-alerts.js';
import {
  bindKey,
  insertOfflineRefund,
  insertRefundRequest,
  markRefundFailed,
  moneyCommitted,
  ownKey,
  refundById,
  refundOfKey,
  refundUnderWay,
  requestedRefund,
} from '../booking/refunds.js';
import type { AnyRefundRow, OfflineRefundRow, RefundRow } from '../booking/refunds.sql.js';
import { IntentsService } from '../intents/intents.service.js';
import type { PaymentProvider } from '../providers/provider-port.js';
import { ProviderRefusedError } from '../providers/provider-errors.js';
import { PaymentProviders } from '../providers/payment-providers.js';
import { toJsonAmount } from '../../common/money/money.js';

const HOUR = 3_600_000;

/** Cancels and refunds donations. The provider acts first, then the books change. */
@Injectable()
export class CancellationService {
  constructor(
    private readonly database: Database,
    private readonly changes: DonationChanges,
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly intents: IntentsService,
    private readonly events: EventLookup,
    private readonly keys: KeyRing,
  ) {}

  /**
   * Cancels an unpaid donation, corrects the books (`shouldRefund: false`) or refunds money.
   * @param idempotencyKey required with `amount`: the same key returns the same refund in its current state and moves
   *   no more money
   * @throws ConflictError (409) if the donation is already cancelled or refunded, a payment is in progress, or less
   *   money is left than requested; UnavailableError (503) if the provider does not answer: send the same request
   *   again
   */
  async cancel(
    caller: Principal,
    id: string,
    sent: CancelDonationDto,
    idempotencyKey?: string,
  ): Promise<CancellationDto> {
    assertDonationId(id);
    const donation = await donationById(this.database, id);
    assertSeen(caller, donation);
    const reason = sent.reason ?? null;
    const { shouldRefund, amount } = sent;
    const key = readIdempotencyKey(idempotencyKey, 'refund', { id, shouldRefund, amount, reason });
    if (amount !== undefined && !key)
      throw new InvalidInputError('IDEMPOTENCY_KEY_REQUIRED', 'A partial refund needs an Idempotency-Key');
    // A refund that was already requested with this key is returned in any state of the donation.
    let refund = await refundOfKey(this.database, key);
    if (!refund) {
      refuseSettled(donation);
      if (amount !== undefined && !(shouldRefund && donation.status === 'COMPLETED'))
        throw new InvalidInputError(
          'AMOUNT_WITHOUT_REFUND',
          'amount is allowed only for a refund of a completed donation',
        );
      refund = await this.end(donation, { shouldRefund, amount, reason, key, actor: actorOf(caller) });
    }
    if (refund && refund.provider !== null && refund.status === 'requested')
      await this.sendRefund(donation, refund);
    const answer = await this.answer(id, refund);
    // No money arrived for a payment that was never completed, so only a completed donation needs the warning.
    const isKept = !shouldRefund && donation.status === 'COMPLETED' && donation.provider !== null;
    return isKept ? Object.assign(answer, { warning: DONOR_NOT_REFUNDED }) : answer;
  }

  /**
   * Cancels the unpaid donation of a donor who wants to pay in another way. Afterwards the first payment cannot be
   * completed any more, so the donor is never charged for both. A cancelled donation stays as it is.
   * @param token the donor's token
   * @throws NotFoundError `DONATION_NOT_FOUND`, ConflictError (409) if money has moved or may still arrive,
   *   UnavailableError (503) if the provider does not answer: send the same request again
   */
  async abandon(token: string): Promise<void> {
    const id = donationOfToken(this.keys, token);
    const donation = id === undefined ? undefined : await donationById(this.database, id);
    if (!donation) throw noSuchDonation();
    if (donation.status === 'CANCELLED') return;
    if (donation.status !== 'PENDING' && donation.status !== 'FAILED') throw nowIs(donation);
    const reason = 'the donor chose another way to pay';
    await this.cancelUnpaid(donation, { actor: { kind: 'donor', id: null }, reason });
  }

  /** Ends the donation. Returns the stored refund, if there is one that the caller can ask about. */
  private async end(donation: DonationRow, asked: Asked): Promise<AnyRefundRow | undefined> {
    if (donation.status === 'COMPLETED' && asked.shouldRefund)
      return await ownKey(() =>
        donation.provider === null
          ? this.giveBackOffline(donation.id, asked)
          : this.requestRefund(donation, asked),
      );
    if (donation.status === 'COMPLETED') await this.correctBooks(donation.id, asked);
    else await this.cancelUnpaid(donation, asked);
    return undefined;
  }

  private async answer(id: string, refund: AnyRefundRow | undefined): Promise<CancellationDto> {
    const [now, pending, known] = await Promise.all([
      donationById(this.database, id),
      refundsPending(this.database, [id]),
      refund && refundById(this.database, refund.id),
    ]);
    if (!now) throw noSuchDonation();
    return { ...toDonation(now, pending.get(id)), refund: known ? toRefund(known) : null };
  }

  /**
   * Sends a stored refund that has no answer yet. The idempotency key is made from its row, so a repeat is safe. An
   * older refund is searched first, because providers forget keys after a day.
   */
  async sendRefund(donation: DonationRow, refund: RefundRow): Promise<RefundRow> {
    const provider = this.providers.ofDonation(donation.provider);
    const made = Date.now() - refund.created_at.getTime() > HOUR && (await this.findRefund(provider, refund));
    if (made) return made;
    try {
      const fact = await provider.refundPayment({
        refundId: refund.id,
        paymentId: refund.payment_id,
        captureId: refund.capture_id ?? donation.capture_id,
        amount: refund.amount,
        currency: refund.currency,
      });
      await this.facts.book(provider, [fact, ...(fact.others ?? [])]);
      return { ...refund, status: fact.status, provider_refund_id: fact.providerRefundId };
    } catch (error) {
      if (!(error instanceof ProviderRefusedError)) throw error;
      await markRefundFailed(this.database, refund.id);
      // Someone may have refunded at the provider, so read its current state.
      const made = await this.findRefund(provider, refund);
      if (made) return made;
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

  /**
   * Cancels at the provider first. If money has moved or is on its way, it is booked and the request fails with 409.
   */
  private async cancelUnpaid(
    donation: DonationRow,
    { actor, reason }: Pick<Asked, 'actor' | 'reason'>,
  ): Promise<void> {
    if (donation.provider !== null) await this.cancelAtProvider(donation);
    await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, donation.id);
      if (!before) throw noSuchDonation();
      const after = this.changes.apply(tx, before, { fact: { kind: 'cancelled' }, actor, reason });
      // The provider's webhook event may have cancelled it first.
      if (!after && !(before.status === 'CANCELLED' && donation.provider !== null)) throw nowIs(before);
      // Not every provider sends an event about a cancellation.
      const { provider, payment_id: paymentId } = before;
      if (provider !== null && paymentId !== null) settleCancelled(tx, provider, paymentId);
    });
  }

  private async cancelAtProvider(donation: DonationRow): Promise<void> {
    const provider = this.providers.ofDonation(donation.provider);
    // Without a payment id, the answer to the payment request was lost; the same key finds the payment again.
    const paymentId =
      donation.payment_id ??
      (await this.intents.createPayment(provider, donation, await this.events.get(donation.event_id)))
        .paymentId;
    const at = new Date();
    const facts = await cancelUnlessUnderWay(provider, paymentId, at);
    if (facts.some(({ kind }) => kind === 'cancelled')) return;
    await this.facts.book(provider, facts);
    if (isUnderWay(facts, at))
      throw new ConflictError(
        'PAYMENT_UNDER_WAY',
        'The donor has paid or has valid payment instructions, so money may still arrive',
      );
    const now = await donationById(this.database, donation.id);
    if (now && now.status !== 'CANCELLED') throw nowIs(now);
  }

  private async correctBooks(id: string, { actor, reason }: Asked): Promise<void> {
    await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      if (!before) throw noSuchDonation();
      const after = this.changes.apply(tx, before, {
        fact: { kind: 'corrected' },
        actor,
        reason: reason ?? 'book correction',
      });
      if (!after) throw nowIs(before);
    });
  }

  /** A refund by hand changes only the books, without a provider. */
  private async giveBackOffline(id: string, asked: Asked): Promise<OfflineRefundRow | undefined> {
    const { actor, reason, key } = asked;
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      const earlier = await refundOfKey(tx, key);
      if (earlier?.provider === null) return earlier;
      if (before?.status !== 'COMPLETED') throw before ? nowIs(before) : noSuchDonation();
      const left = before.amount - before.refunded_amount;
      const amount = asked.amount === undefined ? left : BigInt(asked.amount);
      if (amount > left) throw tooMuch(left);
      const { currency } = before;
      const row = await insertOfflineRefund(tx, {
        id: newId(),
        donationId: id,
        amount,
        currency,
        reason,
        actor,
        key,
      });
      const after = this.changes.apply(tx, before, {
        fact: { kind: 'returned', returned: before.refunded_amount + amount },
        actor,
        reason: reason ?? `${amount} given back`,
      });
      if (!after) throw nowIs(before);
      return key && row;
    });
  }

  /** Stores the row, then calls the provider, and changes the books after its answer. */
  private async requestRefund({ id, provider, currency }: DonationRow, asked: Asked): Promise<AnyRefundRow> {
    const { actor, reason, key } = asked;
    const part = asked.amount === undefined ? undefined : BigInt(asked.amount);
    // Check first that the provider can refund this amount. A stored refund that can never succeed would be retried
    // forever.
    if (part !== undefined) this.providers.ofDonation(provider).assertTakes(part, currency);
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      const earlier = await refundOfKey(tx, key);
      if (earlier) return earlier;
      if (before?.status !== 'COMPLETED' || before.provider === null || before.payment_id === null)
        throw before ? nowIs(before) : noSuchDonation();
      const { provider, payment_id: paymentId, currency } = before;
      const left = before.amount - (await moneyCommitted(tx, provider, paymentId, currency));
      if (left <= 0n) {
        // A second click, or a retry after a lost answer, continues with the stored refund.
        const open = part === undefined ? await requestedRefund(tx, id) : undefined;
        if (!open) throw refundUnderWay();
        if (key) await bindKey(tx, open, key);
        return open;
      }
      const amount = part ?? left;
      if (amount > left) throw tooMuch(left);
      const row = await insertRefundRequest(tx, {
        id: newId(),
        donationId: id,
        provider,
        paymentId,
        captureId: before.capture_id,
        amount,
        currency,
        reason,
        actor,
        key,
      });
      this.changes.note(tx, before, actor, reason ?? `refund of ${amount} requested`);
      return row;
    });
  }
}

/** A request to end a donation. */
interface Asked {
  readonly shouldRefund: boolean;
  readonly amount: number | undefined;
  readonly reason: string | null;
  readonly key: IdempotencyKey | undefined;
  readonly actor: Actor;
}

function refuseSettled(donation: DonationRow): void {
  if (donation.status === 'CANCELLED' || donation.status === 'REFUNDED') throw nowIs(donation);
}

const nowIs = ({ status }: DonationRow) =>
  new ConflictError(`DONATION_${status}`, `The donation is ${status}`);

const tooMuch = (left: bigint) =>
  new ConflictError('REFUND_TOO_LARGE', `Only ${toJsonAmount(left)} of this donation can be refunded`);
