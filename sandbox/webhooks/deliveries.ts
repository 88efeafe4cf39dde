import type { Faults, Provider } from '../calls/faults.js';
import { Postman } from './postman.js';

/** A webhook message; `body` is signed and sent unchanged. */
export interface Notification {
  id: string;
  type: string;
  body: string;
}

export interface Attempt {
  at: string;
  /** The receiver's status, or null if there was no answer. */
  status: number | null;
  error?: string;
}

/**
 * `queued`: not sent yet; `retrying`: refused, will be sent again; `failed`: no more retries; `dropped`: not sent
 * without `deliver` or `redeliverUndelivered`.
 */
export type DeliveryState = 'queued' | 'sending' | 'retrying' | 'delivered' | 'failed' | 'dropped';

export interface Delivery {
  eventId: string;
  type: string;
  url: string;
  state: DeliveryState;
  attempts: Attempt[];
}

export interface DeliveryOptions {
  /** Pauses before the second, third … attempt. After the last attempt the delivery fails. */
  retryDelaysMs: readonly number[];
  /** Timeout for the receiver's answer. */
  timeoutMs: number;
}

export type FlushOrder = 'oldest-first' | 'newest-first' | 'shuffled';

interface Tracked extends Delivery {
  /**
   * Position of the receiver in the list of addresses. It stays the same if the address changes, so the
   * receiver keeps its messages.
   */
  receiver: number;
  notification: Notification;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Sends the webhooks of one provider and records the result of each. In `auto` mode, every message is sent at once
 * and retried until the receiver answers 2xx. In `manual` mode, messages wait for `deliver` or `flush`.
 */
export class Deliveries {
  mode: 'auto' | 'manual' = 'auto';
  /**
   * False while the endpoint is disabled. Events from this time are never sent automatically, even after the endpoint
   * is enabled again.
   */
  isEnabled = true;
  /** Event types to send; undefined for all types. */
  subscribed: readonly string[] | undefined;
  private urls: string[] = [];
  private readonly tracked: Tracked[] = [];
  private readonly byEvent = new Map<string, Tracked[]>();
  private readonly notifications = new Map<string, Notification>();
  private readonly postman: Postman;
  private inFlight = 0;
  private waiting = 0;
  private closed = false;

  constructor(
    private readonly provider: Provider,
    private readonly faults: Faults,
    private readonly sign: (notification: Notification) => Record<string, string>,
    private readonly options: DeliveryOptions,
  ) {
    this.postman = new Postman(options.timeoutMs);
  }

  setUrls(urls: string | readonly string[] | undefined): void {
    this.urls = urls === undefined ? [] : typeof urls === 'string' ? [urls] : [...urls];
  }

  getUrls(): readonly string[] {
    return this.urls;
  }

  /** Queues a message after an event of the provider. */
  publish(notification: Notification): void {
    this.notifications.set(notification.id, notification);
    if (!this.isEnabled || this.subscribed?.includes(notification.type) === false) return;
    for (const receiver of this.urls.keys()) {
      const tracked = this.track(notification, receiver);
      if (this.mode === 'manual') continue;
      const fault = this.faults.take(this.provider, `webhook:${notification.type}`);
      if (fault?.kind === 'webhook_never') {
        tracked.state = 'dropped';
      } else if (fault?.kind === 'webhook_late') {
        this.later(tracked, fault.ms ?? 1000);
      } else {
        this.start(tracked);
        if (fault?.kind === 'webhook_twice') this.start(this.track(notification, receiver));
      }
    }
  }

  list(): Delivery[] {
    return this.tracked.map(({ eventId, type, url, state, attempts }) => ({
      eventId,
      type,
      url,
      state,
      attempts,
    }));
  }

  /** Number of receivers that have not accepted the event yet. */
  pendingWebhooks(eventId: string): number {
    const mine = this.of(eventId).filter(({ receiver }) => receiver < this.urls.length);
    const taken = new Set(mine.filter(({ state }) => state === 'delivered').map(({ receiver }) => receiver));
    return new Set(mine.map(({ receiver }) => receiver).filter((receiver) => !taken.has(receiver))).size;
  }

  /** Ids of events that a receiver has not accepted, oldest first. */
  undelivered(): string[] {
    return [...this.notifications.keys()].filter((id) => this.pendingWebhooks(id) > 0 || !this.isTracked(id));
  }

  /**
   * Sends an event now, `times` times, even if it is already delivered or dropped. Returns the statuses of the
   * answers.
   */
  async deliver(eventId: string, times = 1): Promise<(number | null)[]> {
    const notification = this.notifications.get(eventId);
    if (!notification) throw new Error(`Event ${eventId} not found`);
    const statuses: (number | null)[] = [];
    for (const receiver of this.urls.keys()) {
      for (let round = 0; round < times; round += 1) {
        const waiting = this.of(eventId).find(
          (delivery) => delivery.receiver === receiver && delivery.state !== 'delivered',
        );
        statuses.push(await this.attempt(waiting ?? this.track(notification, receiver)));
      }
    }
    return statuses;
  }

  /** Sends an event `times` times at once. */
  async deliverAtOnce(eventId: string, times: number): Promise<(number | null)[]> {
    const notification = this.notifications.get(eventId);
    if (!notification) throw new Error(`Event ${eventId} not found`);
    const copies = [...this.urls.keys()].flatMap((receiver) =>
      Array.from({ length: times }, () => this.track(notification, receiver)),
    );
    return Promise.all(copies.map((copy) => this.attempt(copy)));
  }

  /** Sends each message that is not accepted yet, once and one after another. Skips dropped messages. */
  async flush(order: FlushOrder = 'oldest-first', random: () => number = Math.random): Promise<void> {
    const ids = this.undelivered().filter((id) => this.isTracked(id) && !this.isDropped(id));
    for (const id of arranged(ids, order, random)) await this.deliver(id);
  }

  /**
   * Sends every message that is not accepted. This includes dropped messages, and messages created before the
   * first receiver was set.
   */
  async redeliverUndelivered(): Promise<void> {
    for (const id of this.undelivered()) await this.deliver(id);
  }

  /** Drops a message, so that only `redeliverUndelivered` or `deliver` sends it. */
  drop(eventId: string): void {
    for (const delivery of this.of(eventId)) {
      if (delivery.state === 'delivered') continue;
      this.stopTimer(delivery);
      delivery.state = 'dropped';
    }
  }

  /** True if no message is being sent and none waits for a retry. Queued messages of `manual` mode are ignored. */
  isIdle(): boolean {
    return this.inFlight === 0 && this.waiting === 0;
  }

  snapshot() {
    const deliveries = this.tracked.map(({ notification: _, timer: __, ...delivery }) => delivery);
    return { notifications: [...this.notifications.values()], deliveries };
  }

  /** Continues after a restart: unfinished messages are sent again. */
  restore(saved: ReturnType<Deliveries['snapshot']>): void {
    for (const notification of saved.notifications) this.notifications.set(notification.id, notification);
    for (const delivery of saved.deliveries) {
      const notification = this.notifications.get(delivery.eventId);
      if (!notification) continue;
      const tracked: Tracked = { ...delivery, notification };
      this.remember(tracked);
      const open =
        delivery.state === 'sending' || delivery.state === 'retrying' || delivery.state === 'queued';
      if (open) this.later(tracked, this.options.retryDelaysMs.at(-1) ?? 0);
    }
  }

  close(): void {
    this.closed = true;
    for (const delivery of this.tracked) this.stopTimer(delivery);
    this.postman.close();
  }

  private isTracked(eventId: string): boolean {
    return this.byEvent.has(eventId);
  }

  private isDropped(eventId: string): boolean {
    const mine = this.of(eventId);
    return mine.length > 0 && mine.every((delivery) => delivery.state === 'dropped');
  }

  private track(notification: Notification, receiver: number): Tracked {
    const tracked: Tracked = {
      eventId: notification.id,
      type: notification.type,
      receiver,
      url: this.urls[receiver] ?? '',
      state: 'queued',
      attempts: [],
      notification,
    };
    this.remember(tracked);
    return tracked;
  }

  private remember(tracked: Tracked): void {
    this.tracked.push(tracked);
    this.byEvent.set(tracked.eventId, [...this.of(tracked.eventId), tracked]);
  }

  private of(eventId: string): Tracked[] {
    return this.byEvent.get(eventId) ?? [];
  }

  private later(tracked: Tracked, ms: number): void {
    if (this.closed) return;
    this.waiting += 1;
    tracked.timer = setTimeout(() => {
      this.stopTimer(tracked);
      this.start(tracked);
    }, ms);
  }

  private stopTimer(tracked: Tracked): void {
    if (tracked.timer === undefined) return;
    clearTimeout(tracked.timer);
    tracked.timer = undefined;
    this.waiting -= 1;
  }

  private start(tracked: Tracked): void {
    void this.attempt(tracked).then((status) => {
      if (tracked.state === 'delivered' || tracked.state === 'dropped') return;
      const delay = this.options.retryDelaysMs[tracked.attempts.length - 1];
      if (delay === undefined) {
        tracked.state = 'failed';
      } else {
        tracked.state = 'retrying';
        this.later(tracked, delay);
      }
      return status;
    });
  }

  private async attempt(tracked: Tracked): Promise<number | null> {
    this.stopTimer(tracked);
    this.inFlight += 1;
    tracked.state = 'sending';
    tracked.url = this.urls[tracked.receiver] ?? tracked.url;
    const attempt: Attempt = { at: new Date().toISOString(), status: null };
    tracked.attempts.push(attempt);
    try {
      const { body } = tracked.notification;
      attempt.status = await this.postman.post(tracked.url, body, this.sign(tracked.notification));
    } catch (error) {
      attempt.error = error instanceof Error ? error.message : String(error);
    } finally {
      this.inFlight -= 1;
    }
    const taken = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    tracked.state = taken ? 'delivered' : 'failed';
    return attempt.status;
  }
}

function arranged(ids: string[], order: FlushOrder, random: () => number): string[] {
  if (order === 'oldest-first') return ids;
  if (order === 'newest-first') return ids.reverse();
  for (let last = ids.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [ids[last], ids[other]] = [ids[other] ?? '', ids[last] ?? ''];
  }
  return ids;
}
