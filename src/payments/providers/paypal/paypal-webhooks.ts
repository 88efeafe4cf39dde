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

/** Of a hundred events each: many times what a very busy charity has in three days. */
const MAX_PAGES = 1_000;

const EVENTS = '/v1/notifications/webhooks-events';

/**
 * PayPal's webhook events. Nothing in one is believed but the ids in it: facts come from what PayPal answers
 * when asked.
 */
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
   * What PayPal says now about the payment that a webhook event points at. A reversal is the refund that PayPal
   * shows it as, so that reading the payment later cannot count it a second time; only where it shows none is it
   * a lost dispute.
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
      // One item names the right; the event is not at fault.
      if (error instanceof MissingRightError) throw error;
      hindered?.({ kind: 'unreadable', reason: ifUnreadable(error).reason });
      return this.skip(webhookEvent, 'PayPal does not show its object');
    }
    if (!found) return this.skip(webhookEvent, 'it has no order');
    const ref = orderRef(found.order);
    if (ref.donationId === undefined && ref.eventRef === undefined)
      return this.skip(webhookEvent, 'not a donation of ours');
    // A page's order is made in the donor's browser, which could name another payee than the charity.
    const payee = otherPayee(found.order, this.config.merchantId);
    if (payee !== undefined) {
      hindered?.({ kind: 'other_payee', payee, ...ref });
      return this.skip(webhookEvent, 'it pays another account');
    }
    const facts = orderFacts(found.order);
    if (!pointer.reversal || found.refund || !found.capture) return facts;
    return [...facts, ...reversalFacts(found.capture, found.order)];
  }

  /**
   * All used webhook events of a time, newest first: PayPal's list does not say which were delivered.
   * @throws ProviderUnavailableError half-way, too
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
      // Only the link's query is used: our token goes to no other host.
      const following = new URLSearchParams(next?.split('?')[1] ?? '');
      if (following.size === 0 || following.toString() === query.toString()) return;
      query = following;
    }
    this.logger.warn('PayPal lists more webhook events than are read at once');
  }

  async one(id: string): Promise<WebhookEvent | undefined> {
    const event = await this.client.get(`${EVENTS}/${encodeURIComponent(id)}`, eventSchema);
    return event && toWebhookEvent(event);
  }

  /** The used kinds that the configured webhook does not have; undefined where PayPal does not show it. */
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

/** To the second, as PayPal dates its events. */
const secondOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;
