import { Injectable, Logger } from '@nestjs/common';
import { type Actor, SYSTEM } from '../../common/access/principal.js';
import { ConflictError, InvalidInputError, isServerError } from '../../common/errors/domain-errors.js';
import { newId, timeOfId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database, isForeignKeyViolation, type SqlExecutor, type Transaction } from '../../data/database.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import type { DonationRow, NewDonation } from '../../donations/store/donation-columns.js';
import { donationById, lockDonation } from '../../donations/store/donation-store.js';
import { donorTokenOf } from '../../donations/donors/donor-token.js';
import {
  claimKey,
  type IdempotencyKey,
  keepAnswer,
  type KeptAnswer,
  keptAnswer,
  openAnswer,
  readIdempotencyKey,
  sealAnswer,
} from '../../donations/recording/idempotency.js';
import {
  donorFields,
  donorKeyOf,
  moderationStates,
  NOT_AT_A_TERMINAL,
  staysUnnamed,
} from '../../donations/recording/new-donation.js';
import { eventNotFound, type EventRecord } from '../../events/event-lookup.service.js';
import type { Visitor } from './challenge.js';
import { joinCheckout } from '../booking/checkouts.js';
import type { CreateIntentDto, IntentDto } from './dto/intent.dto.js';
import { IntentBudget, IntentLanes } from './intent-budget.js';
import { type AcceptedIntent, IntentRules } from './intent-rules.js';
import type { CreatedPayment, PaymentProvider, PaymentRequest } from '../providers/provider-port.js';
import { joinPledge } from '../booking/pledge-payments.js';
import { MissingRightError, ProviderRefusedError } from '../providers/provider-errors.js';
import { KEEP_PROVIDER_REQUEST } from './provider-requests.sql.js';
import { PaymentProviders } from '../providers/payment-providers.js';

/** An intent's answer as it is kept. */
type OpenedIntent = CreatedPayment['checkout'] & { readonly donationId: string };

const DONOR: Actor = { kind: 'donor', id: null };

/** The page that a donor comes back to from the provider's. */
interface ComingBack {
  /** Where the donor's browser reaches this service. */
  readonly address?: string | undefined;
  /** Of the link that was followed. */
  readonly pledgeToken?: string | undefined;
}

/** Who sends a request, and the address by which it reaches this service. */
interface Visit {
  readonly visitor: Visitor;
  readonly address: string;
}

/** What one request opens. */
interface Opening {
  readonly provider: PaymentProvider;
  readonly event: EventRecord;
  readonly sent: CreateIntentDto;
  /** What is paid by it, where that was promised before. */
  readonly pledge: DonationRow | undefined;
  readonly key: IdempotencyKey | undefined;
}

/** Online donations from a donor's page: the row first, then the provider, then the answer. */
@Injectable()
export class IntentsService {
  private readonly logger = new Logger(IntentsService.name);
  private readonly lanes = new IntentLanes();
  /** By key and request. */
  private readonly underWay = new Map<string, Promise<IntentDto>>();

  constructor(
    private readonly database: Database,
    private readonly rules: IntentRules,
    private readonly providers: PaymentProviders,
    private readonly changes: DonationChanges,
    private readonly keys: KeyRing,
    private readonly budget: IntentBudget,
  ) {}

  /**
   * Creates the PENDING donation and its payment at the provider.
   * @param address where the donor's browser reaches this service, when that is not the configured address
   * @throws InvalidInputError (400) amount or currency not accepted, ConflictError (409) the event takes no
   *   online donations now, UnavailableError (503) the provider is off or away; the same key may be sent again.
   */
  async create(
    sent: CreateIntentDto,
    idempotencyKey: string | undefined,
    visitor: Visitor,
    address = this.providers.publicUrl,
  ): Promise<IntentDto> {
    const event = await this.rules.namedEvent(sent.metadata.eventId);
    const key = readIdempotencyKey(idempotencyKey, `intent:${event.id}`, sent);
    const visit = { visitor, address };
    if (!key) return await this.open(event, sent, undefined, visit);
    // Repeats that arrive while the first is under way share its payment, its budget and its answer.
    const repeated = JSON.stringify([key.scope, key.key, key.digest.toString('base64')]);
    let answer = this.underWay.get(repeated);
    if (!answer) {
      answer = this.open(event, sent, key, visit).finally(() => this.underWay.delete(repeated));
      this.underWay.set(repeated, answer);
    }
    return await answer;
  }

  private async open(
    event: EventRecord,
    sent: CreateIntentDto,
    key: IdempotencyKey | undefined,
    { visitor, address }: Visit,
  ): Promise<IntentDto> {
    // What was answered once comes before what the event and the providers take now, and uses up no budget.
    const kept = key && (await keptAnswer(this.database, key));
    if (kept?.answer) return this.opened(kept.answer);
    const provider = this.providers.forIntent(sent.method, sent.provider);
    const pledge = await this.rules.payable(event, sent);
    const wanted = { eventId: event.id, email: sent.metadata.donorEmail ?? null };
    // A key that has no answer yet is paid for like any other: its earlier try got its hits back when it failed.
    const spent = await this.budget.spend(wanted, visitor);
    const opening = { provider, event, sent, pledge, key };
    try {
      const begin = () => this.begin(opening, kept?.donation_id, address);
      return await this.lanes.run(provider.name, begin, spent.used);
    } catch (error) {
      // A request with the same key at another process was first: with its answer by now, or without.
      const isRepeat = key !== undefined && error instanceof ConflictError;
      if (isRepeat || isServerError(error)) await spent.takeBack();
      const answered = isRepeat ? await keptAnswer(this.database, key) : undefined;
      if (answered?.answer) return this.opened(answered.answer);
      throw error;
    }
  }

  /** @param triedBefore the donation of an earlier try under the same key, which has no answer: it failed on the way */
  private async begin(
    opening: Opening,
    triedBefore: string | undefined,
    address: string,
  ): Promise<IntentDto> {
    const { provider, event, sent, pledge, key } = opening;
    // The same row and provider key go on.
    const donation = triedBefore
      ? await this.earlierTry(triedBefore)
      : await this.insert(opening, await this.rules.accept(provider, event, sent, pledge));
    // An earlier try stays with its provider, whichever is the default by now.
    const payer = this.providers.ofDonation(donation.provider);
    const { checkout } = await this.createPayment(payer, donation, event, {
      address,
      pledgeToken: sent.metadata.pledgeToken,
    }).catch((error: unknown) => {
      throw error instanceof MissingRightError ? error.withoutRight() : error;
    });
    const answer = { ...checkout, donationId: donation.id };
    if (key) await keepAnswer(this.database, key, sealAnswer(this.keys, answer));
    return this.withToken(answer);
  }

  /**
   * The provider's payment for a donation: made now, or found again by the key made from the donation's id.
   * A refusal cancels the donation, for nothing can ever be paid on it.
   * @throws MissingRightError (409) for staff and reconciliation only: it names the right of our key
   */
  async createPayment(
    provider: PaymentProvider,
    donation: DonationRow,
    event: Pick<EventRecord, 'id' | 'name'>,
    { address = this.providers.publicUrl, pledgeToken }: ComingBack = {},
  ): Promise<CreatedPayment> {
    const token = donorTokenOf(this.keys, donation.id);
    // By id: the same key must ask the same, also when the slug has changed meanwhile.
    const page = `${address}/donate/${event.id}`;
    const pledge = pledgeToken === undefined ? '' : `&pledge=${pledgeToken}`;
    try {
      const payment = await provider.createPayment(
        await this.kept(provider, {
          donationId: donation.id,
          eventId: event.id,
          eventName: event.name,
          amount: donation.amount,
          currency: donation.currency,
          returnTo: {
            approved: `${page}/thanks?donation=${token}&returned=1${pledge}`,
            cancelled: `${page}?cancelled=1${pledge}`,
          },
        }),
      );
      await this.changes.attachPayment(this.database, donation.id, payment.paymentId);
      const ids = { donationId: donation.id, eventId: donation.event_id, paymentId: payment.paymentId };
      this.logger.log({ msg: 'Payment created', provider: provider.name, ...ids });
      return payment;
    } catch (error) {
      // Once the key has the right, the same request may still be paid.
      if (error instanceof MissingRightError || !(error instanceof ProviderRefusedError)) throw error;
      await this.cancelRefused(donation.id, error.reason);
      throw new InvalidInputError('PAYMENT_REFUSED', error.message);
    }
  }

  /** The request with the text that its first try sent: the same key must ask the same. */
  private async kept(provider: PaymentProvider, request: PaymentRequest): Promise<PaymentRequest> {
    if (!provider.bodyOf) return request;
    const key = `intent:${request.donationId}`;
    const body = await keepProviderRequest(this.database, provider.name, key, provider.bodyOf(request));
    return { ...request, body };
  }

  private async insert(
    { provider, event, sent: { metadata }, pledge, key }: Opening,
    { amount, currency, moderate, details }: AcceptedIntent,
  ): Promise<DonationRow> {
    const id = newId();
    // Who promised without being named is not named by paying, unless the donor says so now.
    const unnamed = metadata.isAnonymous ?? (pledge && staysUnnamed(pledge));
    const { donorName, donorEmail, message, checkoutId } = metadata;
    const donor = donorFields({ donorName, donorEmail, message, isAnonymous: unnamed });
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
      ...moderationStates(moderate, donor),
      donor_key: donorKeyOf(this.keys, donor.donorEmail),
      staff_id: null,
      staff_name: null,
      provider: provider.name,
      payment_id: null,
      expected_amount: amount,
      expected_currency: currency,
      ...details,
      created_at: timeOfId(id),
      ...NOT_AT_A_TERMINAL,
    };
    const work = async (tx: Transaction) => {
      if (key && !(await claimKey(tx, key, id)))
        throw new ConflictError('IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is under way');
      const donation = this.changes.begin(tx, given, 'opened', { actor: DONOR, reason: null });
      if (pledge) await joinPledge(tx, id, pledge);
      else if (checkoutId !== undefined) await joinCheckout(tx, id, event.id, checkoutId);
      return donation;
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
      this.changes.apply(tx, donation, {
        fact: { kind: 'cancelled' },
        actor: SYSTEM,
        reason: `refused by the provider: ${reason}`,
      });
    });
  }

  private opened(sealed: NonNullable<KeptAnswer['answer']>): IntentDto {
    return this.withToken(openAnswer(this.keys, sealed) as OpenedIntent);
  }

  private withToken(answer: OpenedIntent): IntentDto {
    return { ...answer, donorToken: donorTokenOf(this.keys, answer.donationId) };
  }
}

/**
 * Writes down what is about to be sent under a provider's key, and gives what must be sent: the text of the first
 * try, where there was one.
 */
async function keepProviderRequest(
  db: SqlExecutor,
  provider: string,
  key: string,
  body: string,
): Promise<string> {
  const [row] = await db.query<{ body: string }>(KEEP_PROVIDER_REQUEST, [provider, key, body]);
  if (!row) throw new Error('the request was not kept');
  return row.body;
}
