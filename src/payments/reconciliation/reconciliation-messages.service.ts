import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../data/database.js';
import { raiseReviewItem } from '../../review/review-items.js';
import {
  EXPIRED_SINCE,
  HANDLED,
  KEEP_UNHANDLED,
  READ,
  READING,
  REACHED,
  type ReadingRow,
  SEEN_OF,
  UNHANDLED,
  type UnhandledRow,
} from './event-reading.sql.js';
import type { PaymentProvider, WebhookEvent } from '../providers/provider-port.js';
import { MissingRightError, WebhookUnsettledError } from '../providers/provider-errors.js';
import { subjectOf } from '../providers/provider-health.js';
import type { ProviderRun } from './reconciliation-run.js';
import { WebhooksService } from '../booking/webhooks.service.js';

const DAY = 24 * 60 * 60_000;
const EVENTS_KEPT_DAYS = 30;
const LISTED_WITHIN_MS = 5 * 60_000;

const logger = new Logger('EventReader');

/** So many are looked up in the books at once: a page of both providers. */
const AT_ONCE = 100;
/** A run on schedule reads so many; the next one goes on where it stopped. */
const MOST_ON_SCHEDULE = 5_000;

/**
 * Reads the webhook events of a provider, whether it delivered them or not: what is made while an endpoint is disabled is
 * never sent, and no provider lists it as undelivered. Each run goes on from the last event that was read, by the provider's
 * clock; by hand all is read that the provider keeps.
 */
@Injectable()
export class MessageReconciliation {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhooksService,
  ) {}

  async read(provider: PaymentProvider, run: ProviderRun): Promise<void> {
    await run.guarded({ what: 'message', id: provider.name }, async () => {
      const reader = new EventReader(this.database, this.webhooks, provider, run);
      await reader.again();
      await reader.goOn();
      // Said last: an event that cannot be handled must not hide those behind it in the list.
      if (reader.failure) throw reader.failure;
    });
  }
}

/** One run with one provider. */
class EventReader {
  failure: Error | undefined;
  private readonly tried = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhooksService,
    private readonly provider: PaymentProvider,
    private readonly run: ProviderRun,
  ) {}

  /** What earlier runs could not handle. */
  async again(): Promise<void> {
    const { name } = this.provider;
    const waiting = await this.database.query<UnhandledRow>(UNHANDLED, [name]);
    const seen = await this.seenOf(waiting);
    for (const row of waiting) {
      if (this.run.isAway) return;
      const { id } = row;
      const isHandled = seen.has(id) || (await this.handle(id, () => this.load(row)));
      await this.database.query(isHandled ? HANDLED : KEEP_UNHANDLED, [name, id]);
    }
  }

  /** One that the provider no longer has cannot be handled any more: a walk has to find what it said. */
  private async load({
    id,
    found_at: foundAt,
    tried_at: triedAt,
  }: UnhandledRow): Promise<WebhookEvent | undefined> {
    const webhookEvent = await this.provider.event(id);
    // The provider is up: an object that it never shows must not end the run.
    this.run.noteAnswer();
    // It was kept at the last try, so it was made after that time; a day more, for clocks and for what they keep.
    if (!webhookEvent)
      await this.reportExpired(Math.min(foundAt.getTime(), triedAt.getTime() - this.keptMs) - DAY);
    return webhookEvent;
  }

  /** From the newest event back to the last one that was read before. */
  async goOn(): Promise<void> {
    const { name, eventsListedWithinMs = LISTED_WITHIN_MS } = this.provider;
    const { byHand, settleAfterMs } = this.run.options;
    const [reading] = await this.database.query<ReadingRow>(READING, [name]);
    // A little less than is kept: a provider may refuse a time that it no longer knows.
    const kept = Date.now() - this.keptMs + 60_000;
    // Nothing was read for longer than the provider keeps its events: a walk has to find what they said.
    if (reading?.read_at && reading.read_at.getTime() < kept)
      await this.reportExpired((reading.read_to ?? reading.read_at).getTime());
    const last = byHand ? 0 : (reading?.read_to?.getTime() ?? 0) - eventsListedWithinMs;
    const from = new Date(Math.max(kept, last));
    // On schedule those that were made just now are left alone: they are probably on their way.
    const isYoung = ({ createdAt }: WebhookEvent) =>
      !byHand && createdAt !== undefined && Math.abs(Date.now() - createdAt.getTime()) < settleAfterMs;
    // A reading that was broken off longer ago than events are kept has nothing left to go on with.
    const continues = !byHand && reading?.reached && reading.reached >= from;
    const until = continues ? reading.reached : undefined;
    let newest = continues ? (reading.newest ?? undefined) : undefined;
    let count = 0;
    for await (const events of batches(this.provider.events(from, until))) {
      const due = events.filter((webhookEvent) => !isYoung(webhookEvent));
      newest ??= due.find(({ createdAt }) => createdAt)?.createdAt;
      // The oldest first: what it says is what happened.
      await this.handleAll(due.toReversed());
      if (this.run.isAway) return;
      const reached = due.at(-1)?.createdAt;
      if (!byHand && reached) await this.database.query(REACHED, [name, newest ?? null, reached]);
      count += events.length;
      if (!byHand && count >= MOST_ON_SCHEDULE) return;
    }
    await this.database.query(READ, [name, newest ?? null]);
  }

  private async handleAll(events: readonly WebhookEvent[]): Promise<void> {
    const seen = await this.seenOf(events);
    for (const webhookEvent of events) {
      if (this.run.isAway) return;
      this.run.checked++;
      if (seen.has(webhookEvent.id) || this.tried.has(webhookEvent.id)) continue;
      if (!(await this.handle(webhookEvent.id, () => Promise.resolve(webhookEvent))))
        await this.database.query(KEEP_UNHANDLED, [this.provider.name, webhookEvent.id]);
    }
  }

  /** Whether nothing is left to do about it. */
  private async handle(id: string, load: () => Promise<WebhookEvent | undefined>): Promise<boolean> {
    this.tried.add(id);
    try {
      const webhookEvent = await load();
      if (webhookEvent && (await this.webhooks.handleFound(this.provider, webhookEvent)))
        this.run.findings.push({
          what: 'message',
          id,
          found: `${webhookEvent.kind} was never delivered`,
          result: 'healed',
        });
      this.run.noteAnswer();
      return true;
    } catch (error) {
      // What cannot be read yet is waited for, and becomes a review item of its own once it is old.
      if (error instanceof WebhookUnsettledError)
        this.run.findings.push({ what: 'message', id, found: error.message, result: 'waiting' });
      else {
        this.run.noteAnswer(error);
        this.note(id, error);
      }
      return false;
    }
  }

  /** One failure stands for all of a run: a missing right is on the list already, another reason is not. */
  private note(id: string, error: unknown): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    const { name: provider } = this.provider;
    logger.warn({ msg: 'Webhook event not handled', provider, webhookEventId: id, reason: failure.message });
    if (!this.failure || this.failure instanceof MissingRightError) this.failure = failure;
  }

  private async seenOf(events: readonly { readonly id: string }[]): Promise<ReadonlySet<string>> {
    if (events.length === 0) return new Set();
    const rows = await this.database.query<{ id: string }>(SEEN_OF, [
      this.provider.name,
      events.map(({ id }) => id),
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  private get keptMs(): number {
    return (this.provider.eventsKeptDays ?? EVENTS_KEPT_DAYS) * DAY;
  }

  /** One item for each provider, with the oldest time that a walk must go back to. */
  private async reportExpired(since: number): Promise<void> {
    const subject = subjectOf(this.provider.name);
    const [open] = await this.database.query<{ since: Date }>(EXPIRED_SINCE, [subject]);
    const oldest = Math.min(since, open?.since.getTime() ?? since);
    await raiseReviewItem(this.database, {
      kind: 'events_expired',
      subject,
      donationId: null,
      detail: { since: new Date(oldest).toISOString() },
    });
  }
}

async function* batches(events: AsyncIterable<WebhookEvent>): AsyncGenerator<WebhookEvent[]> {
  let batch: WebhookEvent[] = [];
  for await (const event of events) {
    batch.push(event);
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
