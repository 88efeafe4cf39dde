import { Injectable } from '@nestjs/common';
import { ConflictError, InvalidInputError, RefusedFieldsError } from '../../common/errors/domain-errors.js';
import { addressLines, type PostalAddress } from '../../common/text/postal-address.js';
import { readAddress } from '../../common/validation/address.dto.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database } from '../../data/database.js';
import type { DonationRow, NewDonation } from '../../donations/store/donation-columns.js';
import { donationById } from '../../donations/store/donation-store.js';
import type { Moderation } from '../../donations/recording/new-donation.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { type EventRecord, visibleTo } from '../../events/event-record.js';
import { takesPayments } from '../../events/event-status.js';
import type { MadeDeclaration } from '../../gift-aid/declarations.service.js';
import { declarationText } from '../../gift-aid/declaration-texts.js';
import type { Settings } from '../../settings/settings.js';
import { SettingsService } from '../../settings/settings.service.js';
import { coveringFee, type FeeRate } from './covered-fee.js';
import type { CreateIntentDto, IntentMetadataDto } from './dto/intent.dto.js';
import type { PaymentProvider } from '../providers/provider-port.js';
import { PaymentProviders } from '../providers/payment-providers.js';
import { pledgeOfToken } from '../../donations/donors/donor-token.js';

/** Optional details that the donor enters on a donation page. */
type DonorDetails = Pick<
  NewDonation,
  'locale' | 'donor_address' | 'address' | 'gift_aid' | 'covered_fee' | 'source'
>;

/** The details of an intent, and the Gift Aid declaration that belongs to it. */
interface Details {
  readonly details: DonorDetails;
  readonly declaration: MadeDeclaration | undefined;
}

/**
 * Returns the details of an intent. Details that the event's settings do not ask for are removed.
 * @param step payments in this currency must be multiples of this number of minor units
 * @throws InvalidInputError if the covered fee differs from the settings, or if a Gift Aid declaration has no name or
 *   address
 */
function donorDetails(settings: Settings, { amount, metadata }: CreateIntentDto, step: number): Details {
  const { fields, coverFee } = settings.donation;
  const sent = sentAddress(metadata);
  const giftAid = fields.giftAid ? (metadata.giftAid ?? false) : null;
  const declaration = fields.giftAid ? declarationOf(settings, metadata, sent.address) : undefined;
  const isAsked = fields.address !== 'hidden';
  const isNamed = (metadata.donorName ?? null) !== null && isAsked && sent.text !== null;
  if (giftAid === true && !declaration && !isNamed)
    throw new InvalidInputError(
      'GIFT_AID_INCOMPLETE',
      "A Gift Aid declaration needs the donor's name and address",
    );
  return {
    declaration,
    details: {
      locale: metadata.locale ?? null,
      donor_address: isAsked ? sent.text : null,
      address: isAsked ? sent.address : null,
      gift_aid: giftAid,
      covered_fee: coveredFee({ ...coverFee, step }, amount, metadata.coveredFee ?? 0),
      source: metadata.source ?? null,
    },
  };
}

/**
 * Returns the address as text and, if it was sent so, structured. The text of a structured address is in the order of its
 * country, so receipts and files print it like the text of a donor.
 * @throws RefusedFieldsError if both forms were sent
 */
function sentAddress({ donorAddress, address: sent, locale }: IntentMetadataDto): {
  text: string | null;
  address: PostalAddress | null;
} {
  if (!sent) return { text: donorAddress ?? null, address: null };
  if (donorAddress) {
    const message = 'metadata.address is not allowed with donorAddress';
    throw new RefusedFieldsError([{ field: 'metadata.address', rule: 'other', message }]);
  }
  const address = readAddress(sent, 'metadata.address');
  return { text: addressLines(address, locale ?? 'en').join('\n'), address };
}

/**
 * Returns the declaration of an intent with the text that the donor has read.
 * @throws InvalidInputError `GIFT_AID_INCOMPLETE`, ConflictError `GIFT_AID_TEXT_CHANGED`
 */
function declarationOf(
  settings: Settings,
  { giftAid, giftAidDeclaration: made, locale }: IntentMetadataDto,
  address: PostalAddress | null,
): MadeDeclaration | undefined {
  if (!made) return undefined;
  if (giftAid !== true || address === null)
    throw new InvalidInputError('GIFT_AID_INCOMPLETE', 'giftAidDeclaration needs giftAid: true and address');
  const text = declarationText(settings, settings.donation.giftAidScope);
  if (text.digest.toString('hex') !== made.textDigest)
    throw new ConflictError(
      'GIFT_AID_TEXT_CHANGED',
      'The text of the declaration has changed; show the new text and ask the donor again',
    );
  const { firstName, lastName } = made;
  const language = locale ?? null;
  return { text, channel: 'online', language, firstName, lastName, address, declaredAt: new Date() };
}

/**
 * Returns the fee that the page added. The fee must match the settings exactly. Otherwise the amount of the donation
 * would be unclear.
 */
function coveredFee(
  { offer, step, ...rate }: Settings['donation']['coverFee'] & Required<FeeRate>,
  amount: number,
  covered: number,
) {
  if (covered === 0) return null;
  // Accept both fees: a page with only one provider may send the exact fee, and our pages send a multiple of the step
  // of all providers.
  const fees = [1, step].map((one) => coveringFee(amount - covered, { ...rate, step: one }));
  if (!offer || !fees.includes(covered))
    throw new InvalidInputError(
      'COVERED_FEE_WRONG',
      'metadata.coveredFee differs from the fee in the settings for this amount',
    );
  return BigInt(covered);
}

/** An intent that passed the checks. */
export interface AcceptedIntent {
  readonly amount: bigint;
  readonly currency: string;
  /** The parts of the donation that need approval by a moderator. */
  readonly moderate: Moderation;
  readonly details: DonorDetails;
  readonly declaration: MadeDeclaration | undefined;
}

/** Rules for online payments of an event. */
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
   * Returns the pledge of the payment link, or undefined for a new donation. Guests may pay a pledge after the end of
   * the event, until the event is archived.
   * @throws NotFoundError (404) if the public cannot see the event; ConflictError `EVENT_TAKES_NO_DONATIONS`,
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
      throw new InvalidInputError('PLEDGE_LINK_INVALID', 'The payment link is no longer valid');
    if (pledge.status !== 'PENDING')
      throw new ConflictError('PLEDGE_NOT_OPEN', 'This pledge is already paid or cancelled');
    if (BigInt(givenOf(sent)) !== pledge.amount || (sent.currency ?? event.currency) !== pledge.currency)
      throw new InvalidInputError(
        'PLEDGE_AMOUNT_DIFFERS',
        'amount and currency must equal those of the pledge',
      );
    return pledge;
  }

  /** @throws InvalidInputError (400) if the event or the provider does not accept the amount or currency */
  async accept(
    provider: Pick<PaymentProvider, 'assertTakes'>,
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
    // Check the fee first, because the limits apply to the amount without the fee.
    const asked = donorDetails(settings, sent, this.providers.stepOf(currency, pledge?.amount));
    // The limits are in the event's currency, so they do not apply to other currencies. They do not apply to a pledge
    // either, because the pledge was already accepted.
    if (currency === event.currency && !pledge) {
      const { minAmount, maxAmount } = settings.donation;
      const given = givenOf(sent);
      if (given < minAmount)
        throw new InvalidInputError('AMOUNT_TOO_SMALL', `amount must be at least ${minAmount}`);
      if (maxAmount !== null && given > maxAmount)
        throw new InvalidInputError('AMOUNT_TOO_LARGE', `amount must be at most ${maxAmount}`);
    }
    provider.assertTakes(amount, currency);
    return { amount, currency, moderate: settings.live.moderate, ...asked };
  }
}

/** Returns the amount without the added fee. Pledges and limits use this amount. */
const givenOf = ({ amount, metadata }: CreateIntentDto): number => amount - (metadata.coveredFee ?? 0);
