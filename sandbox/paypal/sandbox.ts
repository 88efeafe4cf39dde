import type { Faults } from '../calls/faults.js';
import type { Clock } from '../common/clock.js';
import { Deliveries, type DeliveryOptions } from '../webhooks/deliveries.js';
import { PayPalAccount } from './account.js';
import { PayPalApi } from './api/api.js';
import { asObject, type Json } from './api/call.js';
import type { CertificateKind, SigningMaterial } from './certificates.js';
import {
  changeDispute,
  escalateDispute,
  type NewDispute,
  openDispute,
  reopenDispute,
  resolveDispute,
} from './disputes.js';
import { type PayPalPayment, paypalPayments } from './ledger.js';
import { type Fees, paypalExponent } from './money.js';
import type {
  Capture,
  Dispute,
  DisputeOutcome,
  DisputeStage,
  DisputeStatus,
  Order,
  PayPalEvent,
  PendingReason,
  Refund,
} from './objects.js';
import {
  addCapture,
  approveOrder,
  captureOrder,
  completeCapture,
  createOrder,
  denyCapture,
  holdCapture,
  voidOrder,
} from './orders.js';
import { createRefund, failRefund, settleRefund } from './refunds.js';
import { signTransmission, transmissionHeaders, verifyTransmission } from './signing.js';
import { captureView, disputeView, orderView, refundView } from './views.js';

export interface PayPalSandboxOptions {
  clientId: string;
  clientSecret: string;
  webhookId: string;
  webhookUrl?: string | string[];
}

export interface OwnOrder {
  /** Minor units. */
  amount: number;
  /** Any case. */
  currency: string;
  custom_id?: string;
  /** The payee, if it is not the charity's account. */
  merchantId?: string;
}

/**
 * The PayPal part of the sandbox: all actions of a donor, a bank and a dashboard user. The id of a capture or of its
 * order identifies a capture. Amounts are in minor units. Returned objects have the API's form. An action that the
 * current state does not allow throws an error with a PayPal issue.
 */
export class PayPalSandbox {
  readonly api: PayPalApi;
  readonly deliveries: Deliveries;
  /** The certificate authority that a receiver must trust. */
  readonly caPem: string;
  readonly webhookId: string;
  private readonly account: PayPalAccount;
  private certificateKind: CertificateKind = 'good';

  constructor(
    options: PayPalSandboxOptions,
    private readonly material: SigningMaterial,
    faults: Faults,
    delivery: DeliveryOptions,
    clock: Clock,
  ) {
    this.caPem = material.caPem;
    this.webhookId = options.webhookId;
    this.deliveries = new Deliveries('paypal', faults, ({ body }) => this.signatureHeaders(body), delivery);
    this.deliveries.setUrls(options.webhookUrl);
    this.account = new PayPalAccount((event) => {
      this.deliveries.publish({ id: event.id, type: event.event_type, body: JSON.stringify(event) });
    }, clock);
    this.api = new PayPalApi(this.account, options, {
      certificate: (id) => Object.values(material.signers).find((signer) => signer.id === id)?.chainPem,
      verify: (request) => this.verify(request),
      resend: (eventId) => void this.deliveries.deliver(eventId),
      webhook: (id) => {
        const [url] = this.deliveries.getUrls();
        const { subscribed: types = ['*'], isEnabled } = this.deliveries;
        return id === this.webhookId && url !== undefined ? { url, types, isEnabled } : undefined;
      },
    });
  }

  setBaseUrl(url: string): void {
    this.account.baseUrl = url;
  }

  setWebhookUrls(urls: string | string[] | undefined): void {
    this.deliveries.setUrls(urls);
  }

  snapshot() {
    return {
      account: this.account.snapshot(),
      answers: this.api.requestIds.entries(),
      webhooks: this.deliveries.snapshot(),
    };
  }

  restore(saved: ReturnType<PayPalSandbox['snapshot']>): void {
    this.account.restore(saved.account);
    this.api.requestIds.restore(saved.answers);
    this.deliveries.restore(saved.webhooks);
  }

  /** Signs webhooks with this kind of certificate from now on. */
  useCertificate(kind: CertificateKind): void {
    this.certificateKind = kind;
  }

  /** Revokes all access tokens issued so far. */
  revokeTokens(): void {
    this.api.revokeTokens();
  }

  /** The donor approves, with PayPal or another `source` such as `venmo`; then the service must capture. */
  approve(order: string, { source }: { source?: string } = {}) {
    return this.showOrder(approveOrder(this.account, this.account.order(order), source));
  }

  /** Creates an approved order, like a checkout page that does not use the service. */
  createApprovedOrder(wanted: OwnOrder) {
    const order = createOrder(this.account, {
      amount: wanted.amount,
      currency: wanted.currency.toUpperCase(),
      customId: wanted.custom_id,
      merchantId: wanted.merchantId,
    });
    return this.showOrder(approveOrder(this.account, order));
  }

  /** Creates a captured order, like a checkout page that does not use the service. */
  createCapturedOrder(wanted: OwnOrder) {
    const order = this.createApprovedOrder(wanted);
    this.capture(order.id);
    return this.order(order.id);
  }

  /**
   * Captures an order without the service. `amount` and `currency` change the captured amount. With `pending`, the
   * capture is pending. With `final: false`, more captures may follow.
   */
  capture(
    order: string,
    options: { amount?: number; currency?: string; pending?: boolean; final?: boolean } = {},
  ) {
    const capture = captureOrder(this.account, this.account.order(order), {
      outcome: options.pending === true ? 'pending' : 'complete',
      amount: options.amount,
      currency: options.currency?.toUpperCase(),
      ...(options.final !== undefined && { final: options.final }),
    });
    return captureView(this.account, capture);
  }

  /** Adds a capture to an order that was already captured. */
  captureAgain(order: string, options: { amount?: number; pending?: boolean } = {}) {
    const capture = addCapture(this.account, this.account.order(order), {
      outcome: options.pending === true ? 'pending' : 'complete',
      amount: options.amount,
    });
    return captureView(this.account, capture);
  }

  /** Sets the bank's answer to the next capture. */
  onCapture(order: string, options: { outcome: Order['onCapture']; reason?: PendingReason }) {
    const found = this.account.order(order);
    found.onCapture = options.outcome;
    found.pendingReason = options.reason;
    return this.showOrder(found);
  }

  /** Changes the reason of a pending capture. */
  holdCapture(capture: string, options: { reason: PendingReason }) {
    const found = this.account.capture(capture);
    return captureView(this.account, holdCapture(this.account, found, options.reason));
  }

  completeCapture(capture: string) {
    return captureView(this.account, completeCapture(this.account, this.account.capture(capture)));
  }

  denyCapture(capture: string) {
    return captureView(this.account, denyCapture(this.account, this.account.capture(capture)));
  }

  /** Sets any status, to test a status that a later API version may add. */
  nameStatus(captureOrOrder: string, status: string): void {
    Object.assign(this.account.capture(captureOrOrder), { status });
  }

  /** Voids an order that expired or that the donor abandoned. The order cannot be approved or captured any more. */
  void(order: string) {
    return this.showOrder(voidOrder(this.account, this.account.order(order)));
  }

  /** Deletes an order, as PayPal deletes orders without a capture. */
  forget(order: string): void {
    const found = this.account.order(order);
    if (found.captureId !== undefined) throw new Error('Captured orders are kept');
    this.account.orders.delete(found.id);
  }

  /** Refunds the remaining amount, or `amount`, at the dashboard. With `pending`, the refund is pending. */
  refund(capture: string, options: { amount?: number; pending?: boolean } = {}) {
    const status = options.pending === true ? 'PENDING' : 'COMPLETED';
    const found = this.account.capture(capture);
    return refundView(this.account, createRefund(this.account, found, { amount: options.amount, status }));
  }

  settleRefund(refund: string) {
    return refundView(this.account, settleRefund(this.account, this.account.refund(refund)));
  }

  /** Fails a pending or completed refund. PayPal sends no webhook for this change. */
  failRefund(refund: string) {
    return refundView(this.account, failRefund(this.account, this.account.refund(refund)));
  }

  /** PayPal takes the money back, after a chargeback or a complaint. */
  reverse(capture: string, options: { amount?: number } = {}) {
    const found = this.account.capture(capture);
    return refundView(
      this.account,
      createRefund(this.account, found, { amount: options.amount, reversal: true }),
    );
  }

  /** The donor complains to PayPal (`INQUIRY`), or the donor's bank charges back (`stage`). */
  openDispute(capture: string, options: NewDispute = {}) {
    return disputeView(this.account, openDispute(this.account, this.account.capture(capture), options));
  }

  /** Moves a dispute to the next stage, or to `stage`. */
  escalateDispute(dispute: string, options: { stage?: DisputeStage; dueInDays?: number } = {}) {
    return disputeView(this.account, escalateDispute(this.account, this.findDispute(dispute), options));
  }

  /** Changes the status, reason or due date of an open dispute. */
  changeDispute(
    dispute: string,
    options: { status?: DisputeStatus; reason?: string; dueInDays?: number } = {},
  ) {
    return disputeView(this.account, changeDispute(this.account, this.findDispute(dispute), options));
  }

  /** Reopens a decided dispute, for example after an appeal. */
  reopenDispute(dispute: string, options: { status?: DisputeStatus; dueInDays?: number } = {}) {
    return disputeView(this.account, reopenDispute(this.account, this.findDispute(dispute), options));
  }

  /** Decides a dispute. If the buyer wins or the charity accepts, the capture is reversed. */
  resolveDispute(dispute: string, options: { outcome: DisputeOutcome }) {
    return disputeView(
      this.account,
      resolveDispute(this.account, this.findDispute(dispute), options.outcome),
    );
  }

  /**
   * Hides an object: until `reveal`, API calls about it are answered with 403 or 404. Webhooks about the object are
   * still sent.
   */
  hide(id: string, options: { status?: 403 | 404 } = {}): void {
    this.account.hidden.set(id, options.status ?? 404);
  }

  reveal(id: string): void {
    this.account.hidden.delete(id);
  }

  /** If true, an answer with status 422 is stored under its request id and sent again to repeats. */
  keepRefusals(keep = true): void {
    this.api.requestIds.keepsRefusals = keep;
  }

  /** Sets PayPal's fees for captures and chargebacks from now on. */
  setFees(fees: Partial<Fees>): void {
    Object.assign(this.account.fees, fees);
  }

  /** Sets the delay before a payment appears in the transaction search. */
  setSearchLag(ms: number): void {
    this.account.searchLagMs = ms;
  }

  /** Sets the number of days for which events can be listed; 30 at PayPal. */
  setEventRetention(days: number): void {
    this.account.eventRetentionDays = days;
  }

  order(id: string) {
    return this.showOrder(this.account.order(id));
  }

  captureOf(captureOrOrder: string): Capture {
    return { ...this.account.capture(captureOrOrder) };
  }

  /** All captures of an order, oldest first. */
  capturesOf(order: string): Capture[] {
    return structuredClone(this.account.capturesOf(this.account.order(order)));
  }

  refundsOf(captureOrOrder: string): Refund[] {
    return structuredClone(this.account.refundsOf(this.account.capture(captureOrOrder)));
  }

  /** Returns disputes in the sandbox's own form, with amounts in minor units. Empty for an order without a capture. */
  disputesOf(order: string): Dispute[] {
    const captures = new Set(this.account.capturesOf(this.account.order(order)).map(({ id }) => id));
    return structuredClone(
      [...this.account.disputes.values()].filter(({ captureId }) => captures.has(captureId)),
    );
  }

  /** Returns the addresses to which the donor is redirected after approving and after cancelling. */
  returnUrls(order: string): {
    returnUrl: string | undefined;
    cancelUrl: string | undefined;
    payerId: string | undefined;
  } {
    const { returnUrl, cancelUrl, payerId } = this.account.order(order);
    return { returnUrl, cancelUrl, payerId };
  }

  /** Returns every order with its paid and refunded sums, in minor units. */
  payments(): PayPalPayment[] {
    return paypalPayments(this.account);
  }

  /** Returns Σ(captured − completed refunds and reversals) in a currency. The service must have the same total. */
  netHeld(currency: string): number {
    return this.payments()
      .filter((payment) => payment.currency === currency.toUpperCase())
      .reduce((sum, payment) => sum + payment.held, 0);
  }

  /** All events, oldest first. */
  events(): PayPalEvent[] {
    return structuredClone([...this.account.events.values()]);
  }

  /** Returns valid signature headers for any body, to test a receiver with your own messages. */
  signatureHeaders(body: string, kind: CertificateKind = this.certificateKind): Record<string, string> {
    const signer = this.material.signers[kind];
    return transmissionHeaders(signTransmission(body, this.webhookId, signer, this.account.baseUrl));
  }

  /** Decimals of a currency, to display amounts. */
  exponent(currency: string): number {
    return paypalExponent(currency.toUpperCase());
  }

  /** Finds a dispute by its own id, or the last one of a capture or order. */
  private findDispute(disputeCaptureOrOrder: string): Dispute {
    if (this.account.disputes.has(disputeCaptureOrOrder)) return this.account.dispute(disputeCaptureOrOrder);
    const { id } = this.account.capture(disputeCaptureOrOrder);
    const open = [...this.account.disputes.values()].filter(({ captureId }) => captureId === id);
    return open.at(-1) ?? this.account.dispute(disputeCaptureOrOrder);
  }

  private showOrder(order: Order) {
    return orderView(this.account, order);
  }

  private verify(request: Json): boolean {
    const text = (name: string) => (typeof request[name] === 'string' ? request[name] : '');
    const id = text('cert_url').split('/').pop() ?? '';
    const signer = Object.values(this.material.signers).find((candidate) => candidate.id === id);
    if (!signer || text('webhook_id') !== this.webhookId || !asObject(request.webhook_event)) return false;
    const transmission = {
      id: text('transmission_id'),
      time: text('transmission_time'),
      sig: text('transmission_sig'),
      certUrl: text('cert_url'),
      algo: text('auth_algo'),
    };
    // JSON.stringify created the signed message, so a second JSON.stringify creates the same bytes.
    const body = JSON.stringify(request.webhook_event);
    return verifyTransmission(transmission, this.webhookId, body, signer.chainPem);
  }
}
