import { createHmac } from 'node:crypto';
import type { Faults } from '../calls/faults.js';
import type { Clock } from '../common/clock.js';
import { Deliveries, type DeliveryOptions } from '../webhooks/deliveries.js';
import { StripeAccount } from './account.js';
import { StripeApi } from './api/api.js';
import {
  appealDispute,
  asOfNow,
  closeDispute,
  escalateDispute,
  type NewDispute,
  openDispute,
  preventDispute,
  reopenDispute,
  submitEvidence,
  updateDispute,
  warnOfFraud,
} from './disputes.js';
import {
  cancelIntent,
  createIntent,
  declineIntent,
  type NewIntent,
  payIntent,
  type PayOptions,
  processIntent,
} from './intents.js';
import { type StripePayment, stripePayments } from './ledger.js';
import type { Fees } from './money.js';
import {
  expireVoucher,
  failAuthentication,
  failVerification,
  giveInstructions,
  issueVoucher,
  type NewInstructions,
  requireAuthentication,
  type VoucherKind,
} from './next-actions.js';
import type {
  BalanceTransaction,
  Dispute,
  FraudWarning,
  PaymentIntent,
  Payout,
  Refund,
  SetupIntent,
  StripeEvent,
} from './objects.js';
import { authenticateSetup, confirmSetup, failSetup, type TypedCard } from './saved-cards.js';
import { itemizePayout, type NewPayout, payOut } from './payouts.js';
import {
  cancelRefund,
  type DashboardRefund,
  failRefund,
  refundAtDashboard,
  settleRefund,
} from './refunds.js';

export interface StripeSandboxOptions {
  secretKey: string;
  /** Key for donors' browsers; default `pk_test_sandbox`. */
  publishableKey?: string;
  webhookSecret: string;
  webhookUrl?: string | string[];
}

/**
 * The Stripe part of the sandbox: all actions of a donor, a bank and a dashboard user. The id or the client secret
 * identifies an intent. Amounts are in minor units. Returned objects are copies. An action that the current state
 * does not allow throws an error with a Stripe code.
 */
export class StripeSandbox {
  readonly api: StripeApi;
  readonly deliveries: Deliveries;
  readonly webhookSecret: string;
  readonly publishableKey: string;
  private readonly account: StripeAccount;

  constructor(options: StripeSandboxOptions, faults: Faults, delivery: DeliveryOptions, clock: Clock) {
    this.webhookSecret = options.webhookSecret;
    this.publishableKey = options.publishableKey ?? 'pk_test_sandbox';
    this.deliveries = new Deliveries('stripe', faults, ({ body }) => this.signatureHeaders(body), delivery);
    this.deliveries.setUrls(options.webhookUrl);
    this.account = new StripeAccount((event) => {
      const receivers = this.deliveries.getUrls().length;
      const body = JSON.stringify({ ...event, pending_webhooks: receivers }, null, 2);
      this.deliveries.publish({ id: event.id, type: event.type, body });
    }, clock);
    this.api = new StripeApi(
      this.account,
      { secretKey: options.secretKey, publishableKey: this.publishableKey },
      this.deliveries,
    );
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
      keys: this.api.keys.entries(),
      webhooks: this.deliveries.snapshot(),
    };
  }

  restore(saved: ReturnType<StripeSandbox['snapshot']>): void {
    this.account.restore(saved.account);
    this.api.keys.restore(saved.keys);
    this.deliveries.restore(saved.webhooks);
  }

  /** The donor pays. `amount` and `currency` change the paid amount; with `force`, even a cancelled intent is paid. */
  pay(intent: string, options: PayOptions = {}): PaymentIntent {
    return structuredClone(payIntent(this.account, this.account.intent(intent), options));
  }

  /** The bank declines; the donor may try again. */
  decline(intent: string, options: { declineCode?: string } = {}): PaymentIntent {
    return structuredClone(declineIntent(this.account, this.account.intent(intent), options.declineCode));
  }

  /**
   * Starts a slow payment. Status `processing` until `pay` or `decline`. `method`: `card` (default), `sepa_debit` and
   * similar ones.
   */
  process(intent: string, options: { method?: string } = {}): PaymentIntent {
    return structuredClone(processIntent(this.account, this.account.intent(intent), options.method));
  }

  /** The bank asks the donor for 3-D Secure. Status `requires_action` until `pay` or `failAuthentication`. */
  requireAuthentication(intent: string, { returnUrl }: { returnUrl?: string } = {}): PaymentIntent {
    return structuredClone(requireAuthentication(this.account, this.account.intent(intent), returnUrl));
  }

  failAuthentication(intent: string): PaymentIntent {
    return structuredClone(failAuthentication(this.account, this.account.intent(intent)));
  }

  /** The donor saves a card with this number. Status `requires_action` if the bank asks for 3-D Secure. */
  confirmSetup(setup: string, card: TypedCard): SetupIntent {
    return structuredClone(confirmSetup(this.account, this.account.setup(setup), card));
  }

  /** The bank has authenticated the donor who saves a card. */
  authenticateSetup(setup: string): SetupIntent {
    return structuredClone(authenticateSetup(this.account, this.account.setup(setup)));
  }

  failSetup(setup: string): SetupIntent {
    return structuredClone(failSetup(this.account, this.account.setup(setup)));
  }

  setup(idOrSecret: string): SetupIntent {
    return structuredClone(this.account.setup(idOrSecret));
  }

  /** Ids of the customers that are not deleted. */
  customers(): string[] {
    return [...this.account.customers.keys()];
  }

  /** The donor gets a voucher. Status `requires_action` until `pay`, `process` or `expireVoucher`. */
  issueVoucher(intent: string, options: { kind?: VoucherKind; expiresInDays?: number } = {}): PaymentIntent {
    const found = this.account.intent(intent);
    return structuredClone(
      issueVoucher(this.account, found, options.kind ?? 'multibanco', options.expiresInDays),
    );
  }

  expireVoucher(intent: string): PaymentIntent {
    return structuredClone(expireVoucher(this.account, this.account.intent(intent)));
  }

  /** The donor pays later by micro-deposits, bank transfer or code. Status `requires_action` until `pay` or `process`. */
  giveInstructions(intent: string, options: NewInstructions): PaymentIntent {
    return structuredClone(giveInstructions(this.account, this.account.intent(intent), options));
  }

  failVerification(intent: string): PaymentIntent {
    return structuredClone(failVerification(this.account, this.account.intent(intent)));
  }

  /** Cancels the intent at the dashboard. */
  cancel(intent: string, options: { reason?: string } = {}): PaymentIntent {
    return structuredClone(cancelIntent(this.account, this.account.intent(intent), options.reason ?? null));
  }

  /** Cancels the intent as Stripe does automatically after a long time without payment. */
  expire(intent: string): PaymentIntent {
    return structuredClone(cancelIntent(this.account, this.account.intent(intent), 'automatic'));
  }

  /** A checkout page creates its own intent without the service. */
  createIntent(wanted: NewIntent): PaymentIntent {
    return structuredClone(createIntent(this.account, wanted));
  }

  /** A checkout page creates its own intent and the donor pays it. */
  createPaid(wanted: NewIntent): PaymentIntent {
    return structuredClone(payIntent(this.account, createIntent(this.account, wanted)));
  }

  /**
   * Refunds the remaining amount, or `amount`, at the dashboard. With `pending`, the refund is pending until
   * `settleRefund` or `failRefund`.
   */
  refund(intent: string, options: DashboardRefund = {}): Refund {
    const charge = this.account.paidCharge(this.account.intent(intent));
    return structuredClone(refundAtDashboard(this.account, charge, options));
  }

  /** Completes a pending refund. */
  settleRefund(refund: string): Refund {
    return structuredClone(settleRefund(this.account, this.account.refund(refund)));
  }

  /** Fails a pending or succeeded refund; the bank returns it. */
  failRefund(refund: string, options: { reason?: string } = {}): Refund {
    return structuredClone(failRefund(this.account, this.account.refund(refund), options.reason));
  }

  cancelRefund(refund: string): Refund {
    return structuredClone(cancelRefund(this.account, this.account.refund(refund)));
  }

  /** The card's bank reports the payment as fraud (`radar.early_fraud_warning.created`). */
  warnOfFraud(intent: string, options: { fraudType?: string } = {}): FraudWarning {
    const charge = this.account.paidCharge(this.account.intent(intent));
    return structuredClone(warnOfFraud(this.account, charge, options.fraudType));
  }

  /** Opens a dispute: the donor's bank takes the money back, or only asks a question (`inquiry`). */
  openDispute(intent: string, options: NewDispute = {}): Dispute {
    const charge = this.account.paidCharge(this.account.intent(intent));
    return structuredClone(openDispute(this.account, charge, options));
  }

  /** Turns an inquiry into a chargeback: the money is withdrawn, and the charity must answer again. */
  escalateDispute(disputeOrIntent: string, options: { dueInDays?: number } = {}): Dispute {
    const dispute = this.findDispute(disputeOrIntent);
    return structuredClone(escalateDispute(this.account, dispute, options.dueInDays));
  }

  /** Sends the charity's answer to the bank: `under_review` or `warning_under_review`. */
  submitEvidence(disputeOrIntent: string): Dispute {
    const evidence = { uncategorized_text: 'A donation.' };
    return structuredClone(submitEvidence(this.account, this.findDispute(disputeOrIntent), evidence));
  }

  /** The bank changes the reason or the deadline. */
  updateDispute(disputeOrIntent: string, options: { reason?: string; dueInDays?: number } = {}): Dispute {
    return structuredClone(updateDispute(this.account, this.findDispute(disputeOrIntent), options));
  }

  /** Reopens a won dispute: the money is withdrawn, and the charity must answer again. */
  reopenDispute(disputeOrIntent: string, options: { dueInDays?: number } = {}): Dispute {
    const dispute = this.findDispute(disputeOrIntent);
    return structuredClone(reopenDispute(this.account, dispute, options.dueInDays));
  }

  /**
   * Allows the charity to appeal a lost dispute. `submitEvidence` sends the appeal, and `winDispute` or `loseDispute`
   * decides it.
   */
  appealDispute(disputeOrIntent: string, options: { dueInDays?: number } = {}): Dispute {
    const dispute = this.findDispute(disputeOrIntent);
    return structuredClone(appealDispute(this.account, dispute, options.dueInDays));
  }

  /**
   * Creates a prevented dispute: the card network ends a complaint before it becomes a dispute. With `block`, the
   * charity's money does not move.
   */
  preventDispute(intent: string, options: { amount?: number; block?: boolean } = {}): Dispute {
    const charge = this.account.paidCharge(this.account.intent(intent));
    return structuredClone(preventDispute(this.account, charge, options));
  }

  /** Sets any status, to test a status that a later API version may add. */
  nameStatus(object: string, status: string): void {
    this.account.nameStatus(object, status);
  }

  winDispute(disputeOrIntent: string): Dispute {
    return structuredClone(closeDispute(this.account, this.findDispute(disputeOrIntent), 'won'));
  }

  loseDispute(disputeOrIntent: string): Dispute {
    return structuredClone(closeDispute(this.account, this.findDispute(disputeOrIntent), 'lost'));
  }

  intent(idOrSecret: string): PaymentIntent {
    return structuredClone(this.account.intent(idOrSecret));
  }

  refundsOf(intent: string): Refund[] {
    const { id } = this.account.intent(intent);
    return structuredClone(
      [...this.account.refunds.values()].filter((refund) => refund.payment_intent === id),
    );
  }

  disputesOf(intent: string): Dispute[] {
    const { id } = this.account.intent(intent);
    return structuredClone(
      [...this.account.disputes.values()]
        .filter((dispute) => dispute.payment_intent === id)
        .map((dispute) => asOfNow(this.account, dispute)),
    );
  }

  /** Returns the balance transactions with their fees, oldest first. */
  balance(): BalanceTransaction[] {
    return structuredClone([...this.account.balance.values()]);
  }

  /** Pays out the whole balance of a currency (default `eur`). `manual`: requested at the dashboard. */
  payOut(options: NewPayout = {}): Payout {
    return structuredClone(payOut(this.account, options));
  }

  itemizePayout(payout: string): Payout {
    return structuredClone(itemizePayout(this.account.payout(payout)));
  }

  /** Sets Stripe's fees for payments and disputes from now on. */
  setFees(fees: Partial<Fees>): void {
    Object.assign(this.account.fees, fees);
  }

  /** Sets the number of days for which events can be read; 30 at Stripe. */
  setEventRetention(days: number): void {
    this.account.eventRetentionDays = days;
  }

  /**
   * Moves the API keys to another account. Until `changeAccountBack`, calls about earlier objects are answered with
   * `resource_missing`.
   */
  changeAccount(): void {
    this.account.change();
    this.api.keys.clear();
  }

  changeAccountBack(): void {
    this.account.changeBack();
  }

  /** Returns every intent with its paid, refunded and disputed sums. */
  payments(): StripePayment[] {
    return stripePayments(this.account);
  }

  /** Returns Σ(paid − succeeded refunds − lost disputes) in a currency. The service must have the same total. */
  netHeld(currency: string): number {
    return this.payments()
      .filter((payment) => payment.currency === currency.toLowerCase())
      .reduce((sum, payment) => sum + payment.held, 0);
  }

  /** All events, oldest first. */
  events(): StripeEvent[] {
    return structuredClone([...this.account.events.values()]);
  }

  /** Returns a valid `Stripe-Signature` for any body, to test a receiver with your own messages. */
  signatureHeaders(body: string, at = Math.floor(Date.now() / 1000)): Record<string, string> {
    const signature = createHmac('sha256', this.webhookSecret)
      .update(`${String(at)}.${body}`)
      .digest('hex');
    return {
      'stripe-signature': `t=${String(at)},v1=${signature}`,
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    };
  }

  private findDispute(disputeOrIntent: string): Dispute {
    if (!disputeOrIntent.startsWith('pi_')) return this.account.dispute(disputeOrIntent);
    const { id } = this.account.intent(disputeOrIntent);
    const open = [...this.account.disputes.values()].filter((dispute) => dispute.payment_intent === id);
    return open.at(-1) ?? this.account.dispute(disputeOrIntent);
  }
}
