import { refuseLiveRehearsal } from '../../payments/providers/rehearsal-keys.js';
import { Injectable } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { newId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import {
  ConflictError,
  InvalidInputError,
  NotFoundError,
  TooManyRequestsError,
  UnavailableError,
} from '../../common/errors/domain-errors.js';
import { formatMoney } from '../../common/money/money.js';
import { dateInWords } from '../../common/text/local-time.js';
import { AppConfig } from '../../config/app-config.js';
import { Database, type Transaction } from '../../data/database.js';
import { guestOfToken, guestTokenOf } from '../../donations/donors/donor-token.js';
import { donorKeyOf } from '../../donations/recording/new-donation.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import type { EventRecord } from '../../events/event-record.js';
import { isPublicStatus } from '../../events/event-status.js';
import { type OfferedCheckout, PaymentProviders } from '../../payments/providers/payment-providers.js';
import type { CardSetup, PaymentProvider } from '../../payments/providers/provider-port.js';
import { MissingRightError } from '../../payments/providers/provider-errors.js';
import type { Settings } from '../../settings/settings.js';
import { SettingsService } from '../../settings/settings.service.js';
import { type CardTerms, termsOf } from './card-terms.js';
import { consentLanguage, type ConsentText, consentText } from './consent-text.js';
import {
  type ComingCharge,
  COMING_CHARGES,
  END_CARDS,
  KEEP_ADDRESS,
  KEEP_OPENED,
  KEEP_READY,
  LOCK_CARD,
  MOVE_CHARGES,
  OPEN_CARD,
  OPENING_CARD_OF_GUEST,
  type PayingGuest,
  PAYING_GUEST,
  READY_CARD_OF_GUEST,
  REPLACE_CARDS,
  type SavedCardRow,
  STOP_CHARGES,
} from './saved-cards.sql.js';

/** Maximum number of times that a guest can begin to save a card in a day. */
const MOST_TRIES = 10;
const DONOR = { kind: 'donor', id: null } as const;

/** The guest of a link, with the saved card and the announced charges. */
export interface GuestCardView {
  readonly guest: PayingGuest;
  readonly event: EventRecord;
  readonly settings: Settings;
  readonly terms: CardTerms;
  readonly card: SavedCardRow | undefined;
  readonly coming: readonly ComingCharge[];
}

/** The consent of a guest, as the page sends it. */
export interface GuestConsent {
  /** Digest of the text that the guest has read, in hexadecimal. */
  readonly textDigest: string;
  /** Language of the page. */
  readonly language: string;
  /** Needed if the guest list has no address, because the guest must get a notice before each charge. */
  readonly email: string | null;
}

/** A provider that can save cards, with its form for the browser. */
export interface CardTaker {
  readonly provider: PaymentProvider &
    Required<Pick<PaymentProvider, 'openCard' | 'readCard' | 'removeCard'>>;
  readonly checkout: OfferedCheckout;
}

/** Lets a guest save a card for the pledges of the evening, see it, stop its charges, and delete it. */
@Injectable()
export class GuestCards {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly config: AppConfig,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly providers: PaymentProviders,
    private readonly audit: Audit,
  ) {}

  /** Returns the address of a guest's page; it works until the end of the cards of the event. */
  linkTo(guestId: string, { slug }: Pick<EventRecord, 'slug'>, { validUntil }: CardTerms): string {
    return `${this.config.publicUrl}/donate/${slug}/ready?guest=${guestTokenOf(this.keys, guestId, validUntil)}`;
  }

  /** Returns the provider that saves cards; undefined if none is set up with a form for the browser. */
  taker(): CardTaker | undefined {
    for (const checkout of this.providers.checkouts) {
      const provider = this.providers.named(checkout.provider);
      if (
        provider.openCard &&
        provider.readCard &&
        provider.removeCard &&
        checkout.publishableKey !== undefined
      )
        return { provider: provider as CardTaker['provider'], checkout };
    }
    return undefined;
  }

  /** Returns the guest of a link; undefined if the link is wrong or has expired, or if the event is not public. */
  async read(token: unknown): Promise<GuestCardView | undefined> {
    const id = guestOfToken(this.keys, token);
    if (id === undefined) return undefined;
    const [guest] = await this.database.query<PayingGuest>(PAYING_GUEST, [id]);
    const event = guest && (await this.events.find(guest.event_id));
    if (!guest || !event || !isPublicStatus(event.status)) return undefined;
    const settings = await this.settings.effective(event.overrides);
    const [card] = await this.database.query<SavedCardRow>(READY_CARD_OF_GUEST, [id]);
    const coming = await this.database.query<ComingCharge>(COMING_CHARGES, [id]);
    return { guest, event, settings, terms: termsOf(event, settings), card, coming };
  }

  /** Returns the text that the guest agrees to. */
  consentTo({ guest, event, settings, terms }: GuestCardView, locale: string): ConsentText {
    const language = consentLanguage(locale);
    return consentText(language, {
      organization: settings.legal.legalName || settings.organization,
      event: event.name,
      paddle: guest.paddle ?? '',
      most: formatMoney(terms.most, terms.currency, language),
      until: dateInWords(terms.lastDay, language, settings.timezone, { currency: terms.currency }),
    });
  }

  /**
   * Begins to save a card. Returns the secret with which the browser sends the card to the provider.
   * @throws NotFoundError `CARD_LINK_INVALID`; ConflictError `CARD_NEEDS_PADDLE`, `CARD_PERIOD_OVER`, `CARD_TEXT_CHANGED`;
   *   InvalidInputError `CARD_NEEDS_EMAIL`; UnavailableError `PAYMENT_METHOD_OFF`
   */
  async begin(token: unknown, sent: GuestConsent): Promise<{ clientSecret: string }> {
    const view = await this.read(token);
    if (!view) throw linkInvalid();
    const { guest, event, terms } = view;
    assertCanSave(view);
    const { provider } = this.taker() ?? cardsOff();
    refuseLiveRehearsal(provider, event.id);
    const text = this.consentTo(view, sent.language);
    if (text.digest.toString('hex') !== sent.textDigest)
      throw new ConflictError(
        'CARD_TEXT_CHANGED',
        'The text has changed; show the new text and ask the guest again',
      );
    if (guest.email === null && sent.email === null)
      throw new InvalidInputError(
        'CARD_NEEDS_EMAIL',
        'An e-mail address is needed for the notice before a charge',
      );
    const id = newId();
    const opened = await this.database.query(OPEN_CARD, [
      id,
      guest.id,
      event.id,
      guest.paddle,
      terms.most,
      terms.currency,
      terms.pledgedUntil,
      terms.validUntil,
      text.digest,
      text.version,
      text.language,
      provider.name,
      MOST_TRIES,
    ]);
    if (opened.length === 0)
      throw new TooManyRequestsError(3_600, 'TOO_MANY_INTENTS', 'This guest has tried too many cards today');
    if (guest.email === null && sent.email !== null)
      await this.database.query(KEEP_ADDRESS, [guest.id, sent.email, donorKeyOf(this.keys, sent.email)]);
    const { customerId, setupId, clientSecret } = await provider.openCard(id).catch((error: unknown) => {
      throw error instanceof MissingRightError ? error.withoutRight() : error;
    });
    await this.database.query(KEEP_OPENED, [id, customerId, setupId]);
    return { clientSecret };
  }

  /**
   * Keeps the card that the guest has just entered. Returns true if the guest has a card that can be charged.
   * @throws NotFoundError `CARD_LINK_INVALID`
   */
  async finish(token: unknown): Promise<boolean> {
    const id = guestOfToken(this.keys, token);
    if (id === undefined) throw linkInvalid();
    const [card] = await this.database.query<SavedCardRow>(OPENING_CARD_OF_GUEST, [id]);
    if (card && (await this.ask(card))) return true;
    return (await this.database.query(READY_CARD_OF_GUEST, [id])).length > 0;
  }

  /** Asks the provider about a card that a guest enters. Returns true if the card can be charged. */
  async ask(card: SavedCardRow): Promise<boolean> {
    const provider = this.providers.ofDonation(card.provider);
    if (!provider.readCard || card.setup_id === null) return false;
    const setup = await provider.readCard(card.setup_id);
    return setup.state === 'ready' && (await this.keepReady(card.id, setup));
  }

  /** Deletes the guest's card, and stops its announced charges. The card is deleted at the provider within minutes. */
  async remove(token: unknown): Promise<void> {
    const id = guestOfToken(this.keys, token);
    if (id === undefined) throw linkInvalid();
    await this.database.transaction(async (tx) => {
      const ended = await tx.query<{ id: string }>(END_CARDS, [id, 'guest']);
      await tx.query(STOP_CHARGES, [id]);
      if (ended.length > 0) await this.audit.record(DONOR, 'card.remove', id, {}, tx);
    });
  }

  /** Stops the announced charges of the guest. The pledges stay open. */
  async stopCharges(token: unknown): Promise<void> {
    const id = guestOfToken(this.keys, token);
    if (id === undefined) throw linkInvalid();
    await this.database.transaction(async (tx) => {
      const stopped = await tx.query(STOP_CHARGES, [id]);
      if (stopped.length > 0)
        await this.audit.record(DONOR, 'card.stop', id, { pledges: stopped.length }, tx);
    });
  }

  private async keepReady(cardId: string, setup: Extract<CardSetup, { state: 'ready' }>): Promise<boolean> {
    return await this.database.transaction(async (tx) => {
      const [card] = await tx.query<SavedCardRow>(LOCK_CARD, [cardId]);
      if (card?.state !== 'opening' || card.guest_id === null) return card?.state === 'ready';
      await this.replaceOthers(tx, card.guest_id, cardId);
      const { methodId, brand, last4, expiryYear, expiryMonth } = setup;
      // The card is valid until the last day of the month: day 0 of the next month.
      const lastDay = new Date(Date.UTC(expiryYear, expiryMonth, 0)).toISOString().slice(0, 10);
      await tx.query(KEEP_READY, [cardId, methodId, brand.slice(0, 40), last4.slice(0, 4), lastDay]);
      await this.audit.record(DONOR, 'card.save', card.guest_id, {}, tx);
      return true;
    });
  }

  private async replaceOthers(tx: Transaction, guestId: string, cardId: string): Promise<void> {
    const replaced = await tx.query<{ id: string }>(REPLACE_CARDS, [guestId, cardId]);
    await tx.query(MOVE_CHARGES, [cardId, replaced.map(({ id }) => id)]);
  }
}

/**
 * Checks that a guest can save a card now.
 * @throws ConflictError `CARD_NEEDS_PADDLE`, `CARD_PERIOD_OVER`
 */
export function assertCanSave({ guest, terms }: Pick<GuestCardView, 'guest' | 'terms'>): void {
  if (guest.paddle === null)
    throw new ConflictError('CARD_NEEDS_PADDLE', 'The guest has no own paddle number, or it is in doubt');
  if (terms.validUntil.getTime() <= Date.now())
    throw new ConflictError('CARD_PERIOD_OVER', 'The time to charge cards for this event is over');
}

const linkInvalid = () => new NotFoundError('CARD_LINK_INVALID', 'The link is not valid any more');

export function cardsOff(): never {
  throw new UnavailableError('PAYMENT_METHOD_OFF', 'Saved cards are not set up on this server', 3_600);
}
