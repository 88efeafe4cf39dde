import type { IncomingHttpHeaders } from 'node:http';
import type { KeyRights } from './key-rights.js';
import { tidyEmail } from '../../common/text/email-address.js';
import { textProblem, tidyText } from '../../common/text/text.js';

/** The port to payment providers. Types of their libraries are used only behind it. All amounts are in minor units. */

/** Methods of online payment: the `method` of an intent and the `type` of its donation. */
export const ONLINE_TYPES = ['card', 'wallet'] as const;

export type OnlineType = (typeof ONLINE_TYPES)[number];

/** Ids of a payment at the provider and here. */
export interface PaymentRef {
  /** The provider's payment object: a payment intent or an order. */
  readonly paymentId: string;
  /** Our donation's id, if the payment carries one. */
  readonly donationId?: string;
  /** Event id or slug, if a checkout page created the payment. */
  readonly eventRef?: string;
}

/** The provider's fee, in the currency of our account there. */
export interface ProviderFee {
  readonly amount: bigint;
  readonly currency: string;
}

/** Actions of the charity at the provider that release paid money. */
export const HOLD_ACTIONS = ['accept', 'verify', 'open_account', 'answer', 'look'] as const;

/** Money that waits for an action of the charity, not of the donor or a bank. */
export interface PaymentHold {
  readonly action: (typeof HOLD_ACTIONS)[number];
  /** The provider's own code. */
  readonly reason: string;
}

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
  /** The donor, if the payment was made without an intent and names a donor. */
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
  /** Id of our refund row, if this service requested the refund. */
  readonly refundId?: string;
  /** The capture that the refund takes money from, if the payment has several. */
  readonly captureId?: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: RefundStatus;
  /** The provider's status, if this service does not know it; `status` is then `pending`. */
  readonly unknownStatus?: string;
  /** Parts of the same refund that took money from further captures. Each is a separate refund at the provider. */
  readonly others?: readonly RefundFact[];
}

export interface DisputeFact extends PaymentRef {
  readonly kind: 'dispute';
  readonly disputeId: string;
  readonly amount: bigint;
  readonly currency: string;
  /** For the books: an open or won dispute counts the money as received, a lost one as returned. */
  readonly status: 'open' | 'won' | 'lost';
  /** The provider's own status, such as `warning_needs_response`. */
  readonly providerStatus?: string;
  readonly reason?: string;
  /** True for a question of the bank or the donor: no money has moved. */
  readonly isInquiry?: boolean;
  /** True if a decided dispute is under review again. The money stays as decided, as `status` says. */
  readonly isAppeal?: boolean;
  /** True if this service does not know `providerStatus`. Then `status` means nothing, and staff must check. */
  readonly isUnknown?: boolean;
  /** True if the charity must act. Absent means true while the dispute is open or appealed. */
  readonly needsAnswer?: boolean;
  /** Deadline for the answer. Without an answer, the dispute is lost. */
  readonly dueBy?: Date;
  readonly fee?: ProviderFee;
  /** True if the provider also shows the money of a lost dispute as a refund. Then only the refund counts. */
  readonly moneyIsRefund?: boolean;
  /** Time of this statement. The later of two statements wins. */
  readonly asOf?: Date;
}

/** The card's bank reports the payment as fraud. No money has moved because of it. */
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

/**
 * One transaction in a payout. Amounts in minor units of the payout's currency; money that leaves the charity is
 * negative.
 */
export interface PayoutItem {
  readonly itemId: string;
  readonly kind: (typeof PAYOUT_ITEM_KINDS)[number];
  readonly amount: bigint;
  readonly fee: bigint;
  readonly net: bigint;
  readonly currency: string;
  /** The payment of the item, by the same id as in donations. */
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
  /** The donor approved the payment. A capture takes the money. */
  | (PaymentRef & { readonly kind: 'approved' })
  /**
   * Money may arrive without our action: the bank is processing the payment, or the donor has a voucher, code or bank
   * details that are valid `until` this time.
   */
  | (PaymentRef & { readonly kind: 'processing'; readonly until?: Date; readonly hold?: PaymentHold })
  | (PaymentRef & {
      readonly kind: 'failed';
      readonly reason?: string;
      /** The donor had agreed and left; a bank refused the money later. */
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
  /** The provider's name of the type, such as `payment_intent.succeeded`. */
  readonly kind: string;
  /** The provider's own object, only for `factsOf` of the same provider. */
  readonly content: unknown;
  /** Creation time by the provider's clock, if given. Repeated deliveries have the same time. */
  readonly createdAt?: Date;
  /** True if the provider took money back by itself. Staff must see this. */
  readonly isReversal?: boolean;
}

/** Facts about one payment, found by a walk. */
export interface WalkedFacts {
  readonly facts: readonly PaymentFact[];
  /** As in `WebhookEvent`. */
  readonly isReversal?: boolean;
}

/** Why a webhook event about money gives no facts. */
export type WebhookObstacle =
  /** The provider does not know the object, or does not show it to our key. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** Required fields are missing. A new delivery would be the same. */
  | { readonly kind: 'malformed'; readonly reason: string }
  /** The payment names our donation or event but pays another account. */
  | ({ readonly kind: 'other_payee'; readonly payee: string | null } & PaymentRef);

export interface PaymentRequest {
  readonly donationId: string;
  readonly eventId: string;
  readonly eventName: string;
  readonly amount: bigint;
  readonly currency: string;
  /** Pages of ours to which the provider sends the donor back. If absent, the provider's default applies. */
  readonly returnTo?: { readonly approved: string; readonly cancelled: string };
  /** Body of an earlier try from `bodyOf`. It is sent again unchanged. */
  readonly body?: string;
}

export interface CreatedPayment {
  readonly paymentId: string;
  /** Data for the donor's page. With `donationId`, it is the answer to the intent. */
  readonly checkout:
    { readonly clientSecret: string } | { readonly orderId: string; readonly approveUrl: string };
}

export interface RefundRequest {
  /** Id of our refund row. The provider's idempotency key is made from it. */
  readonly refundId: string;
  readonly paymentId: string;
  readonly captureId: string | null;
  readonly amount: bigint;
  readonly currency: string;
}

/**
 * Interface of a payment provider. Every call may throw
 * - `ProviderRefusedError`: the provider refused, and nothing changed there; `MissingRightError` if our key lacks a
 *   right;
 * - `ProviderUnavailableError`: no usable answer, so the call may have succeeded. Repeat it with the same ids.
 */
export interface PaymentProvider {
  /** As in the provider's definition. */
  readonly name: string;
  readonly type: OnlineType;
  /** Rights of the API key; absent if the provider has no such rights. */
  readonly rights?: KeyRights;

  /** Accepted currencies, ISO 4217 in lower case; absent if the provider decides for each payment. */
  readonly currencies?: readonly string[];

  /** @throws InvalidInputError if the provider does not accept that amount in that currency */
  assertTakes(amount: bigint, currency: string): void;

  /** Payments in a currency must be multiples of this number of minor units; 1 if absent. */
  stepOf?(currency: string): number;

  /**
   * Returns the request body of `createPayment`. It is stored before the first try, because a retry with the same key
   * must send the same bytes, although names, addresses and this program may change.
   */
  bodyOf?(request: PaymentRequest): string;

  /** Creates the payment, or finds the earlier one of the same donation by its key. */
  createPayment(request: PaymentRequest): Promise<CreatedPayment>;

  /** Returns the current facts of a payment, including refunds and disputes. */
  readPayment(paymentId: string): Promise<PaymentFact[]>;

  /**
   * Cancels an unpaid payment and returns the facts after it: `cancelled`, or the facts of a payment that is paid,
   * processing or unknown. Call it through `cancelUnlessUnderWay`. A provider that cannot cancel returns `cancelled`
   * if no money can move without a further call.
   */
  cancelPayment(paymentId: string): Promise<PaymentFact[]>;

  /**
   * Captures an approved payment; "already captured" counts as success. Absent if the provider takes payments in one
   * step.
   * @param refusals number of earlier refusals. It is part of the key, because a provider may repeat a stored refusal
   *   for the same key forever
   */
  capturePayment?(paymentId: string, refusals?: number): Promise<PaymentFact[]>;

  /** Refunds money, or finds the earlier refund with the same `refundId`. */
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
   * @param hindered is called with the reason if an event about money gives no facts
   */
  factsOf(webhookEvent: WebhookEvent, hindered?: (obstacle: WebhookObstacle) => void): Promise<PaymentFact[]>;

  /** True if the event contains all its facts, so that `factsOf` sends no request. */
  saysAll?(webhookEvent: WebhookEvent): boolean;

  /** Lists events of the used types between two times, newest first, delivered or not. */
  events(from: Date, until?: Date): AsyncIterable<WebhookEvent>;

  /** Returns one event; undefined if the provider no longer keeps it. */
  event(id: string): Promise<WebhookEvent | undefined>;

  /** Number of days that `events` can go back; 30 if absent. */
  readonly eventsKeptDays?: number;

  /** Maximum delay before a new event appears in the list; five minutes if absent. */
  readonly eventsListedWithinMs?: number;

  /**
   * Returns used event types without a subscription at the provider. Undefined if our key has no permission to
   * read them, or if no endpoint of ours is known.
   */
  unsubscribed?(): Promise<readonly string[] | undefined>;

  /**
   * Lists all payments, refunds and disputes that were created or changed since a time. It may include older ones,
   * and payments of other systems on the account. Used to repair a restored backup.
   */
  walk?(since: Date): AsyncIterable<WalkedFacts>;

  /** Payouts since a time. Absent if the provider has no list; undefined if our key has no permission to read it. */
  payouts?(since: Date): Promise<readonly Payout[] | undefined>;

  /** Returns the items of an itemized payout. */
  payoutItems?(payoutId: string): Promise<readonly PayoutItem[] | undefined>;

  /** Address of a payment in the provider's dashboard; undefined without a dashboard, as in the sandbox. */
  dashboardUrl?(payment: PaymentNames): string | undefined;
}

/** Like `foreignText`, for an e-mail address. */
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
