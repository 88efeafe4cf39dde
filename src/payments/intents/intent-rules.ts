import { Injectable } from '@nestjs/common';
import { ConflictError, InvalidInputError } from '../../common/errors/domain-errors.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database } from '../../data/database.js';
import type { DonationRow, NewDonation } from '../../donations/store/donation-columns.js';
import { donationById } from '../../donations/store/donation-store.js';
import type { Moderation } from '../../donations/recording/new-donation.js';
import { EventLookup, type EventRecord } from '../../events/event-lookup.service.js';
import { takesPayments, visibleTo } from '../../events/event-status.js';
import type { Settings } from '../../settings/settings.js';
import { SettingsService } from '../../settings/settings.service.js';
import { coveringFee, type FeeRate } from './covered-fee.js';
import type { CreateIntentDto } from './dto/intent.dto.js';
import type { PaymentProvider } from '../providers/provider-port.js';
import { PaymentProviders } from '../providers/payment-providers.js';
import { pledgeOfToken } from '../../donations/donors/donor-token.js';

/** What a donor's page asks for beside the four fields. */
type DonorDetails = Pick<NewDonation, 'locale' | 'donor_address' | 'gift_aid' | 'covered_fee'>;

/**
 * The details of an intent, as far as the event asks for them: what it does not ask for is not kept.
 * @throws InvalidInputError for a covered fee that is not the one of the settings, and for a Gift Aid declaration
 *   without the name and the address that it needs
 * @param step what is paid in that currency are multiples of so many minor units
 */
function donorDetails(
  { fields, coverFee }: Settings['donation'],
  { amount, metadata }: CreateIntentDto,
  step: number,
): DonorDetails {
  const address = fields.address === 'hidden' ? null : (metadata.donorAddress ?? null);
  const giftAid = fields.giftAid ? (metadata.giftAid ?? false) : null;
  if (giftAid === true && (address === null || (metadata.donorName ?? null) === null))
    throw new InvalidInputError(
      'GIFT_AID_INCOMPLETE',
      "A Gift Aid declaration needs the donor's name and address",
    );
  return {
    locale: metadata.locale ?? null,
    donor_address: address,
    gift_aid: giftAid,
    covered_fee: coveredFee({ ...coverFee, step }, amount, metadata.coveredFee ?? 0),
  };
}

/** Stated by the page that added it: the very fee of the settings, or nobody could say what was given. */
function coveredFee(
  { offer, step, ...rate }: Settings['donation']['coverFee'] & Required<FeeRate>,
  amount: number,
  covered: number,
) {
  if (covered === 0) return null;
  // A page of one provider may add no more than is needed; ours add what all of them take.
  const fees = [1, step].map((one) => coveringFee(amount - covered, { ...rate, step: one }));
  if (!offer || !fees.includes(covered))
    throw new InvalidInputError(
      'COVERED_FEE_WRONG',
      'metadata.coveredFee is not the fee of the settings for this amount',
    );
  return BigInt(covered);
}

/** What was asked for, found acceptable. */
export interface AcceptedIntent {
  readonly amount: bigint;
  readonly currency: string;
  /** What waits for approval. */
  readonly moderate: Moderation;
  readonly details: DonorDetails;
}

/** What an event takes online. */
@Injectable()
export class IntentRules {
  constructor(
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly providers: PaymentProviders,
  ) {}

  /** @throws NotFoundError (404) */
  async namedEvent(ref: string): Promise<EventRecord> {
    return await this.events.get(ref);
  }

  /**
   * What may be paid now: the pledge whose payment link was followed, or undefined for a new donation. What was
   * promised in the evening is paid after it, so a pledge is paid until the event is archived.
   * @throws NotFoundError (404) for what the public cannot see; ConflictError `EVENT_TAKES_NO_DONATIONS`,
   *   `PLEDGE_NOT_OPEN`; InvalidInputError `PLEDGE_LINK_INVALID`, `PLEDGE_AMOUNT_DIFFERS`
   */
  async payable(event: EventRecord, sent: CreateIntentDto): Promise<DonationRow | undefined> {
    visibleTo(undefined, event);
    const pledge = await this.pledge(event, sent);
    if (!takesPayments(event.status, { ofPledge: pledge !== undefined }))
      throw new ConflictError('EVENT_TAKES_NO_DONATIONS', `The event is ${event.status}`);
    return pledge;
  }

  private async pledge(event: EventRecord, sent: CreateIntentDto): Promise<DonationRow | undefined> {
    const token = sent.metadata.pledgeToken;
    if (token === undefined) return undefined;
    const id = pledgeOfToken(this.keys, token);
    const pledge = id === undefined ? undefined : await donationById(this.database, id);
    if (pledge?.event_id !== event.id)
      throw new InvalidInputError('PLEDGE_LINK_INVALID', 'The payment link is not good any more');
    if (pledge.status !== 'PENDING')
      throw new ConflictError('PLEDGE_NOT_OPEN', 'This pledge was paid or taken back');
    if (BigInt(givenOf(sent)) !== pledge.amount || (sent.currency ?? event.currency) !== pledge.currency)
      throw new InvalidInputError('PLEDGE_AMOUNT_DIFFERS', 'amount must be that of the pledge');
    return pledge;
  }

  /** @throws InvalidInputError (400) an amount or currency that the event or the provider does not take. */
  async accept(
    provider: PaymentProvider,
    event: EventRecord,
    sent: CreateIntentDto,
    pledge: DonationRow | undefined,
  ): Promise<AcceptedIntent> {
    const settings = await this.settings.effective(event.overrides);
    const amount = BigInt(sent.amount);
    const currency = sent.currency ?? event.currency;
    const accepted = settings.payment.acceptedCurrencies;
    if (accepted && !accepted.includes(currency))
      throw new InvalidInputError('CURRENCY_NOT_ACCEPTED', `currency must be one of ${accepted.join(', ')}`);
    // First, because the bounds are of what is left without the fee.
    const details = donorDetails(settings.donation, sent, this.providers.stepOf(currency, pledge?.amount));
    // The bounds are amounts of the event's currency; in another one they would mean nothing. A pledge was taken as it is.
    if (currency === event.currency && !pledge) {
      const { minAmount, maxAmount } = settings.donation;
      const given = givenOf(sent);
      if (given < minAmount)
        throw new InvalidInputError('AMOUNT_TOO_SMALL', `amount must be at least ${minAmount}`);
      if (maxAmount !== null && given > maxAmount)
        throw new InvalidInputError('AMOUNT_TOO_LARGE', `amount must be at most ${maxAmount}`);
    }
    provider.assertTakes(amount, currency);
    return { amount, currency, moderate: settings.live.moderate, details };
  }
}

/** What the donor gives, without what is added for the fee: that much was promised, and so much the settings bound. */
const givenOf = ({ amount, metadata }: CreateIntentDto): number => amount - (metadata.coveredFee ?? 0);
