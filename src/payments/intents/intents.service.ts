import { Injectable, Logger } from '@nestjs/common';
import { type Actor, SYSTEM } from '../../common/access/principal.js';
import { ConflictError, InvalidInputError, isServerError } from '../../common/errors/domain-errors.js';
import { declare } from '../../gift-aid/declarations.service.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database, isForeignKeyViolation, type SqlExecutor, type Transaction } from '../../data/database.js';
import { DonationChanges } from '../../donations/lifecycle/donation-changes.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
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
import { eventNotFound, type EventRecord } from '../../events/event-record.js';
import type { Visitor } from './challenge.js';
import { joinCheckout } from '../booking/checkouts.js';
import type { CreateIntentDto, IntentDto } from './dto/intent.dto.js';
import { IntentBudget, IntentLanes } from './intent-budget.js';
import { teamChosen } from '../../teams/team-choice.js';
import { intendedDonation } from './intended-donation.js';
import { type AcceptedIntent, IntentRules } from './intent-rules.js';
import type { CreatedPayment, PaymentProvider, PaymentRequest } from '../providers/provider-port.js';
import { joinPledge, lockPayablePledge } from '../booking/pledge-payments.js';
import { MissingRightError, ProviderRefusedError } from '../providers/provider-errors.js';
import { KEEP_PROVIDER_REQUEST } from './provider-requests.sql.js';
import { PaymentProviders } from '../providers/payment-providers.js';
import { refuseLiveRehearsal } from '../providers/rehearsal-keys.js';
import { TransferIntents } from './transfer-intents.service.js';

/** The stored answer of an intent. */
type OpenedIntent = CreatedPayment['checkout'] & { readonly donationId: string };

const DONOR: Actor = { kind: 'donor', id: null };

/** The page of this service to which the provider sends the donor back. */
interface ComingBack {
  /** Address of this service that the donor's browser uses. */
  readonly address?: string | undefined;
  /** Token of the payment link that the donor followed. */
  readonly pledgeToken?: string | undefined;
  /** Address of the team that the donor chose. */
  readonly team?: string | undefined;
}

/** The sender of a request, and the address of this service that the sender used. */
interface Visit {
  readonly visitor: Visitor;
  readonly address: string;
}

/** One request that starts a payment. */
interface Opening {
  readonly provider: PaymentProvider;
  readonly event: EventRecord;
  readonly sent: CreateIntentDto;
  /** The pledge that this payment pays, if any. */
  readonly pledge: DonationRow | undefined;
  readonly key: IdempotencyKey | undefined;
}

/** Online donations from a donation page. The service stores the donation, calls the provider, then answers. */
@Injectable()
export class IntentsService {
  private readonly logger = new Logger(IntentsService.name);
  private readonly lanes = new IntentLanes();
  /** Requests in progress, by idempotency key and content. */
  private readonly underWay = new Map<string, Promise<IntentDto>>();

  constructor(
    private readonly database: Database,
    private readonly rules: IntentRules,
    private readonly providers: PaymentProviders,
    private readonly changes: DonationChanges,
    private readonly keys: KeyRing,
    private readonly budget: IntentBudget,
    private readonly transfers: TransferIntents,
  ) {}

  /**
   * Creates the PENDING donation and its payment at the provider. After a 503, the client may send the same key
   * again.
   * @param address address of this service in the donor's browser, if it is not the configured one.
   * @throws InvalidInputError (400) if the amount or currency is not accepted, ConflictError (409) if the event
   *   accepts no online donations now, UnavailableError (503) if the provider is off or unavailable.
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
    // A repeat of a request in progress waits for the answer of the first request. It starts no second payment and
    // uses no budget.
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
    if (sent.method === 'transfer') return await this.transfers.open(event, sent, key, visitor);
    // Send a stored answer again, even if the event or provider has changed. This uses no budget.
    const kept = key && (await keptAnswer(this.database, key));
    if (kept?.answer) return this.opened(kept.answer);
    const provider = this.providers.forIntent(sent.method, sent.provider);
    refuseLiveRehearsal(provider, event.id);
    const pledge = await this.rules.payable(event, sent);
    const wanted = { eventId: event.id, email: sent.metadata.donorEmail ?? null };
    // Without a stored answer, a retry uses the budget again, because the failed try does not count in the budget.
    const spent = await this.budget.spend(wanted, visitor);
    const opening = { provider, event, sent, pledge, key };
    try {
      const begin = () => this.begin(opening, kept?.donation_id, address);
      return await this.lanes.run(provider.name, begin, spent.used);
    } catch (error) {
      // After a conflict, another process may have handled the same key first and stored an answer.
      const isRepeat = key !== undefined && error instanceof ConflictError;
      if (isRepeat || isServerError(error)) await spent.takeBack();
      const answered = isRepeat ? await keptAnswer(this.database, key) : undefined;
      if (answered?.answer) return this.opened(answered.answer);
      throw error;
    }
  }

  /** @param triedBefore id of the donation, if an earlier try with the same key stored a donation but no answer */
  private async begin(
    opening: Opening,
    triedBefore: string | undefined,
    address: string,
  ): Promise<IntentDto> {
    const { provider, event, sent, pledge, key } = opening;
    // A retry continues with the stored donation, and so with the same idempotency key at the provider.
    const donation = triedBefore
      ? await this.earlierTry(triedBefore)
      : await this.insert(opening, await this.rules.accept(provider, event, sent, pledge));
    // A retry keeps its provider, even if the default provider has changed.
    const payer = this.providers.ofDonation(donation.provider);
    const { checkout } = await this.createPayment(payer, donation, event, {
      address,
      pledgeToken: sent.metadata.pledgeToken,
      team: sent.metadata.team,
    }).catch((error: unknown) => {
      throw error instanceof MissingRightError ? error.withoutRight() : error;
    });
    const answer = { ...checkout, donationId: donation.id };
    if (key) await keepAnswer(this.database, key, sealAnswer(this.keys, answer));
    return this.withToken(answer);
  }

  /**
   * Creates the provider's payment for a donation. If the payment exists already, the provider returns it, because
   * the idempotency key contains the donation id. If the provider refuses the payment, the donation is cancelled,
   * because it can never be paid.
   * @throws MissingRightError (409) if our key lacks a permission; donors must not receive this error, because it names
   *   the right
   */
  async createPayment(
    provider: PaymentProvider,
    donation: DonationRow,
    event: Pick<EventRecord, 'id' | 'name'>,
    { address = this.providers.publicUrl, pledgeToken, team }: ComingBack = {},
  ): Promise<CreatedPayment> {
    refuseLiveRehearsal(provider, event.id);
    const token = donorTokenOf(this.keys, donation.id);
    // Use the event id, not the slug. The slug may change, but a request with the same key must stay the same.
    const page = `${address}/donate/${event.id}`;
    const pledge = pledgeToken === undefined ? '' : `&pledge=${pledgeToken}`;
    const forTeam = team === undefined ? '' : `&team=${encodeURIComponent(team)}`;
    try {
      const payment = await provider.createPayment(
        await this.kept(provider, {
          donationId: donation.id,
          eventId: event.id,
          eventName: event.name,
          amount: donation.amount,
          currency: donation.currency,
          returnTo: {
            approved: `${page}/thanks?donation=${token}&returned=1${pledge}${forTeam}`,
            cancelled: `${page}?cancelled=1${pledge}${forTeam}`,
          },
        }),
      );
      await this.changes.attachPayment(this.database, donation.id, payment.paymentId);
      const ids = { donationId: donation.id, eventId: donation.event_id, paymentId: payment.paymentId };
      this.logger.log({ msg: 'Payment created', provider: provider.name, ...ids });
      return payment;
    } catch (error) {
      // Do not cancel the donation for a missing permission: after an admin adds the permission to the key, the donor can pay
      // with the same request.
      if (error instanceof MissingRightError || !(error instanceof ProviderRefusedError)) throw error;
      await this.cancelRefused(donation.id, error.reason);
      throw new InvalidInputError('PAYMENT_REFUSED', error.message);
    }
  }

  /**
   * Returns the request with the body of the first try, because every request with the same key must have the same
   * body.
   */
  private async kept(provider: PaymentProvider, request: PaymentRequest): Promise<PaymentRequest> {
    if (!provider.bodyOf) return request;
    const key = `intent:${request.donationId}`;
    const body = await keepProviderRequest(this.database, provider.name, key, provider.bodyOf(request));
    return { ...request, body };
  }

  private async insert(
    { provider, event, sent: { metadata }, pledge, key }: Opening,
    accepted: AcceptedIntent,
  ): Promise<DonationRow> {
    const teamId = await teamChosen(this.database, event.id, metadata.team);
    const given = intendedDonation(this.keys, { event, metadata, pledge, accepted, teamId }, provider);
    const { id } = given;
    const { checkoutId } = metadata;
    const { declaration } = accepted;
    const work = async (tx: Transaction) => {
      if (key && !(await claimKey(tx, key, id)))
        throw new ConflictError('IDEMPOTENCY_KEY_IN_USE', 'A request with this Idempotency-Key is under way');
      if (pledge) await lockPayablePledge(tx, pledge.id);
      const donation = this.changes.begin(tx, given, 'opened', { actor: DONOR });
      if (declaration) await declare(tx, donation, declaration);
      if (pledge) await joinPledge(tx, id, pledge);
      else if (checkoutId !== undefined) await joinCheckout(tx, id, event.id, checkoutId);
      return donation;
    };
    try {
      return await this.database.transaction(work);
    } catch (error) {
      // The event was deleted between the look-up and the insert.
      if (isForeignKeyViolation(error, 'donation_event_id_fkey')) throw eventNotFound();
      throw error;
    }
  }

  private async earlierTry(donationId: string): Promise<DonationRow> {
    const donation = await donationById(this.database, donationId);
    if (donation?.status !== 'PENDING' && donation?.status !== 'FAILED')
      throw new ConflictError(
        'IDEMPOTENCY_KEY_SPENT',
        'The donation of this Idempotency-Key is already settled; use a new key',
      );
    return donation;
  }

  private async cancelRefused(donationId: string, reason: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const donation = await lockDonation(tx, donationId);
      // Cancel only PENDING donations: a FAILED donation may still be paid.
      if (donation?.status !== 'PENDING') return;
      this.changes.apply(tx, donation, {
        fact: { kind: 'cancelled' },
        actor: SYSTEM,
        cause: { kind: 'payment_refused', code: reason },
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

/** Stores the body of a request to a provider by its idempotency key. If an earlier try stored one, returns that body. */
export async function keepProviderRequest(
  db: SqlExecutor,
  provider: string,
  key: string,
  body: string,
): Promise<string> {
  const [row] = await db.query<{ body: string }>(KEEP_PROVIDER_REQUEST, [provider, key, body]);
  if (!row) throw new Error('The provider request was not stored');
  return row.body;
}
