import type { IncomingHttpHeaders } from 'node:http';

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

export interface PaidFact extends PaymentRef {
  readonly kind: 'paid';
  /** The provider's money movement: a charge or a capture. */
  readonly captureId?: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly paidAt: Date;
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
  readonly amount: bigint;
  readonly currency: string;
  readonly status: RefundStatus;
}

export interface DisputeFact extends PaymentRef {
  readonly kind: 'dispute';
  readonly disputeId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: 'open' | 'won' | 'lost';
}

/** What a provider says about a payment. The same fact may come any number of times, and facts in any order. */
export type PaymentFact =
  | PaidFact
  /** The donor agreed; the money is taken by a capture. */
  | (PaymentRef & { readonly kind: 'approved' })
  | (PaymentRef & { readonly kind: 'processing' })
  | (PaymentRef & { readonly kind: 'failed'; readonly reason?: string })
  | (PaymentRef & { readonly kind: 'cancelled' })
  | RefundFact
  | DisputeFact;

/** A webhook event, delivered with a signature that holds or listed by the provider itself. */
export interface WebhookEvent {
  /** Unique at the provider; the key of "handled once". */
  readonly id: string;
  /** The provider's name of the kind, such as `payment_intent.succeeded`. */
  readonly kind: string;
  /** The provider's own object, for `factsOf` of the same provider only. */
  readonly content: unknown;
}

export interface PaymentRequest {
  readonly donationId: string;
  readonly eventId: string;
  readonly eventName: string;
  readonly amount: bigint;
  readonly currency: string;
  /** Where a provider that leads the donor to its own page sends them afterwards. Its own default when absent. */
  readonly returnTo?: { readonly approved: string; readonly cancelled: string };
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
 * - `ProviderRefusedError`: the provider understood and said no; nothing happened there;
 * - `ProviderUnavailableError`: no usable answer; it may have happened. Repeat with the same ids.
 */
export interface PaymentProvider {
  /** As in the provider's definition. */
  readonly name: string;
  readonly type: OnlineType;

  /** @throws InvalidInputError when this provider cannot take that amount in that currency. */
  assertTakes(amount: bigint, currency: string): void;

  /** Creates the payment, or finds the one made before for the same donation (keyed by its id). */
  createPayment(request: PaymentRequest): Promise<CreatedPayment>;

  /** What the provider says about a payment now, refunds and disputes included. */
  readPayment(paymentId: string): Promise<PaymentFact[]>;

  /**
   * Cancels an unpaid payment and says what is true then: a `cancelled` fact, or the facts of a payment that
   * was paid or is processing. A provider that cannot cancel answers `cancelled` when no money can move
   * without a further call of ours.
   */
  cancelPayment(paymentId: string): Promise<PaymentFact[]>;

  /** Takes the money of an approved payment; "already captured" is a success. Absent where paying is one step. */
  capturePayment?(paymentId: string): Promise<PaymentFact[]>;

  /** Gives money back, or finds the refund made before under the same `refundId`. */
  refundPayment(request: RefundRequest): Promise<RefundFact>;

  /** What the provider says about a refund now. */
  readRefund(providerRefundId: string, payment: PaymentRef): Promise<RefundFact>;

  /**
   * Checks the signature on the raw bytes, then parses.
   * @throws InvalidInputError (400) for a bad, missing or stale signature, or signed non-JSON.
   */
  readWebhook(body: Buffer, headers: IncomingHttpHeaders): Promise<WebhookEvent>;

  /** The facts of a webhook event; asks the provider again where its signature does not cover the whole body. */
  factsOf(webhookEvent: WebhookEvent): Promise<PaymentFact[]>;

  /** Webhook events since a time that the provider could not deliver; those that it delivered may be among them. */
  undelivered(since: Date): AsyncIterable<WebhookEvent>;
}
