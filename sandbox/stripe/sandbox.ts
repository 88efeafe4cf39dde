import { createHmac } from 'node:crypto';
import { Deliveries, type DeliveryOptions } from '../deliveries.js';
import type { Faults } from '../faults.js';
import { StripeAccount, seconds } from './account.js';
import { StripeApi } from './api.js';
import { closeDispute, openDispute, type NewDispute } from './disputes.js';
import {
  cancelIntent,
  createIntent,
  declineIntent,
  payIntent,
  processIntent,
  type NewIntent,
  type PayOptions,
} from './intents.js';
import { stripePayments, type StripePayment } from './ledger.js';
import type { Dispute, PaymentIntent, Refund, StripeEvent } from './objects.js';
import { createRefund, failRefund, settleRefund } from './refunds.js';

export interface StripeSandboxOptions {
  secretKey: string;
  webhookSecret: string;
  webhookUrl?: string | string[];
}

/**
 * The Stripe half of the sandbox: what a donor, their bank and somebody at the dashboard can do.
 * Every intent may be named by its id or its client secret. Amounts are minor units. Objects returned
 * are copies. What the state refuses throws an error with a Stripe code.
 */
export class StripeSandbox {
  readonly api: StripeApi;
  readonly deliveries: Deliveries;
  readonly webhookSecret: string;
  private readonly account: StripeAccount;

  constructor(options: StripeSandboxOptions, faults: Faults, delivery: DeliveryOptions) {
    this.webhookSecret = options.webhookSecret;
    this.deliveries = new Deliveries('stripe', faults, ({ body }) => this.signatureHeaders(body), delivery);
    this.deliveries.setUrls(options.webhookUrl);
    this.account = new StripeAccount((event) => {
      const receivers = this.deliveries.getUrls().length;
      const body = JSON.stringify({ ...event, pending_webhooks: receivers }, null, 2);
      this.deliveries.publish({ id: event.id, type: event.type, body });
    });
    this.api = new StripeApi(this.account, options.secretKey, (id) => this.deliveries.pendingWebhooks(id));
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

  /** The donor pays. `amount` and `currency` make the paid sum differ; `force` pays even a cancelled intent. */
  pay(intent: string, options: PayOptions = {}): PaymentIntent {
    return structuredClone(payIntent(this.account, this.account.intent(intent), options));
  }

  /** The bank declines; the donor may try again. */
  decline(intent: string, options: { declineCode?: string } = {}): PaymentIntent {
    return structuredClone(declineIntent(this.account, this.account.intent(intent), options.declineCode));
  }

  /** A slow payment starts; `pay` or `decline` ends it. */
  process(intent: string): PaymentIntent {
    return structuredClone(processIntent(this.account, this.account.intent(intent)));
  }

  /** Somebody cancels the intent at the dashboard. */
  cancel(intent: string, options: { reason?: string } = {}): PaymentIntent {
    return structuredClone(cancelIntent(this.account, this.account.intent(intent), options.reason ?? null));
  }

  /** The intent was left alone too long and is cancelled by itself. */
  expire(intent: string): PaymentIntent {
    return structuredClone(cancelIntent(this.account, this.account.intent(intent), 'automatic'));
  }

  /** A checkout page makes its own intent, without telling the service. */
  createIntent(wanted: NewIntent): PaymentIntent {
    return structuredClone(createIntent(this.account, wanted));
  }

  /** The same, paid at once. */
  createPaid(wanted: NewIntent): PaymentIntent {
    return structuredClone(payIntent(this.account, createIntent(this.account, wanted)));
  }

  /** A refund made at the dashboard: all that is left, or `amount`; `pending` waits for settle or fail. */
  refund(intent: string, options: { amount?: number; pending?: boolean; reason?: string } = {}): Refund {
    const charge = this.account.paidCharge(this.account.intent(intent));
    const status = options.pending === true ? 'pending' : 'succeeded';
    const reason = options.reason ?? null;
    return structuredClone(createRefund(this.account, charge, { amount: options.amount, reason, status }));
  }

  /** A pending refund reaches the donor. */
  settleRefund(refund: string): Refund {
    return structuredClone(settleRefund(this.account, this.account.refund(refund)));
  }

  /** A pending or succeeded refund comes back from the bank. */
  failRefund(refund: string, options: { reason?: string } = {}): Refund {
    return structuredClone(failRefund(this.account, this.account.refund(refund), options.reason));
  }

  /** The donor's bank takes the money back (`inquiry`: only asks). */
  openDispute(intent: string, options: NewDispute = {}): Dispute {
    const charge = this.account.paidCharge(this.account.intent(intent));
    return structuredClone(openDispute(this.account, charge, options));
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
      [...this.account.disputes.values()].filter((dispute) => dispute.payment_intent === id),
    );
  }

  /** Every intent with what was paid, refunded and disputed. */
  payments(): StripePayment[] {
    return stripePayments(this.account);
  }

  /** Σ(paid − succeeded refunds − lost disputes) in a currency: what the books should say. */
  netHeld(currency: string): number {
    return this.payments()
      .filter((payment) => payment.currency === currency.toLowerCase())
      .reduce((sum, payment) => sum + payment.held, 0);
  }

  /** All events, oldest first. */
  events(): StripeEvent[] {
    return structuredClone([...this.account.events.values()]);
  }

  /** A valid `Stripe-Signature` for any body: to test a receiver with messages of one's own. */
  signatureHeaders(body: string, at = seconds()): Record<string, string> {
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
