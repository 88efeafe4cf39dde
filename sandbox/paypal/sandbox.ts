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
  /** Pays another account than the charity's. */
  merchantId?: string;
}

/**
 * The PayPal half of the sandbox: what a donor, their bank and somebody at the dashboard can do.
 * Captures may be named by their own id or their order's. Amounts are minor units. Objects returned
 * are as the API shows them. What the state refuses throws an error with a PayPal issue.
 */
export class PayPalSandbox {
  readonly api: PayPalApi;
  readonly deliveries: Deliveries;
  /** The authority that a receiver has to trust. */
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

  /** From now on webhooks are signed with this kind of certificate. */
  useCertificate(kind: CertificateKind): void {
    this.certificateKind = kind;
  }

  /** Access tokens handed out so far stop working. */
  revokeTokens(): void {
    this.api.revokeTokens();
  }

  /** The donor agrees; the service has to capture. */
  approve(order: string) {
    return this.showOrder(approveOrder(this.account, this.account.order(order)));
  }

  /** A checkout page made this order without telling the service, and the donor agreed. */
  createApprovedOrder(wanted: OwnOrder) {
    const order = createOrder(this.account, {
      amount: wanted.amount,
      currency: wanted.currency.toUpperCase(),
      customId: wanted.custom_id,
      merchantId: wanted.merchantId,
    });
    return this.showOrder(approveOrder(this.account, order));
  }

  /** The same, captured by that page too. */
  createCapturedOrder(wanted: OwnOrder) {
    const order = this.createApprovedOrder(wanted);
    this.capture(order.id);
    return this.order(order.id);
  }

  /** Captured from elsewhere. `amount` and `currency` make the sum differ; `pending` waits; `final: false` leaves the order open. */
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

  /** One capture more of an order that was captured already. */
  captureAgain(order: string, options: { amount?: number; pending?: boolean } = {}) {
    const capture = addCapture(this.account, this.account.order(order), {
      outcome: options.pending === true ? 'pending' : 'complete',
      amount: options.amount,
    });
    return captureView(this.account, capture);
  }

  /** What the bank will say when the order is captured. */
  onCapture(order: string, options: { outcome: Order['onCapture']; reason?: PendingReason }) {
    const found = this.account.order(order);
    found.onCapture = options.outcome;
    found.pendingReason = options.reason;
    return this.showOrder(found);
  }

  /** A pending capture waits for another reason. */
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

  /** A status that a later version of the API may bring. */
  nameStatus(captureOrOrder: string, status: string): void {
    Object.assign(this.account.capture(captureOrOrder), { status });
  }

  /** The order runs out or is given up: it can no longer be approved or captured. */
  void(order: string) {
    return this.showOrder(voidOrder(this.account, this.account.order(order)));
  }

  /** The order vanishes: PayPal forgets orders that were never captured. */
  forget(order: string): void {
    const found = this.account.order(order);
    if (found.captureId !== undefined) throw new Error('Captured orders are kept');
    this.account.orders.delete(found.id);
  }

  /** A refund made at the dashboard: all that is left, or `amount`; `pending` waits. */
  refund(capture: string, options: { amount?: number; pending?: boolean } = {}) {
    const status = options.pending === true ? 'PENDING' : 'COMPLETED';
    const found = this.account.capture(capture);
    return refundView(this.account, createRefund(this.account, found, { amount: options.amount, status }));
  }

  settleRefund(refund: string) {
    return refundView(this.account, settleRefund(this.account, this.account.refund(refund)));
  }

  /** A pending or completed refund fails; PayPal sends no webhook for it. */
  failRefund(refund: string) {
    return refundView(this.account, failRefund(this.account, this.account.refund(refund)));
  }

  /** PayPal takes the money back (chargeback, complaint). */
  reverse(capture: string, options: { amount?: number } = {}) {
    const found = this.account.capture(capture);
    return refundView(
      this.account,
      createRefund(this.account, found, { amount: options.amount, reversal: true }),
    );
  }

  /** The donor complains to PayPal (`INQUIRY`), or their bank charges back (`stage`). */
  openDispute(capture: string, options: NewDispute = {}) {
    return disputeView(this.account, openDispute(this.account, this.account.capture(capture), options));
  }

  /** The next stage, or the one that is named. */
  escalateDispute(dispute: string, options: { stage?: DisputeStage; dueInDays?: number } = {}) {
    return disputeView(this.account, escalateDispute(this.account, this.findDispute(dispute), options));
  }

  /** Another status, reason or due date of an open dispute. */
  changeDispute(
    dispute: string,
    options: { status?: DisputeStatus; reason?: string; dueInDays?: number } = {},
  ) {
    return disputeView(this.account, changeDispute(this.account, this.findDispute(dispute), options));
  }

  /** Taken up again after it was decided, an appeal for example. */
  reopenDispute(dispute: string, options: { status?: DisputeStatus; dueInDays?: number } = {}) {
    return disputeView(this.account, reopenDispute(this.account, this.findDispute(dispute), options));
  }

  /** Decided; in the buyer's favour (or when the charity accepts) the capture is reversed. */
  resolveDispute(dispute: string, options: { outcome: DisputeOutcome }) {
    return disputeView(
      this.account,
      resolveDispute(this.account, this.findDispute(dispute), options.outcome),
    );
  }

  /** Calls about this order, capture or refund answer 403 or 404 until `reveal`; events of it still come. */
  hide(id: string, options: { status?: 403 | 404 } = {}): void {
    this.account.hidden.set(id, options.status ?? 404);
  }

  reveal(id: string): void {
    this.account.hidden.delete(id);
  }

  /** Whether a refusal (422) is kept under its request id and answers again. */
  keepRefusals(keep = true): void {
    this.api.requestIds.keepsRefusals = keep;
  }

  /** What PayPal keeps of captures and chargebacks from now on. */
  setFees(fees: Partial<Fees>): void {
    Object.assign(this.account.fees, fees);
  }

  /** How long a payment takes to show up in the transaction search. */
  setSearchLag(ms: number): void {
    this.account.searchLagMs = ms;
  }

  /** Events older than this can no longer be listed; 30 at PayPal. */
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

  /** As they are kept, amounts in minor units; none of an order that was never captured. */
  disputesOf(order: string): Dispute[] {
    const captures = new Set(this.account.capturesOf(this.account.order(order)).map(({ id }) => id));
    return structuredClone(
      [...this.account.disputes.values()].filter(({ captureId }) => captures.has(captureId)),
    );
  }

  /** Where the donor's page sends them after they agreed or gave up. */
  returnUrls(order: string): {
    returnUrl: string | undefined;
    cancelUrl: string | undefined;
    payerId: string | undefined;
  } {
    const { returnUrl, cancelUrl, payerId } = this.account.order(order);
    return { returnUrl, cancelUrl, payerId };
  }

  /** Every order with what was paid and given back, in minor units. */
  payments(): PayPalPayment[] {
    return paypalPayments(this.account);
  }

  /** Σ(captured − completed refunds and reversals) in a currency: what the books should say. */
  netHeld(currency: string): number {
    return this.payments()
      .filter((payment) => payment.currency === currency.toUpperCase())
      .reduce((sum, payment) => sum + payment.held, 0);
  }

  /** All events, oldest first. */
  events(): PayPalEvent[] {
    return structuredClone([...this.account.events.values()]);
  }

  /** Valid signature headers for any body: to test a receiver with messages of one's own. */
  signatureHeaders(body: string, kind: CertificateKind = this.certificateKind): Record<string, string> {
    const signer = this.material.signers[kind];
    return transmissionHeaders(signTransmission(body, this.webhookId, signer, this.account.baseUrl));
  }

  /** Decimals of a currency, for showing amounts. */
  exponent(currency: string): number {
    return paypalExponent(currency.toUpperCase());
  }

  /** By its own id, or the last one of a capture or order. */
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
    // The message was written by JSON.stringify, so writing it again gives the signed bytes.
    const body = JSON.stringify(request.webhook_event);
    return verifyTransmission(transmission, this.webhookId, body, signer.chainPem);
  }
}
