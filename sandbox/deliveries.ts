import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Faults, Provider } from './faults.js';

/** A webhook message: the bytes that are signed and sent are `body`. */
export interface Notification {
  id: string;
  type: string;
  body: string;
}

export interface Attempt {
  at: string;
  /** The receiver's status, or null when there was no answer. */
  status: number | null;
  error?: string;
}

/** `queued`: not sent yet; `retrying`: refused, will be sent again; `failed`: given up; `dropped`: never sent. */
export type DeliveryState = 'queued' | 'sending' | 'retrying' | 'delivered' | 'failed' | 'dropped';

export interface Delivery {
  eventId: string;
  type: string;
  url: string;
  state: DeliveryState;
  attempts: Attempt[];
}

export interface DeliveryOptions {
  /** Pauses before the second, third … attempt; after the last one the delivery has failed. */
  retryDelaysMs: readonly number[];
  /** How long a receiver may take. */
  timeoutMs: number;
}

export type FlushOrder = 'oldest-first' | 'newest-first' | 'shuffled';

interface Tracked extends Delivery {
  notification: Notification;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Sends one provider's webhooks and remembers how each went. In `auto` mode every message leaves at
 * once and is sent again until the receiver answers 2xx; in `manual` mode it waits for `deliver` or
 * `flush`.
 */
export class Deliveries {
  mode: 'auto' | 'manual' = 'auto';
  private urls: string[] = [];
  private readonly tracked: Tracked[] = [];
  private readonly notifications = new Map<string, Notification>();
  private readonly agents = {
    http: new HttpAgent({ keepAlive: false }),
    https: new HttpsAgent({ keepAlive: false }),
  };
  private inFlight = 0;
  private closed = false;

  constructor(
    private readonly provider: Provider,
    private readonly faults: Faults,
    private readonly sign: (notification: Notification) => Record<string, string>,
    private readonly options: DeliveryOptions,
  ) {}

  setUrls(urls: string | readonly string[] | undefined): void {
    this.urls = urls === undefined ? [] : typeof urls === 'string' ? [urls] : [...urls];
  }

  getUrls(): readonly string[] {
    return this.urls;
  }

  /** Called by the provider when something happened. */
  publish(notification: Notification): void {
    this.notifications.set(notification.id, notification);
    for (const url of this.urls) {
      const tracked = this.track(notification, url);
      if (this.mode === 'manual') continue;
      const fault = this.faults.take(this.provider, `webhook:${notification.type}`);
      if (fault?.kind === 'webhook_never') {
        tracked.state = 'dropped';
      } else if (fault?.kind === 'webhook_late') {
        this.later(tracked, fault.ms ?? 1000);
      } else {
        this.start(tracked);
        if (fault?.kind === 'webhook_twice') this.start(this.track(notification, url));
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

  /** How many receivers have not taken the event yet. */
  pendingWebhooks(eventId: string): number {
    const mine = this.tracked.filter((delivery) => delivery.eventId === eventId);
    const taken = new Set(mine.filter((delivery) => delivery.state === 'delivered').map(({ url }) => url));
    return new Set(mine.map(({ url }) => url).filter((url) => !taken.has(url))).size;
  }

  /** Ids of events that some receiver has not taken, oldest first. */
  undelivered(): string[] {
    return [...this.notifications.keys()].filter((id) => this.pendingWebhooks(id) > 0 || !this.isTracked(id));
  }

  /** Sends an event now, `times` times over, whatever became of it before; the answers' statuses. */
  async deliver(eventId: string, times = 1): Promise<(number | null)[]> {
    const notification = this.notifications.get(eventId);
    if (!notification) throw new Error(`No event ${eventId}`);
    const statuses: (number | null)[] = [];
    for (const url of this.urls) {
      for (let round = 0; round < times; round += 1) {
        const waiting = this.tracked.find(
          (delivery) =>
            delivery.eventId === eventId && delivery.url === url && delivery.state !== 'delivered',
        );
        statuses.push(await this.attempt(waiting ?? this.track(notification, url)));
      }
    }
    return statuses;
  }

  /** Sends an event `times` times at once. */
  async deliverAtOnce(eventId: string, times: number): Promise<(number | null)[]> {
    const notification = this.notifications.get(eventId);
    if (!notification) throw new Error(`No event ${eventId}`);
    const copies = this.urls.flatMap((url) =>
      Array.from({ length: times }, () => this.track(notification, url)),
    );
    return Promise.all(copies.map((copy) => this.attempt(copy)));
  }

  /** Sends everything that was not taken yet, one after the other, once each. */
  async flush(order: FlushOrder = 'oldest-first', random: () => number = Math.random): Promise<void> {
    const ids = this.undelivered().filter((id) => this.isTracked(id) && !this.isDropped(id));
    for (const id of arranged(ids, order, random)) await this.deliver(id);
  }

  /** Sends everything not taken, also what was dropped or happened before there was a receiver. */
  async redeliverUndelivered(): Promise<void> {
    for (const id of this.undelivered()) await this.deliver(id);
  }

  /** The message will not be sent (until `redeliverUndelivered` or `deliver`). */
  drop(eventId: string): void {
    for (const delivery of this.tracked) {
      if (delivery.eventId !== eventId || delivery.state === 'delivered') continue;
      this.stopTimer(delivery);
      delivery.state = 'dropped';
    }
  }

  /** Nothing on its way and nothing waiting for a retry. Queued messages of manual mode do not count. */
  isIdle(): boolean {
    return this.inFlight === 0 && this.tracked.every((delivery) => delivery.timer === undefined);
  }

  snapshot() {
    return { notifications: [...this.notifications.values()], deliveries: this.list() };
  }

  /** Takes up where a former process stopped: what was on its way is sent again. */
  restore(saved: ReturnType<Deliveries['snapshot']>): void {
    for (const notification of saved.notifications) this.notifications.set(notification.id, notification);
    for (const delivery of saved.deliveries) {
      const notification = this.notifications.get(delivery.eventId);
      if (!notification) continue;
      const tracked: Tracked = { ...delivery, notification };
      this.tracked.push(tracked);
      const open =
        delivery.state === 'sending' || delivery.state === 'retrying' || delivery.state === 'queued';
      if (open) this.later(tracked, this.options.retryDelaysMs.at(-1) ?? 0);
    }
  }

  close(): void {
    this.closed = true;
    for (const delivery of this.tracked) this.stopTimer(delivery);
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  private isTracked(eventId: string): boolean {
    return this.tracked.some((delivery) => delivery.eventId === eventId);
  }

  private isDropped(eventId: string): boolean {
    const mine = this.tracked.filter((delivery) => delivery.eventId === eventId);
    return mine.length > 0 && mine.every((delivery) => delivery.state === 'dropped');
  }

  private track(notification: Notification, url: string): Tracked {
    const tracked: Tracked = {
      eventId: notification.id,
      type: notification.type,
      url,
      state: 'queued',
      attempts: [],
      notification,
    };
    this.tracked.push(tracked);
    return tracked;
  }

  private later(tracked: Tracked, ms: number): void {
    if (this.closed) return;
    tracked.timer = setTimeout(() => {
      tracked.timer = undefined;
      this.start(tracked);
    }, ms);
  }

  private stopTimer(tracked: Tracked): void {
    clearTimeout(tracked.timer);
    tracked.timer = undefined;
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
    const attempt: Attempt = { at: new Date().toISOString(), status: null };
    tracked.attempts.push(attempt);
    try {
      attempt.status = await this.post(tracked);
    } catch (error) {
      attempt.error = error instanceof Error ? error.message : String(error);
    } finally {
      this.inFlight -= 1;
    }
    const taken = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    tracked.state = taken ? 'delivered' : 'failed';
    return attempt.status;
  }

  private post({ url, notification }: Tracked): Promise<number> {
    const target = new URL(url);
    const secure = target.protocol === 'https:';
    const body = Buffer.from(notification.body);
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
      ...this.sign(notification),
    };
    return new Promise((resolve, reject) => {
      const request = (secure ? httpsRequest : httpRequest)(
        target,
        { method: 'POST', headers, agent: secure ? this.agents.https : this.agents.http },
        (response) => {
          response.resume();
          response.on('error', reject);
          response.on('end', () => {
            resolve(response.statusCode ?? 0);
          });
        },
      );
      const timer = setTimeout(
        () => request.destroy(new Error('The receiver took too long')),
        this.options.timeoutMs,
      );
      request.on('close', () => {
        clearTimeout(timer);
      });
      request.on('error', reject);
      request.end(body);
    });
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
