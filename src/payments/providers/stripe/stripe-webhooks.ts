import type { IncomingHttpHeaders } from 'node:http';
import Stripe from 'stripe';
import * as z from 'zod';
import { InvalidInputError } from '../../../common/errors/domain-errors.js';
import type { PaymentFact, WebhookEvent, WebhookObstacle } from '../provider-port.js';
import { isMissing, WebhookSignatureError } from '../provider-errors.js';
import { RIGHTS, type StripeAccess } from './stripe-access.js';
import { disputeFact, failedFact, idOf, intentFacts, refundFact, USED_EVENTS } from './stripe-facts.js';

/** Seconds for which a signature is valid; Stripe's own default. */
const TOLERANCE = 300;
/** Value for Stripe's library that turns off the check of the age. */
const ANY_AGE = 0;

/** Stripe's webhook events. The signature covers the whole body, so the content of a signed event is trusted. */
export class StripeWebhooks {
  constructor(
    private readonly stripe: Stripe,
    private readonly access: StripeAccess,
    private readonly secrets: readonly string[],
    private readonly readPayment: (paymentId: string) => Promise<PaymentFact[]>,
  ) {}

  read(body: Buffer, headers: IncomingHttpHeaders): WebhookEvent {
    const signature = headers['cardprocessor-signature'] ?? headers['stripe-signature'];
    if (typeof signature !== 'string')
      throw new InvalidInputError('WEBHOOK_SIGNATURE_MISSING', 'The signature header is missing');
    const event = this.verified(body, signature);
    if (!isEvent(event))
      throw new InvalidInputError('WEBHOOK_BODY_INVALID', 'The signed body is not an event');
    return toWebhookEvent(event);
  }

  async factsOf(
    { kind, content }: WebhookEvent,
    hindered?: (obstacle: WebhookObstacle) => void,
  ): Promise<PaymentFact[]> {
    const event = content as Stripe.Event;
    // Ignore events of connected accounts, because they are not about our money.
    if (event.account || !isUsed(kind)) return [];
    const fault = faultOf(kind, content);
    if (fault !== undefined) {
      hindered?.({ kind: 'malformed', reason: fault });
      return [];
    }
    switch (event.type) {
      case 'payment_intent.succeeded':
      case 'payment_intent.processing':
      case 'payment_intent.canceled':
        return intentFacts(event.data.object, new Date(event.created * 1000));
      case 'payment_intent.payment_failed':
        return [failedFact(event.data.object)];
      case 'charge.refunded':
        return await this.refundsOf(event.data.object);
      case 'charge.refund.updated':
      case 'refund.created':
      case 'refund.updated':
      case 'refund.failed':
        return refundFact(event.data.object);
      case 'charge.dispute.created':
      case 'charge.dispute.updated':
      case 'charge.dispute.closed':
      case 'charge.dispute.funds_withdrawn':
      case 'charge.dispute.funds_reinstated':
        return disputeFact(event.data.object, new Date(event.created * 1000));
      case 'radar.early_fraud_warning.created':
        return await this.warningFacts(event.data.object);
      default:
        return [];
    }
  }

  /**
   * Lists events without the filter `delivery_success`. While an endpoint is disabled, Stripe sends no events but
   * marks them as delivered.
   */
  async *events(from: Date, until: Date | undefined): AsyncIterable<WebhookEvent> {
    const events = this.stripe.events.list({
      created: { gte: Math.floor(from.getTime() / 1000), ...(until && { lte: secondsOf(until) }) },
      types: [...USED_EVENTS],
      limit: 100,
    });
    for await (const event of this.access.each(RIGHTS.readEvents, events)) yield toWebhookEvent(event);
  }

  async event(id: string): Promise<WebhookEvent | undefined> {
    try {
      return toWebhookEvent(await this.access.asked(RIGHTS.readEvents, this.stripe.events.retrieve(id)));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /**
   * Returns the fraud warning with the current facts of the payment, because a warning about a refunded payment needs
   * no action.
   */
  private async warningFacts({
    charge,
    fraud_type: reason,
    payment_intent: payment,
  }: Stripe.Radar.EarlyFraudWarning): Promise<PaymentFact[]> {
    const paymentId = idOf(payment) ?? (await this.paymentOf(idOf(charge)));
    if (paymentId === undefined) return [];
    return [...(await this.readPayment(paymentId)), { kind: 'fraud_warning', paymentId, reason }];
  }

  private async paymentOf(charge: string | undefined): Promise<string | undefined> {
    if (charge === undefined) return undefined;
    const { payment_intent: payment } = await this.access.asked(
      RIGHTS.readRefunds,
      this.stripe.charges.retrieve(charge),
    );
    return idOf(payment);
  }

  /** Returns the refunds of a charge. Reads each refund, because the charge contains only their sum. */
  private async refundsOf(charge: Stripe.Charge): Promise<PaymentFact[]> {
    const paymentId = idOf(charge.payment_intent);
    if (!paymentId) return [];
    const refunds = await this.access.listed(
      RIGHTS.readRefunds,
      this.stripe.refunds.list({ payment_intent: paymentId, limit: 100 }),
    );
    return refunds.flatMap(refundFact);
  }

  /** Returns the event if one of the secrets signed these bytes within the last five minutes. */
  private verified(body: Buffer, signature: string): unknown {
    const event = this.signed(body, signature, TOLERANCE);
    if (event !== undefined) return event;
    if (this.signed(body, signature, ANY_AGE) === undefined)
      throw new WebhookSignatureError('signed with none of the configured secrets', 'signature');
    throw new WebhookSignatureError(
      `signed ${String(ageOf(signature))} seconds ago by the clock of this server, which may be wrong`,
      'clock',
    );
  }

  private signed(body: Buffer, signature: string, tolerance: number): unknown {
    for (const secret of this.secrets) {
      try {
        return this.stripe.webhooks.constructEvent(body, signature, secret, tolerance);
      } catch (error) {
        if (error instanceof SyntaxError)
          throw new InvalidInputError('WEBHOOK_BODY_INVALID', 'The signed body is not JSON');
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      }
    }
    return undefined;
  }
}

/** Seconds since the time in a signature header. */
const ageOf = (signature: string): number =>
  Math.round(Date.now() / 1000) - Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1]);

const secondsOf = (time: Date): number => Math.ceil(time.getTime() / 1000);

const toWebhookEvent = (event: Stripe.Event): WebhookEvent => ({
  id: event.id,
  kind: event.type,
  content: event,
  ...(Number.isSafeInteger(event.created) && { createdAt: new Date(event.created * 1000) }),
});

const isUsed = (kind: string): boolean => (USED_EVENTS as readonly string[]).includes(kind);

/** True if signed JSON is an event. Its `type` determines the kind of its object. */
function isEvent(content: unknown): content is Stripe.Event {
  if (typeof content !== 'object' || content === null) return false;
  const { id, type } = content as { id?: unknown; type?: unknown };
  return isName(id) && isName(type);
}

/** True if the text has the form of Stripe's ids and types, which are stored and indexed unchanged. */
const isName = (text: unknown): boolean => typeof text === 'string' && /^[\w.-]{1,255}$/.test(text);

/**
 * Used fields of Stripe's objects, by type of event. A signature proves that Stripe sent the event, but the event may
 * have another API version with other fields.
 */

/** The maximum number of digits that Stripe accepts in any currency. */
const amount = z.int().nonnegative().max(999_999_999_999);
const currency = z.string().regex(/^[A-Za-z]{3}$/);
/** Ids and codes, stored unchanged. The pattern excludes NUL, which PostgreSQL cannot store. */
const name = z.string().regex(/^[\x20-\x7E]{1,255}$/);
const reference = z.union([name, z.object({ id: name })]).nullish();
/** Seconds, up to the year 2286. */
const time = z.int().nonnegative().max(9_999_999_999);
const texts = z.record(z.string(), z.string());

const intent = z.object({
  id: name,
  status: z.string(),
  amount_received: amount,
  currency,
  metadata: texts,
  latest_charge: reference,
  last_payment_error: z.object({}).nullish(),
  next_action: z.object({ type: z.string() }).nullish(),
});
const succeeded = intent.extend({ amount_received: amount.positive() });
const charge = z.object({ payment_intent: reference });
const refund = z.object({
  id: name,
  payment_intent: reference,
  amount: amount.positive(),
  currency,
  status: z.string().nullish(),
  metadata: texts.nullish(),
});
const dispute = z.object({
  id: name,
  payment_intent: reference,
  amount: amount.positive(),
  currency,
  status: name,
  reason: name.nullish(),
  evidence_details: z.object({ due_by: time.nullish() }).nullish(),
  balance_transactions: z.array(z.object({ fee: z.int(), currency })).nullish(),
});

const fraudWarning = z.object({ charge: reference, payment_intent: reference, fraud_type: name });

const eventOf = (object: z.ZodType) => z.object({ created: time, data: z.object({ object }) });

const SHAPES: readonly (readonly [kind: string, shape: z.ZodType])[] = [
  ['payment_intent.succeeded', eventOf(succeeded)],
  ['payment_intent.', eventOf(intent)],
  ['charge.refunded', eventOf(charge)],
  ['charge.refund.', eventOf(refund)],
  ['charge.dispute.', eventOf(dispute)],
  ['refund.', eventOf(refund)],
  ['radar.early_fraud_warning.', eventOf(fraudWarning)],
];

/** Returns the used field of an event that is missing or invalid; undefined if all are valid. */
function faultOf(kind: string, event: unknown): string | undefined {
  const shape = SHAPES.find(([start]) => kind.startsWith(start))?.[1];
  const read = shape?.safeParse(event);
  if (!read || read.success) return undefined;
  const [issue] = read.error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`.slice(0, 200);
}
