import type { IncomingHttpHeaders } from 'node:http';
import type { KeyRights } from './key-rights.js';
import { tidyEmail } from '../../common/text/email-address.js';
import { textProblem, tidyText } from '../../common/text/text.js';

/**
 * The port to payment providers. Code outside the providers' folders uses only these types, not the types of the
 * providers' libraries. All amounts are in minor units.
 */

/** Methods of online payment: the `method` of an intent and the `type` of its donation. */
export const ONLINE_TYPES = ['card', 'wallet'] as const;

export type OnlineType = (typeof ONLINE_TYPES)[number];

/** Ids of a payment at the provider and here. */
export interface PaymentRef {
  /** The provider's payment object: a payment intent or an order. */
  readonly paymentId: string;
  /** Id of our donation, if the payment contains this id. */
  readonly donationId?: string;
  /** Event id or slug, if a checkout page created the payment. */
  readonly eventRef?: string;
}

/** The provider's fee, in the currency of our account at the provider. */
export interface ProviderFee {
  readonly amount: bigint;
  readonly currency: string;
}

/** Actions that the charity must take at the provider, so that the provider releases held money. */
export const HOLD_ACTIONS = ['accept', 'verify', 'open_account', 'answer', 'look'] as const;

/** Money that the provider holds until the charity acts. */
export interface PaymentHold {
  readonly action: (typeof HOLD_ACTIONS)[number];
  /** The provider's own code. */
  readonly reason: string;
}

/** `bank`: the donor's bank answers within days. `donor`: the donor must still pay a voucher, a code or a transfer. */
export const AWAITED_PARTS = ['bank', 'donor'] as const;
export type AwaitedPart = (typeof AWAITED_PARTS)[number];

export interface PaidFact extends PaymentRef {
  readonly kind: 'paid';
  /** The charge or capture at the provider. */
  readonly captureId?: string;
  readonly amount: bigint;
  readonly currency: string;
  /** True if the payment is captured in several parts, so its amount may grow. */
  readonly isGrowing?: boolean;
  readonly paidAt: Date;
  /** Absent until the provider reports it. */
  readonly fee?: ProviderFee;
  /** Set if a further part of the payment is held. */
  readonly hold?: PaymentHold;
  /** The donor as typed on a checkout page, if the payment was made without an intent. */
  readonly donor?: {
    readonly name?: string;
    readonly email?: string;
    readonly isAnonymous?: boolean;
    readonly isAmountHidden?: boolean;
    readonly message?: string;
  };
  /** Absent until the provider reports it. It is only shown, and no decision depends on it. */
  readonly method?: PaidMethod;
  /** The owner of the wallet. The name is only for the receipt, because the donor did not type it for the public. */
  readonly payer?: Payer;
}

/** How a donor paid, in the provider's own words. */
export interface PaidMethod {
  /** Such as `card`, `ideal` or `sepa_debit`. */
  readonly method: string;
  /** The wallet that holds the card, such as `apple_pay`. */
  readonly wallet?: string;
}

/** Name and e-mail address that a wallet sends with a payment. */
export interface Payer {
  readonly name?: string;
  readonly email?: string;
}

export type RefundStatus = 'pending' | 'succeeded' | 'failed' | 'cancelled';

export interface RefundFact extends PaymentRef {
  readonly kind: 'refund';
  readonly providerRefundId: string;
  /** Id of our refund row, if this service requested the refund. */
  readonly refundId?: string;
  /** The refunded capture, if the payment has several captures. */
  readonly captureId?: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: RefundStatus;
  /** The provider's status, if this service does not know it; `status` is then `pending`. */
  readonly unknownStatus?: string;
  /** Parts of the same refund from other captures. Each part is a separate refund at the provider. */
  readonly others?: readonly RefundFact[];
}

export interface DisputeFact extends PaymentRef {
  readonly kind: 'dispute';
  readonly disputeId: string;
  readonly amount: bigint;
  readonly currency: string;
  /**
   * State in our books. With an open or won dispute, the donation keeps its money; with a lost dispute, the money is
   * returned.
   */
  readonly status: 'open' | 'won' | 'lost';
  /** The provider's own status, such as `warning_needs_response`. */
  readonly providerStatus?: string;
  readonly reason?: string;
  /** True for a question of the bank or the donor: no money has moved. */
  readonly isInquiry?: boolean;
  /** True if a decided dispute is under review again. Until the review ends, `status` is the earlier decision. */
  readonly isAppeal?: boolean;
  /**
   * True if this service does not know `providerStatus`. In this case, `status` has no meaning, and staff must check
   * the dispute.
   */
  readonly isUnknown?: boolean;
  /** True if the charity must act. If absent, the charity must act while the dispute is open or appealed. */
  readonly needsAnswer?: boolean;
  /** Deadline for the answer. Without an answer, the dispute is lost. */
  readonly dueBy?: Date;
  readonly fee?: ProviderFee;
  /**
   * True if the provider also shows the money of a lost dispute as a refund. In this case, only the refund is booked
   * as returned money.
   */
  readonly moneyIsRefund?: boolean;
  /** Time of this state at the provider. A later state replaces an earlier state. */
  readonly asOf?: Date;
}

/** The card's bank reports the payment as fraud. The report itself moves no money. */
export interface FraudWarningFact extends PaymentRef {
  readonly kind: 'fraud_warning';
  /** The provider's own code, such as `made_with_stolen_card`. */
  readonly reason: string;
}

/** Ids of a payment in the provider's dashboard. */
export interface PaymentNames {
  readonly paymentId: string | null;
  readonly captureId: string | null;
}

export const PAYOUT_ITEM_KINDS = ['payment', 'refund', 'dispute', 'fee', 'other'] as const;

/** Money of one currency that a provider holds, in minor units. Negative after refunds that exceed the payments. */
export interface ProviderBalance {
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Money that the provider can send to the bank now. */
  readonly available: bigint;
  /** Money that the provider does not release yet. */
  readonly pending: bigint;
}

/**
 * One transaction in a payout. Amounts are in minor units of the payout's currency. Amounts that the charity pays are
 * negative.
 */
export interface PayoutItem {
  readonly itemId: string;
  readonly kind: (typeof PAYOUT_ITEM_KINDS)[number];
  readonly amount: bigint;
  readonly fee: bigint;
  readonly net: bigint;
  readonly currency: string;
  /** Payment id of the item, the same as `paymentId` of a donation. */
  readonly paymentId?: string;
  readonly at: Date;
}

/** Money on its way to the charity's bank account. */
export interface Payout {
  readonly payoutId: string;
  readonly amount: bigint;
  readonly currency: string;
  /** The provider's own status, such as `paid`. */
  readonly status: string;
  readonly arrivesAt: Date;
  readonly createdAt: Date;
  /** True if the provider lists the items. Manual payouts have no list. */
  readonly isItemized: boolean;
}

/** A fact about a payment. The same fact may arrive several times, and facts arrive in any order. */
export type PaymentFact =
  | PaidFact
  /** The donor approved the payment. The money moves only with a capture. */
  | (PaymentRef & { readonly kind: 'approved' })
  /**
   * Money may arrive without our action: the bank is processing the payment, or the donor has a voucher, code or bank
   * details that are valid `until` this time.
   */
  | (PaymentRef & {
      readonly kind: 'processing';
      readonly until?: Date;
      readonly hold?: PaymentHold;
      readonly waitsFor?: AwaitedPart;
    })
  | (PaymentRef & {
      readonly kind: 'failed';
      readonly reason?: string;
      /** True if the donor had finished on the page, and a bank refused the payment later. */
      readonly wasUnderWay?: boolean;
    })
  /** This service does not know the provider's status. Money may have moved, so staff must check. */
  | (PaymentRef & { readonly kind: 'unknown'; readonly status: string })
  | (PaymentRef & { readonly kind: 'cancelled' })
  | RefundFact
  | DisputeFact
  | FraudWarningFact;

/** A webhook event: delivered with a valid signature, or listed by the provider. */
export interface WebhookEvent {
  /** Unique at the provider, so that each event is handled once. */
  readonly id: string;
  /** The provider's event type, such as `payment_intent.succeeded`. */
  readonly kind: string;
  /** The provider's own object, only for `factsOf` of the same provider. */
  readonly content: unknown;
  /** Creation time by the provider's clock, if given. Repeated deliveries have the same time. */
  readonly createdAt?: Date;
  /** True if the provider took money back without our request. A review item reports this to staff. */
  readonly isReversal?: boolean;
}

/** Facts about one payment, found by a walk. */
export interface WalkedFacts {
  readonly facts: readonly PaymentFact[];
  /** As in `WebhookEvent`. */
  readonly isReversal?: boolean;
}

/** Reason why a webhook event about money gives no facts. */
export type WebhookObstacle =
  /** The provider does not know the object, or does not show it to our key. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** The event lacks required fields. A new delivery would lack them too. */
  | { readonly kind: 'malformed'; readonly reason: string }
  /** The payment refers to our donation or event, but pays another account. */
  | ({ readonly kind: 'other_payee'; readonly payee: string | null } & PaymentRef);

export interface PaymentRequest {
  readonly donationId: string;
  readonly eventId: string;
  readonly eventName: string;
  readonly amount: bigint;
  readonly currency: string;
  /** Our pages to which the provider returns the donor. If absent, the provider's default pages are used. */
  readonly returnTo?: { readonly approved: string; readonly cancelled: string };
  /** Body of an earlier try from `bodyOf`. It is sent again unchanged. */
  readonly body?: string;
}

export interface CreatedPayment {
  readonly paymentId: string;
  /** Data for the donor's page. The answer to an intent is this data and `donationId`. */
  readonly checkout:
    { readonly clientSecret: string } | { readonly orderId: string; readonly approveUrl: string };
}

export interface RefundRequest {
  /** Id of our refund row. The idempotency key for the provider contains this id. */
  readonly refundId: string;
  readonly paymentId: string;
  readonly captureId: string | null;
  readonly amount: bigint;
  readonly currency: string;
}

/** A card at the provider, for later payments while its owner is away. */
export interface OpenedCard {
  readonly customerId: string;
  readonly setupId: string;
  /** Secret for the guest's browser, which sends the card to the provider. */
  readonly clientSecret: string;
}

/** The state of a card: the guest has not entered it yet, it can be charged, or it never can be. */
export type CardSetup =
  | { readonly state: 'open' }
  | { readonly state: 'ended' }
  | {
      readonly state: 'ready';
      readonly methodId: string;
      readonly brand: string;
      /** Last digits of the number. */
      readonly last4: string;
      readonly expiryMonth: number;
      readonly expiryYear: number;
    };

/** The charge of a saved card. */
export interface CardChargeRequest {
  /** The idempotency key contains this id, so a pledge is charged at most once. */
  readonly pledgeId: string;
  /** The donation that the charge pays. */
  readonly donationId: string;
  readonly eventId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly customerId: string;
  readonly methodId: string;
  /** Body of an earlier try from `chargeBodyOf`. It is sent again unchanged. */
  readonly body?: string;
}

/**
 * Interface of a payment provider. Every call may throw
 * - `ProviderRefusedError`: the provider refused, and nothing changed there; `MissingRightError` if our key lacks a
 *   right;
 * - `ProviderUnavailableError`: no usable answer, so the call may have succeeded. The caller repeats the call with
 *   the same ids.
 */
export interface PaymentProvider {
  /** The name in the provider's definition. */
  readonly name: string;
  readonly type: OnlineType;
  /** True if the keys cannot move real money. Without it, the provider takes no payment for a rehearsal. */
  readonly isTest?: boolean;
  /** Permissions of the API key; absent if the provider has no such permissions. */
  readonly rights?: KeyRights;

  /** Accepted currencies, ISO 4217 in lower case; absent if the provider decides for each payment. */
  readonly currencies?: readonly string[];

  /** @throws InvalidInputError if the provider does not accept that amount in that currency */
  assertTakes(amount: bigint, currency: string): void;

  /** Payments in a currency must be multiples of this number of minor units; 1 if absent. */
  stepOf?(currency: string): number;

  /**
   * Returns the request body of `createPayment`. The caller stores the body before the first try. A retry with the
   * same key must send the same bytes, even if names, addresses or this program have changed.
   */
  bodyOf?(request: PaymentRequest): string;

  /**
   * Creates the payment. If the donation already has a payment, returns it; the idempotency key contains the donation
   * id.
   */
  createPayment(request: PaymentRequest): Promise<CreatedPayment>;

  /**
   * Begins to save a card for later payments. A repeat with the same id returns the same objects. Absent if the provider cannot
   * save cards; the other methods for saved cards are then absent too.
   * @param cardId id of our row of the card
   */
  openCard?(cardId: string): Promise<OpenedCard>;

  /** Returns the state of a card that a guest enters. */
  readCard?(setupId: string): Promise<CardSetup>;

  /** Deletes a card at the provider. A card that is already deleted is a success. */
  removeCard?(customerId: string): Promise<void>;

  /** Returns the request body of `chargeCard`, as `bodyOf` does. */
  chargeBodyOf?(request: CardChargeRequest): string;

  /**
   * Charges a saved card while its owner is away. A decline, or a bank that asks for its owner, is the fact `failed`. If the
   * pledge was charged already, returns the facts of that charge.
   */
  chargeCard?(request: CardChargeRequest): Promise<PaymentFact[]>;

  /** Returns the facts of a charge after a lost answer; undefined if the provider has no such charge. */
  findCharge?(customerId: string, donationId: string): Promise<PaymentFact[] | undefined>;

  /** Returns the current facts of a payment, including refunds and disputes. */
  readPayment(paymentId: string): Promise<PaymentFact[]>;

  /** Returns how a payment was paid, with one request; undefined if the provider does not report it. */
  readMethod?(paymentId: string): Promise<PaidMethod | undefined>;

  /**
   * Cancels an unpaid payment and returns its new facts: `cancelled`, or the facts of a payment that is paid,
   * processing or unknown. Call this method only through `cancelUnlessUnderWay`. A provider that cannot cancel
   * payments returns `cancelled` if no money can move without a further call.
   */
  cancelPayment(paymentId: string): Promise<PaymentFact[]>;

  /**
   * Pays a payment with a test card, which accepts or declines it. A repeat changes nothing. Call it only if `isTest` is true.
   * Absent if only a person can approve a payment.
   */
  payWithTestCard?(paymentId: string, isDeclined: boolean): Promise<void>;

  /**
   * Captures an approved payment. "Already captured" is a success. Absent if the provider has no capture step.
   * @param refusals number of earlier refusals. This number is part of the idempotency key, because for the same key
   *   a provider may always repeat the stored refusal
   */
  capturePayment?(paymentId: string, refusals?: number): Promise<PaymentFact[]>;

  /** Refunds money. If a refund with the same `refundId` exists already, returns it. */
  refundPayment(request: RefundRequest): Promise<RefundFact>;

  /** Returns the current state of a refund. */
  readRefund(providerRefundId: string, payment: PaymentRef): Promise<RefundFact>;

  /**
   * Verifies the signature of the raw bytes, then parses them.
   * @throws InvalidInputError (400) for a wrong, missing or outdated signature, or signed non-JSON
   */
  readWebhook(body: Buffer, headers: IncomingHttpHeaders): Promise<WebhookEvent>;

  /**
   * Returns the facts of a webhook event. Reads the payment from the provider if the signature does not cover the
   * whole body.
   * @param hindered called with the reason if an event about money gives no facts
   */
  factsOf(webhookEvent: WebhookEvent, hindered?: (obstacle: WebhookObstacle) => void): Promise<PaymentFact[]>;

  /** True if the event contains all facts, so that `factsOf` sends no request. */
  saysAll?(webhookEvent: WebhookEvent): boolean;

  /**
   * Lists the events of the used types between two times, newest first. The list contains delivered and undelivered
   * events.
   */
  events(from: Date, until?: Date): AsyncIterable<WebhookEvent>;

  /** Returns one event; undefined if the provider no longer keeps it. */
  event(id: string): Promise<WebhookEvent | undefined>;

  /** Number of days that `events` can go back; 30 if absent. */
  readonly eventsKeptDays?: number;

  /** Maximum delay before a new event appears in the list; five minutes if absent. */
  readonly eventsListedWithinMs?: number;

  /**
   * Returns used event types without a subscription at the provider. Undefined if our key has no permission to read
   * subscriptions, or if the provider has no endpoint of ours.
   */
  unsubscribed?(): Promise<readonly string[] | undefined>;

  /**
   * Lists all payments, refunds and disputes that were created or changed since a time. The list may also contain
   * older objects, and payments of other systems on the same account. Used to repair the database after a restored
   * backup.
   */
  walk?(since: Date): AsyncIterable<WalkedFacts>;

  /**
   * Returns payouts since a time; undefined if our key has no permission to read payouts. Absent if the provider has
   * no list of payouts.
   */
  payouts?(since: Date): Promise<readonly Payout[] | undefined>;

  /**
   * Returns the money that the provider holds for the account, for all events together; undefined if our key has no
   * permission to read the balance. Absent if the provider has no balance.
   */
  balance?(): Promise<readonly ProviderBalance[] | undefined>;

  /** Returns the items of an itemized payout. */
  payoutItems?(payoutId: string): Promise<readonly PayoutItem[] | undefined>;

  /**
   * Returns the address of a payment in the provider's dashboard; undefined if there is no dashboard, as for the
   * sandbox.
   */
  dashboardUrl?(payment: PaymentNames): string | undefined;
}

/** Returns an e-mail address from a provider or a checkout page if it follows our rules; otherwise undefined. */
export const foreignEmail = (text: string | undefined): string | undefined =>
  foreignText(text?.isWellFormed() ? tidyEmail(text) : undefined, { max: 254 });

/** Returns text from a provider or a checkout page if it follows our rules; otherwise undefined. */
export function foreignText(
  text: string | undefined,
  rule: { max: number; multiline?: boolean },
): string | undefined {
  if (!text?.isWellFormed()) return undefined;
  const tidy = tidyText(text);
  return tidy === '' || textProblem(tidy, rule) !== undefined ? undefined : tidy;
}

/** Maximum length of a provider's word for a method. */
const METHOD_LENGTH = 40;

/**
 * Returns a provider's words for the method and the wallet, cut to a safe length; undefined if the method is
 * not a text of one line.
 */
export function foreignMethod(method: string | undefined, wallet?: string): PaidMethod | undefined {
  const [word, other] = [method, wallet].map((text) =>
    foreignText(text && Array.from(text).slice(0, METHOD_LENGTH).join(''), { max: METHOD_LENGTH }),
  );
  if (word === undefined) return undefined;
  return { method: word, ...(other !== undefined && { wallet: other }) };
}

/**
 * Returns the payer in a provider's answer, without texts that break our rules; undefined if nothing remains.
 */
export function foreignPayer(name: string | undefined, email: string | undefined): Payer | undefined {
  const kept = { name: foreignText(name, { max: 200 }), email: foreignEmail(email) };
  if (kept.name === undefined && kept.email === undefined) return undefined;
  return {
    ...(kept.name !== undefined && { name: kept.name }),
    ...(kept.email !== undefined && { email: kept.email }),
  };
}
