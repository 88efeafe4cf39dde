import { Injectable } from '@nestjs/common';
import { ConflictError, InvalidInputError, NotFoundError } from '../common/errors/domain-errors.js';
import { newId, timeOfId } from '../common/ids.js';
import { KeyRing } from '../common/key-ring.js';
import { Database, isForeignKeyViolation, type Transaction } from '../data/database.js';
import { EventLookup, eventNotFound } from '../events/event-lookup.service.js';
import type { EventRecord } from '../events/event-record.js';
import { SettingsService } from '../settings/settings.service.js';
import { type DonorFields, donorFields } from '../donations/donor-fields.js';
import { donorKeyOf } from '../donations/donor-key.js';
import { type Actor, SYSTEM } from '../common/access/actor.js';
import { DonationChanges } from '../donations/donation-changes.js';
import type { DonationRow, NewDonation } from '../donations/donation-columns.js';
import { donationById, donationByPayment, lockDonation } from '../donations/donation-store.js';
import type { CaptureDto, CreateIntentDto, IntentDto } from './dto/intent.dto.js';
import {
  claimKey,
  type IdempotencyKey,
  keepAnswer,
  keptAnswer,
  readIdempotencyKey,
} from '../donations/idempotency.js';
import { PaymentFacts } from './facts.service.js';
import { IntentBudget } from './intent-budget.js';
import type { CreatedPayment, PaymentProvider } from './payment-provider.js';
import { ProviderRefusedError } from './provider-errors.js';
import { PaymentProviders } from './providers.js';

const DONOR: Actor = { kind: 'donor', id: null };

/** What was asked, found acceptable by the event's settings. */
interface CheckedDonation {
  readonly amount: bigint;
  readonly currency: string;
  /** Whether messages wait for approval. */
  readonly holdsMessages: boolean;
}

/** Online donations from a donor's page: the row first, then the provider, then the answer. */
@Injectable()
export class IntentsService {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly changes: DonationChanges,
    private readonly keys: KeyRing,
    private readonly budget: IntentBudget,
  ) {}

  /**
   * Creates the PENDING donation and its payment at the provider.
   * @throws InvalidInputError (400) amount or currency not accepted, ConflictError (409) the event takes no
   *   online donations now, UnavailableError (503) the provider is off or away; the same key may be sent again.
   */
  async create(
    sent: CreateIntentDto,
    idempotencyKey: string | undefined,
    ip: string | undefined,
  ): Promise<IntentDto> {
    await this.budget.spendAddress(ip);
    const provider = this.providers.ofType(sent.method ?? 'card');
    const event = await this.payableEvent(sent.metadata.eventId);
    const key = readIdempotencyKey(idempotencyKey, `intent:${event.id}`, sent);
    const kept = key && (await keptAnswer(this.database, key));
    if (kept?.answer) return this.opened(kept.answer);
    await this.budget.spendDonation(event.id, sent.metadata.donorEmail ?? null);
    // A key without an answer: an earlier try failed on the way. The same row and provider key go on.
    const donation = kept
      ? await this.earlierTry(kept.donation_id)
      : await this.insert(
          provider,
          event,
          await this.checked(provider, event, sent),
          donorFields(sent.metadata),
          key,
        );
    const answer = {
      ...(await this.createPayment(provider, donation, event)).checkout,
      donationId: donation.id,
    };
    if (key)
      await keepAnswer(
        this.database,
        key,
        this.keys.seal('answer-seal', JSON.stringify(answer)).toString('base64'),
      );
    return answer;
  }

  /** Takes the money of an order that the donor approved. Public: says nothing but id and status. */
  async capture(orderId: string): Promise<CaptureDto> {
    const provider = this.providers.ofType('wallet');
    const donation = await donationByPayment(this.database, provider.name, orderId);
    if (!donation || !provider.capturePayment) throw new NotFoundError('ORDER_NOT_FOUND', 'No such order');
    if (donation.status === 'CANCELLED')
      throw new ConflictError('DONATION_CANCELLED', 'This donation was cancelled');
    if (donation.paid_at === null) await this.facts.book(provider, await provider.capturePayment(orderId));
    const now = await donationById(this.database, donation.id);
    return { donationId: donation.id, status: now?.status ?? donation.status };
  }

  /**
   * The provider's payment for a donation: made now, or found again by the key made from the donation's id.
   * A refusal cancels the donation, for nothing can ever be paid on it.
   */
  async createPayment(
    provider: PaymentProvider,
    donation: DonationRow,
    event: Pick<EventRecord, 'id' | 'name'>,
  ): Promise<CreatedPayment> {
    try {
      const payment = await provider.createPayment({
        donationId: donation.id,
        eventId: event.id,
        eventName: event.name,
        amount: donation.amount,
        currency: donation.currency,
      });
      await this.changes.attachPayment(this.database, donation.id, payment.paymentId);
      return payment;
    } catch (error) {
      if (!(error instanceof ProviderRefusedError)) throw error;
      await this.cancelRefused(donation.id, error.reason);
      throw new InvalidInputError('PAYMENT_REFUSED', error.message);
    }
  }

  private async payableEvent(ref: string): Promise<EventRecord> {
    const event = await this.events.get(ref);
    if (event.status === 'draft' || event.status === 'archived')
      throw new NotFoundError('EVENT_NOT_FOUND', 'No such event');
    if (event.status !== 'active')
      throw new ConflictError('EVENT_TAKES_NO_DONATIONS', `The event is ${event.status}`);
    return event;
  }

  private async checked(
    provider: PaymentProvider,
    event: EventRecord,
    sent: CreateIntentDto,
  ): Promise<CheckedDonation> {
    const settings = await this.settings.effective(event.overrides);
    const amount = BigInt(sent.amount);
    const currency = sent.currency ?? event.currency;
    const accepted = settings.payment.acceptedCurrencies;
    if (accepted && !accepted.includes(currency))
      throw new InvalidInputError('CURRENCY_NOT_ACCEPTED', `currency must be one of ${accepted.join(', ')}`);
    // The bounds are amounts of the event's currency; in another one they would mean nothing.
    if (currency === event.currency) {
      const { minAmount, maxAmount } = settings.donation;
      if (sent.amount < minAmount)
        throw new InvalidInputError('AMOUNT_TOO_SMALL', `amount must be at least ${minAmount}`);
      if (maxAmount !== null && sent.amount > maxAmount)
        throw new InvalidInputError('AMOUNT_TOO_LARGE', `amount must be at most ${maxAmount}`);
    }
    provider.assertTakes(amount, currency);
    return { amount, currency, holdsMessages: settings.live.moderateMessages };
  }

  private async insert(
    provider: PaymentProvider,
    event: EventRecord,
    { amount, currency, holdsMessages }: CheckedDonation,
    donor: DonorFields,
    key: IdempotencyKey | undefined,
  ): Promise<DonationRow> {
    const id = newId();
    const given: NewDonation = {
      id,
      event_id: event.id,
      amount,
      currency,
      type: provider.type,
      donor_name: donor.donorName,
      donor_email: donor.donorEmail,
      is_anonymous: donor.isAnonymous,
      message: donor.message,
      message_state: donor.message !== null && holdsMessages ? 'held' : 'visible',
      donor_key: donorKeyOf(this.keys, donor.donorEmail),
      staff_id: null,
      staff_name: null,
      provider: provider.name,
      payment_id: null,
      expected_amount: amount,
      expected_currency: currency,
      created_at: timeOfId(id),
    };
    const work = async (tx: Transaction) => {
      if (key && !(await claimKey(tx, key, id)))
        throw new ConflictError('IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is under way');
      return await this.changes.begin(tx, given, 'opened', { actor: DONOR, reason: null });
    };
    try {
      return await this.database.transaction(work);
    } catch (error) {
      // Deleted between the look-up and the insert.
      if (isForeignKeyViolation(error, 'donation_event_id_fkey')) throw eventNotFound();
      throw error;
    }
  }

  private async earlierTry(donationId: string): Promise<DonationRow> {
    const donation = await donationById(this.database, donationId);
    if (donation?.status !== 'PENDING' && donation?.status !== 'FAILED')
      throw new ConflictError(
        'IDEMPOTENCY_KEY_SPENT',
        'The donation of this Idempotency-Key is settled already; use a new key',
      );
    return donation;
  }

  private async cancelRefused(donationId: string, reason: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const donation = await lockDonation(tx, donationId);
      // Only what nothing ever happened to: a donation that failed once may still be paid.
      if (donation?.status !== 'PENDING') return;
      await this.changes.apply(tx, donation, {
        fact: { kind: 'cancelled' },
        actor: SYSTEM,
        reason: `refused by the provider: ${reason}`,
      });
    });
  }

  private opened(answer: string): IntentDto {
    return JSON.parse(this.keys.open('answer-seal', Buffer.from(answer, 'base64'))) as IntentDto;
  }
}
