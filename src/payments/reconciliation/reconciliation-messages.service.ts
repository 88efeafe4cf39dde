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

/** Number of events that one query looks up in the database. The pages of both providers have this size. */
const AT_ONCE = 100;
/** Maximum number of events per scheduled run. The next run continues after these events. */
const MOST_ON_SCHEDULE = 5_000;

/**
 * Reads all webhook events of a provider, delivered or not, because providers do not mark the events of a disabled
 * endpoint as undelivered. Each run starts at the provider's time of the last event of the earlier run. A manual run
 * reads all events that the provider keeps.
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
      // Throw at the end, so that a failed event does not block the later events.
      if (reader.failure) throw reader.failure;
    });
  }
}

/** Reads the events of one provider in one run. */
class EventReader {
  failure: Error | undefined;
  private readonly tried = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhooksService,
    private readonly provider: PaymentProvider,
    private readonly run: ProviderRun,
  ) {}

  /** Retries events that earlier runs could not handle. */
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

  /**
   * Loads an event by its id. If the provider has deleted the event, raises a review item: a walk must find the
   * payments of that time.
   */
  private async load({
    id,
    found_at: foundAt,
    tried_at: triedAt,
  }: UnhandledRow): Promise<WebhookEvent | undefined> {
    const webhookEvent = await this.provider.event(id);
    // Record an answer even if the event is missing, so that the run does not treat the provider as unavailable.
    this.run.noteAnswer();
    // The provider kept the event until the last try, so the event was created at most the retention time before that
    // try. One day is added for clock differences.
    if (!webhookEvent)
      await this.reportExpired(Math.min(foundAt.getTime(), triedAt.getTime() - this.keptMs) - DAY);
    return webhookEvent;
  }

  /** Reads from the newest event back to the last event that an earlier run read. */
  async goOn(): Promise<void> {
    const { name, eventsListedWithinMs = LISTED_WITHIN_MS } = this.provider;
    const { byHand, settleAfterMs } = this.run.options;
    const [reading] = await this.database.query<ReadingRow>(READING, [name]);
    // One minute less than the retention time, because a provider may refuse an older time.
    const kept = Date.now() - this.keptMs + 60_000;
    // If the last reading is older than the retention time, the provider has deleted unread events. So a walk must
    // find the payments of that time.
    if (reading?.read_at && reading.read_at.getTime() < kept)
      await this.reportExpired((reading.read_to ?? reading.read_at).getTime());
    const last = byHand ? 0 : (reading?.read_to?.getTime() ?? 0) - eventsListedWithinMs;
    const from = new Date(Math.max(kept, last));
    // A scheduled run skips very new events, because their deliveries are probably about to arrive.
    const isYoung = ({ createdAt }: WebhookEvent) =>
      !byHand && createdAt !== undefined && Math.abs(Date.now() - createdAt.getTime()) < settleAfterMs;
    // An unfinished reading that is older than the retention time cannot continue.
    const continues = !byHand && reading?.reached && reading.reached >= from;
    const until = continues ? reading.reached : undefined;
    let newest = continues ? (reading.newest ?? undefined) : undefined;
    let count = 0;
    for await (const events of batches(this.provider.events(from, until))) {
      const due = events.filter((webhookEvent) => !isYoung(webhookEvent));
      newest ??= due.find(({ createdAt }) => createdAt)?.createdAt;
      // Handle the oldest first, in the order in which the events happened.
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

  /** Returns true if the event needs no further work. */
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
      // Later runs try an unreadable event again. After one day, the event becomes a review item.
      if (error instanceof WebhookUnsettledError)
        this.run.findings.push({ what: 'message', id, found: error.message, result: 'waiting' });
      else {
        this.run.noteAnswer(error);
        this.note(id, error);
      }
      return false;
    }
  }

  /**
   * Stores one failure per run. Any other error replaces a missing permission, because the missing permission has a review item
   * already.
   */
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

  /** Raises one item per provider, with the oldest time from which a walk must start. */
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
