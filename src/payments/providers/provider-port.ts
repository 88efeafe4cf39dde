import type { IncomingHttpHeaders } from 'node:http';
import type { KeyRights } from './key-rights.js';
import { tidyEmail } from '../../common/text/email-address.js';
import { textProblem, tidyText } from '../../common/text/text.js';

/** The port to payment providers. Types of their libraries stop behind it. All amounts are in minor units. */

/** How donors pay online: the `method` of an intent and the `type` of its donation. */
export const ONLINE_TYPES = ['card', 'wallet'] as const;

export type OnlineType = (typeof ONLINE_TYPES)[number];

/** A payment, named by the provider and by us. */
export interface PaymentRef {
  /** The provider's payment object: a payment intent or an order. */
  readonly paymentId: string;
  /** Our donation's id, when the payment carries one. */
  readonly donationId?: string;
  /** Event id or slug, when a checkout page made the payment by itself. */
  readonly eventRef?: string;
}

/** What a provider keeps for itself, in the currency of our account there. */
export interface ProviderFee {
  readonly amount: bigint;
  readonly currency: string;
}

/** What the charity has to do at the provider before it gets money that a donor has paid. */
export const HOLD_ACTIONS = ['accept', 'verify', 'open_account', 'answer', 'look'] as const;

/** Money that waits for the charity, not for the donor or a bank. */
export interface PaymentHold {
  readonly action: (typeof HOLD_ACTIONS)[number];
  /** The provider's own word. */
  readonly reason: string;
}

export interface PaidFact extends PaymentRef {
  readonly kind: 'paid';
  /** The provider's money movement: a charge or a capture. */
  readonly captureId?: string;
  readonly amount: bigint;
  readonly currency: string;
  /** The payment is taken in several parts: its amount may grow after the first one. */
  readonly isGrowing?: boolean;
  readonly paidAt: Date;
  /** Absent while the provider does not say. */
  readonly fee?: ProviderFee;
  /** A further part of the payment is held. */
  readonly hold?: PaymentHold;
  /** Who paid, where the payment was made without an intent and names somebody. */
  readonly donor?: {
    readonly name?: string;
    readonly email?: string;
    readonly isAnonymous?: boolean;
    readonly message?: string;
  };
}

export type RefundStatus = 'pending' | 'succeeded' | 'failed' | 'cancelled';

export interface RefundFact extends PaymentRef {
  readonly kind: 'refund';
  readonly providerRefundId: string;
  /** Our refund row's id, when the refund was ours. */
  readonly refundId?: string;
  /** The money movement it takes from, where a payment has several. */
  readonly captureId?: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: RefundStatus;
  /** The provider's word, where it is none that this service knows; `status` is then `pending`. */
  readonly unknownStatus?: string;
  /** What the same refund took from further captures of the payment, each a refund of its own there. */
  readonly others?: readonly RefundFact[];
}

export interface DisputeFact extends PaymentRef {
  readonly kind: 'dispute';
  readonly disputeId: string;
  readonly amount: bigint;
  readonly currency: string;
  /** For the books: while it is open or won the money counts, lost it is money back. */
  readonly status: 'open' | 'won' | 'lost';
  /** The provider's own word for where it stands, such as `warning_needs_response`. */
  readonly providerStatus?: string;
  readonly reason?: string;
  /** Only a question of the bank or the donor: no money has moved. */
  readonly isInquiry?: boolean;
  /** It was decided and is looked at once more; the money stays where the decision put it, as `status` says. */
  readonly isAppeal?: boolean;
  /** `providerStatus` is none that this service knows: `status` says nothing, and a person has to look. */
  readonly isUnknown?: boolean;
  /** Whether the charity has to act; absent means that it has, while it is open or appealed. */
  readonly needsAnswer?: boolean;
  /** Answered until then, or it is lost. */
  readonly dueBy?: Date;
  readonly fee?: ProviderFee;
  /** The provider shows the money of a lost one as a refund, too; then only that one counts. */
  readonly moneyIsRefund?: boolean;
  /** When this was true: of two statements the later one holds. */
  readonly asOf?: Date;
}

/** The bank of a card says that the payment was a fraud; no money has moved for that. */
export interface FraudWarningFact extends PaymentRef {
  readonly kind: 'fraud_warning';
  /** The provider's own word, such as `made_with_stolen_card`. */
  readonly reason: string;
}

/** What names a payment in the provider's own pages. */
export interface PaymentNames {
  readonly paymentId: string | null;
  readonly captureId: string | null;
}

export const PAYOUT_ITEM_KINDS = ['payment', 'refund', 'dispute', 'fee', 'other'] as const;

/** One movement in a payout. Amounts in minor units of the payout's currency; what leaves the charity is negative. */
export interface PayoutItem {
  readonly itemId: string;
  readonly kind: (typeof PAYOUT_ITEM_KINDS)[number];
  readonly amount: bigint;
  readonly fee: bigint;
  readonly net: bigint;
  readonly currency: string;
  /** The payment it belongs to, as donations name it. */
  readonly paymentId?: string;
  readonly at: Date;
}

/** Money on its way to the charity's bank account. */
export interface Payout {
  readonly payoutId: string;
  readonly amount: bigint;
  readonly currency: string;
  /** The provider's own word, such as `paid`. */
  readonly status: string;
  readonly arrivesAt: Date;
  readonly createdAt: Date;
  /** The provider says what is in it; payouts that were asked for by hand may be of any money. */
  readonly isItemized: boolean;
}

/** What a provider says about a payment. The same fact may come any number of times, and facts in any order. */
export type PaymentFact =
  | PaidFact
  /** The donor agreed; the money is taken by a capture. */
  | (PaymentRef & { readonly kind: 'approved' })
  /**
   * Money may come without a further act of ours: the bank is at work, or the donor holds a voucher, a code or bank
   * details that can be paid `until` then.
   */
  | (PaymentRef & { readonly kind: 'processing'; readonly until?: Date; readonly hold?: PaymentHold })
  | (PaymentRef & {
      readonly kind: 'failed';
      readonly reason?: string;
      /** The donor had agreed and left: a bank refused the money later. */
      readonly wasUnderWay?: boolean;
    })
  /** The provider's status is none that this service knows: money may have moved, so a person looks at it. */
  | (PaymentRef & { readonly kind: 'unknown'; readonly status: string })
  | (PaymentRef & { readonly kind: 'cancelled' })
  | RefundFact
  | DisputeFact
  | FraudWarningFact;

/** A webhook event, delivered with a signature that holds or listed by the provider itself. */
export interface WebhookEvent {
  /** Unique at the provider; the key of "handled once". */
  readonly id: string;
  /** The provider's name of the kind, such as `payment_intent.succeeded`. */
  readonly kind: string;
  /** The provider's own object, for `factsOf` of the same provider only. */
  readonly content: unknown;
  /** When it was made, by the provider's clock; where it says. A repeated delivery keeps its time. */
  readonly createdAt?: Date;
  /** The provider took money back by itself: what it says is shown to a person. */
  readonly isReversal?: boolean;
}

/** What a walk through all that a provider has comes upon: facts about one payment. */
export interface WalkedFacts {
  readonly facts: readonly PaymentFact[];
  /** As in `WebhookEvent`. */
  readonly isReversal?: boolean;
}

/** Why a webhook event gives no facts although it is about money. */
export type WebhookObstacle =
  /** The provider does not know the object, or does not show it to our keys. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** It lacks what is used of it; sent again it would be no better. */
  | { readonly kind: 'malformed'; readonly reason: string }
  /** The payment names something of ours, and pays somebody else. */
  | ({ readonly kind: 'other_payee'; readonly payee: string | null } & PaymentRef);

export interface PaymentRequest {
  readonly donationId: string;
  readonly eventId: string;
  readonly eventName: string;
  readonly amount: bigint;
  readonly currency: string;
  /** Where a provider that leads the donor to its own page sends them afterwards. Its own default when absent. */
  readonly returnTo?: { readonly approved: string; readonly cancelled: string };
  /** What an earlier try sent, as `bodyOf` gave it: it is sent again word for word. */
  readonly body?: string;
}

export interface CreatedPayment {
  readonly paymentId: string;
  /** What the donor's page needs to go on; the body of the intent's answer besides `donationId`. */
  readonly checkout:
    { readonly clientSecret: string } | { readonly orderId: string; readonly approveUrl: string };
}

export interface RefundRequest {
  /** Our refund row's id; the provider's idempotency key is made from it. */
  readonly refundId: string;
  readonly paymentId: string;
  readonly captureId: string | null;
  readonly amount: bigint;
  readonly currency: string;
}

/**
 * What the rest of the code asks of a payment provider. Every call may throw
 * - `ProviderRefusedError`: the provider understood and said no; nothing happened there; a `MissingRightError` where our
 *   key may not ask;
 * - `ProviderUnavailableError`: no usable answer; it may have happened. Repeat with the same ids.
 */
export interface PaymentProvider {
  /** As in the provider's definition. */
  readonly name: string;
  readonly type: OnlineType;
  /** What its key may do; absent where the provider has no such rights. */
  readonly rights?: KeyRights;

  /** The currencies that it takes, ISO 4217 in lower case; absent where it says so of each payment only. */
  readonly currencies?: readonly string[];

  /** @throws InvalidInputError when this provider cannot take that amount in that currency. */
  assertTakes(amount: bigint, currency: string): void;

  /** What it takes in a currency are multiples of so many minor units; of one where it does not say. */
  stepOf?(currency: string): number;

  /**
   * What `createPayment` sends, as text. It is kept before the first try, because a key answers only to the same
   * bytes, and names, addresses and this program may change between two tries.
   */
  bodyOf?(request: PaymentRequest): string;

  /** Creates the payment, or finds the one made before for the same donation (keyed by its id). */
  createPayment(request: PaymentRequest): Promise<CreatedPayment>;

  /** What the provider says about a payment now, refunds and disputes included. */
  readPayment(paymentId: string): Promise<PaymentFact[]>;

  /**
   * Cancels an unpaid payment, which `cancelUnlessUnderWay` has asked about first, and says what is true then: a
   * `cancelled` fact, or the facts of a payment that was paid, is processing or has an unknown status. A
   * provider that cannot cancel answers `cancelled` when no money can move without a further call of ours.
   */
  cancelPayment(paymentId: string): Promise<PaymentFact[]>;

  /**
   * Takes the money of an approved payment; "already captured" is a success. Absent where paying is one step.
   * @param refusals how often it was refused before: part of the key, because a provider may keep a refusal
   *   under its key and answer it for ever
   */
  capturePayment?(paymentId: string, refusals?: number): Promise<PaymentFact[]>;

  /** Gives money back, or finds the refund made before under the same `refundId`. */
  refundPayment(request: RefundRequest): Promise<RefundFact>;

  /** What the provider says about a refund now. */
  readRefund(providerRefundId: string, payment: PaymentRef): Promise<RefundFact>;

  /**
   * Checks the signature on the raw bytes, then parses.
   * @throws InvalidInputError (400) for a bad, missing or stale signature, or signed non-JSON.
   */
  readWebhook(body: Buffer, headers: IncomingHttpHeaders): Promise<WebhookEvent>;

  /**
   * The facts of a webhook event; asks the provider again where its signature does not cover the whole body.
   * @param hindered gets the reason why there are none although the event is about money
   */
  factsOf(webhookEvent: WebhookEvent, hindered?: (obstacle: WebhookObstacle) => void): Promise<PaymentFact[]>;

  /** Whether a webhook event says all of its facts itself, so that `factsOf` asks the provider nothing. */
  saysAll?(webhookEvent: WebhookEvent): boolean;

  /** The used webhook events that were made from one time until another, newest first, whether delivered or not. */
  events(from: Date, until?: Date): AsyncIterable<WebhookEvent>;

  /** One of them; undefined where the provider no longer has it. */
  event(id: string): Promise<WebhookEvent | undefined>;

  /** How many days back `events` can reach; 30 when it does not say. */
  readonly eventsKeptDays?: number;

  /** How long after its own time an event may first be listed; five minutes when it does not say. */
  readonly eventsListedWithinMs?: number;

  /**
   * Types of event that are used and that no webhook endpoint of this service is subscribed to at the provider.
   * Undefined where our keys may not ask, or where no endpoint is known for ours.
   */
  unsubscribed?(): Promise<readonly string[] | undefined>;

  /**
   * All payments, refunds and disputes that were made or changed since a time, page by page, older ones may be
   * among them; payments of other systems on the same account too. This is what heals a restored backup.
   */
  walk?(since: Date): AsyncIterable<WalkedFacts>;

  /** Payouts made since a time. Absent where the provider does not tell; `undefined` where our key may not ask. */
  payouts?(since: Date): Promise<readonly Payout[] | undefined>;

  /** What is in a payout that is itemized. */
  payoutItems?(payoutId: string): Promise<readonly PayoutItem[] | undefined>;

  /** Where a person finds a payment in the provider's own pages; undefined where there are none, as on a stand-in. */
  dashboardUrl?(payment: PaymentNames): string | undefined;
}

/** As `foreignText`, of an e-mail address. */
export const foreignEmail = (text: string | undefined): string | undefined =>
  foreignText(text?.isWellFormed() ? tidyEmail(text) : undefined, { max: 254 });

/** Text of a provider or a checkout page that we may keep; what breaks our own rules is left out. */
export function foreignText(
  text: string | undefined,
  rule: { max: number; multiline?: boolean },
): string | undefined {
  if (!text?.isWellFormed()) return undefined;
  const tidy = tidyText(text);
  return tidy === '' || textProblem(tidy, rule) !== undefined ? undefined : tidy;
}
