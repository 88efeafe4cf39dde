import { isCardCharge } from '../booking/pledge-payments.js';
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
} from '../../donations/store/donation-store.js';
import { blocksRefund, claimsOn } from '../../donations/store/claims.js';
import { donationOfToken } from '../../donations/donors/donor-token.js';
import { type DonationChange, DonationChanges } from '../../donations/lifecycle/donation-changes.js';
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

/** Cancels and refunds donations. The service first calls the provider, then changes the donation. */
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
   * Cancels an unpaid donation, refunds money, or cancels a paid donation without a refund (`shouldRefund: false`).
   * @param idempotencyKey required with `amount`. A repeat with the same key returns the same refund in its current
   *   state.
   * @throws ConflictError (409) if the donation is already cancelled or refunded, a payment is in progress, a dispute
   *   blocks the refund (`DONATION_DISPUTED`), or less money is left than requested; UnavailableError (503) if the provider does not answer: send the same request
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
    // If this key was already used for a refund, return this refund, in any state of the donation.
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
    const answer = await this.answer(donation, refund);
    // Only a completed donation needs the warning, because no money has arrived for the others.
    const isKept = !shouldRefund && donation.status === 'COMPLETED' && donation.provider !== null;
    return isKept ? Object.assign(answer, { warning: DONOR_NOT_REFUNDED }) : answer;
  }

  /**
   * Cancels the unpaid donation of a donor who wants to pay in another way. After this call, the first payment cannot
   * be completed any more, so the donor never pays twice. Does nothing for a donation that is already cancelled.
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
    const actor = { kind: 'donor', id: null } as const;
    await this.cancelUnpaid(donation, { actor, cause: { kind: 'paid_another_way' } });
  }

  /** Cancels or refunds the donation. Returns the stored refund, if there is one. */
  private async end(donation: DonationRow, asked: Asked): Promise<AnyRefundRow | undefined> {
    if (donation.status === 'COMPLETED' && asked.shouldRefund)
      return await ownKey(() =>
        donation.provider === null
          ? this.giveBackOffline(donation.id, asked)
          : this.requestRefund(donation, asked),
      );
    if (donation.status === 'COMPLETED') await this.correctBooks(donation.id, asked);
    else await this.cancelUnpaid(donation, { actor: asked.actor, reason: asked.reason });
    return undefined;
  }

  private async answer(donation: DonationRow, refund: AnyRefundRow | undefined): Promise<CancellationDto> {
    const { id } = donation;
    const [now, claims, known] = await Promise.all([
      donationById(this.database, id),
      claimsOn(this.database, [donation]),
      refund && refundById(this.database, refund.id),
    ]);
    if (!now) throw noSuchDonation();
    return { ...toDonation(now, claims.get(id)), refund: known ? toRefund(known) : null };
  }

  /**
   * Sends a stored refund that has no answer yet. A repeat is safe, because the idempotency key contains the id of
   * the refund row. For a refund older than one hour, the service first searches the refund at the provider, because
   * providers may delete keys after a day.
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
      // The refund may exist at the provider in spite of the refusal, so read the payment's current state.
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
   * Cancels at the provider first. If money has arrived or may still arrive, the service books the facts and the
   * request fails with 409.
   */
  private async cancelUnpaid(
    donation: DonationRow,
    change: Pick<DonationChange, 'actor' | 'cause' | 'reason'>,
  ): Promise<void> {
    if (donation.provider !== null) await this.cancelAtProvider(donation);
    await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, donation.id);
      if (!before) throw noSuchDonation();
      const after = this.changes.apply(tx, before, { ...change, fact: { kind: 'cancelled' } });
      // A webhook event of the provider may already have cancelled the donation. This is no error.
      if (!after && !(before.status === 'CANCELLED' && donation.provider !== null)) throw nowIs(before);
      // Close the review items here, because not every provider sends an event about a cancellation.
      const { provider, payment_id: paymentId } = before;
      if (provider !== null && paymentId !== null) settleCancelled(tx, provider, paymentId);
    });
  }

  private async cancelAtProvider(donation: DonationRow): Promise<void> {
    const provider = this.providers.ofDonation(donation.provider);
    if (donation.payment_id === null && (await isCardCharge(this.database, donation.id)))
      throw new ConflictError('PLEDGE_BEING_CHARGED', 'The saved card is being charged for this pledge');
    // Without a payment id, the answer to the payment request was lost. The same request returns the payment, because
    // its idempotency key contains the donation id.
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
        cause: { kind: 'books_corrected' },
        reason,
      });
      if (!after) throw nowIs(before);
    });
  }

  /** Records a refund that staff made by hand. No provider is called. */
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
        cause: { kind: 'refunded_by_hand', amount: toJsonAmount(amount), currency },
        reason,
      });
      if (!after) throw nowIs(before);
      return key && row;
    });
  }

  /**
   * Asks the provider about a payment whose dispute blocks refunds. The dispute may be decided at the provider although its webhook
   * event has not arrived yet.
   */
  private async readBlockingDispute({ provider: name, payment_id: paymentId }: DonationRow): Promise<void> {
    if (name === null || paymentId === null || !(await blocksRefund(this.database, name, paymentId))) return;
    const provider = this.providers.ofDonation(name);
    await this.facts.book(provider, await provider.readPayment(paymentId));
  }

  /** Stores the refund row, or returns an earlier one. The caller then sends the refund to the provider. */
  private async requestRefund(donation: DonationRow, asked: Asked): Promise<AnyRefundRow> {
    const { id, provider, currency } = donation;
    const { actor, reason, key } = asked;
    const part = asked.amount === undefined ? undefined : BigInt(asked.amount);
    // Check the amount before the refund is stored, because a stored refund with an impossible amount would be
    // retried forever.
    if (part !== undefined) this.providers.ofDonation(provider).assertTakes(part, currency);
    await this.readBlockingDispute(donation);
    return await this.database.transaction(async (tx) => {
      const before = await lockDonation(tx, id);
      const earlier = await refundOfKey(tx, key);
      if (earlier) return earlier;
      if (before?.status !== 'COMPLETED' || before.provider === null || before.payment_id === null)
        throw before ? nowIs(before) : noSuchDonation();
      const { provider, payment_id: paymentId, currency } = before;
      const left = before.amount - (await moneyCommitted(tx, provider, paymentId, currency));
      if (left <= 0n) {
        // This is a second click, or a retry after a lost answer. Continue with the stored refund.
        const open = part === undefined ? await requestedRefund(tx, id) : undefined;
        if (!open) throw refundUnderWay();
        if (key) await bindKey(tx, open, key);
        return open;
      }
      if (await blocksRefund(tx, provider, paymentId)) throw disputed();
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
      const cause = { kind: 'refund_requested', amount: toJsonAmount(amount), currency } as const;
      this.changes.note(tx, before, { actor, cause, reason });
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

const disputed = () =>
  new ConflictError(
    'DONATION_DISPUTED',
    "The payment is disputed, and its provider refuses refunds until the dispute is decided. Answer the dispute in the provider's dashboard",
  );

const tooMuch = (left: bigint) =>
  new ConflictError('REFUND_TOO_LARGE', `Only ${toJsonAmount(left)} of this donation can be refunded`);
