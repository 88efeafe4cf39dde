import type { IncomingHttpHeaders } from 'node:http';
import { Logger } from '@nestjs/common';
import type { PaymentFact, WebhookEvent, WebhookObstacle } from '../provider-port.js';
import { MissingRightError, PaymentUnreadableError } from '../provider-errors.js';
import type { PayPalClient } from './paypal-client.js';
import type { PayPalConfig } from './paypal-environment.js';
import type { PayPalDisputes } from './paypal-disputes.js';
import { isUsedKind, readEvent, REGISTERED_KINDS, readPointer, toWebhookEvent } from './paypal-events.js';
import { orderFacts, orderRef, otherPayee, reversalFacts } from './paypal-facts.js';
import { eventListSchema, eventSchema, webhookSchema } from './paypal-objects.js';
import { type Found, ifUnreadable, type PayPalReader } from './paypal-reader.js';
import { PayPalSignature } from './paypal-signature.js';

/** Maximum number of pages with 100 events each. Even a very busy charity has far fewer events in three days. */
const MAX_PAGES = 1_000;

const EVENTS = '/v1/notifications/webhooks-events';

/** PayPal's webhook events. Only the ids in an event are used; the facts come from PayPal's answers about these ids. */
export class PayPalWebhooks {
  private readonly logger = new Logger('PayPal');
  private readonly signature: PayPalSignature;

  constructor(
    private readonly config: PayPalConfig,
    private readonly client: PayPalClient,
    private readonly reader: PayPalReader,
    private readonly disputes: PayPalDisputes,
  ) {
    this.signature = new PayPalSignature(config, client);
  }

  async read(body: Buffer, headers: IncomingHttpHeaders): Promise<WebhookEvent> {
    await this.signature.verify(body, headers);
    return readEvent(body);
  }

  /**
   * Returns the current facts of the payment that a webhook event points to. If PayPal shows a refund for a reversal,
   * the refund is the fact, so that a later reading does not book the reversal twice. Without such a refund, the
   * reversal becomes a lost dispute.
   */
  async factsOf(
    webhookEvent: WebhookEvent,
    hindered?: (obstacle: WebhookObstacle) => void,
  ): Promise<PaymentFact[]> {
    const pointer = readPointer(webhookEvent);
    if (!pointer) return [];
    let found: Found | undefined;
    try {
      if (pointer.disputeId !== undefined) return await this.disputes.factsOf(pointer.disputeId);
      found = await this.reader.follow(pointer);
    } catch (error) {
      // A missing permission is no problem of this event. It has a review item of its own.
      if (error instanceof MissingRightError) throw error;
      hindered?.({ kind: 'unreadable', reason: ifUnreadable(error).reason });
      return this.skip(webhookEvent, 'PayPal does not show the object');
    }
    if (!found) return this.skip(webhookEvent, 'the payment has no order');
    const ref = orderRef(found.order);
    if (ref.donationId === undefined && ref.eventRef === undefined)
      return this.skip(webhookEvent, 'not a donation of ours');
    // An order from another page is created in the donor's browser, so a donor could set another payee.
    const payee = otherPayee(found.order, this.config.merchantId);
    if (payee !== undefined) {
      hindered?.({ kind: 'other_payee', payee, ...ref });
      return this.skip(webhookEvent, 'the order pays another account');
    }
    const facts = orderFacts(found.order);
    if (!pointer.reversal || found.refund || !found.capture) return facts;
    return [...facts, ...reversalFacts(found.capture, found.order)];
  }

  /**
   * Lists all used webhook events of a time range, newest first. PayPal's list does not show which events were
   * delivered.
   * @throws ProviderUnavailableError, possibly in the middle of the list
   */
  async *listed(from: Date, until: Date | undefined): AsyncIterable<WebhookEvent> {
    let query = new URLSearchParams({
      start_time: secondOf(from),
      ...(until && { end_time: secondOf(new Date(until.getTime() + 999)) }),
      page_size: '100',
    });
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const list = await this.client.get(`${EVENTS}?${query.toString()}`, eventListSchema);
      for (const entry of list?.events ?? []) {
        const event = eventSchema.safeParse(entry);
        if (event.success && isUsedKind(event.data.event_type)) yield toWebhookEvent(event.data);
      }
      const next = list?.links?.find(({ rel }) => rel === 'next')?.href;
      // Use only the query of the link, so that our token is never sent to another host.
      const following = new URLSearchParams(next?.split('?')[1] ?? '');
      if (following.size === 0 || following.toString() === query.toString()) return;
      query = following;
    }
    this.logger.warn('PayPal lists more webhook events than one run can read');
  }

  async one(id: string): Promise<WebhookEvent | undefined> {
    const event = await this.client.get(`${EVENTS}/${encodeURIComponent(id)}`, eventSchema);
    return event && toWebhookEvent(event);
  }

  /** Returns the used types without a subscription; undefined if PayPal does not show the webhook. */
  async unsubscribed(): Promise<readonly string[] | undefined> {
    const path = `/v1/notifications/webhooks/${encodeURIComponent(this.config.webhookId)}`;
    const webhook = await this.client.get(path, webhookSchema).catch(ifUnreadable);
    if (!webhook || webhook instanceof PaymentUnreadableError) return undefined;
    const enabled = webhook.event_types.filter(({ status }) => status !== 'DISABLED');
    const subscribed = new Set(enabled.map(({ name }) => name));
    return subscribed.has('*') ? [] : REGISTERED_KINDS.filter((kind) => !subscribed.has(kind));
  }

  private skip({ id, kind }: WebhookEvent, reason: string): [] {
    this.logger.log({ msg: 'PayPal webhook event not used', webhookEvent: id, kind, reason });
    return [];
  }
}

/** Returns a time in whole seconds, like the event times of PayPal. */
const secondOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;
