import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { Database, type Transaction } from '../data/database.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import { pledgeTopics } from './donation-topics.js';
import { WebhookSender } from './sending/webhook-sender.service.js';
import { CHANGED_PLEDGES, KEEP_PLEDGES, type PledgeFacts } from './webhook-bodies.sql.js';
import { outcomeOf, pledgeData } from './webhook-data.js';
import { subscribersOf, type WebhookFact, writeMessages } from './webhook-messages.js';

const BATCH = 500;
/** Commits can be late by less than this. */
const RECENT = '10 minutes';
const ALL_EVERY_MS = 60 * 60_000;

/**
 * Writes the messages about open and closed pledges, in the leading process. The feed has no message about a pledge that walls do
 * not show, so this compares the pledges with their last messages. A lost look loses nothing: the next one finds the same
 * difference. The recording of pledges does no work for it. A pledge that staff mark as paid is a donation in the feed, so the
 * follower announces it.
 */
@Injectable()
export class WebhookPledges implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookPledges.name);
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private lookedAtAll = -Infinity;
  private isDown = false;

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly sender: WebhookSender,
  ) {}

  onApplicationBootstrap(): void {
    this.relay.onTerm(() => {
      this.lookedAtAll = -Infinity;
      return Promise.resolve();
    });
    this.timer = setInterval(() => {
      if (this.relay.isLeader) this.looking ??= this.look().finally(() => (this.looking = undefined));
    }, this.config.webhooks.times.pledgeMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    const began = performance.now();
    const isAll = began - this.lookedAtAll > ALL_EVERY_MS;
    try {
      const announce = (tx: Transaction) => this.announce(tx, isAll ? null : RECENT);
      while ((await this.database.transaction(announce)) === BATCH);
      if (isAll) this.lookedAtAll = began;
      this.isDown = false;
    } catch (error) {
      if (!this.isDown) this.logger.warn({ msg: 'Pledges cannot be read for webhooks', err: error });
      this.isDown = true;
      this.lookedAtAll = -Infinity;
    }
  }

  /** @returns the number of changed pledges */
  private async announce(tx: Transaction, recent: string | null): Promise<number> {
    const subscribers = await subscribersOf(tx);
    if (subscribers.length === 0) return 0;
    const changed = await tx.query<PledgeFacts>(CHANGED_PLEDGES, [recent, BATCH]);
    if (changed.length === 0) return 0;
    const kept = await tx.query<{ donation_id: string }>(KEEP_PLEDGES, [
      changed.map(({ id }) => id),
      changed.map(({ status }) => status),
      changed.map(({ updated_at }) => updated_at),
    ]);
    const ids = new Set(kept.map(({ donation_id }) => donation_id));
    const facts = changed
      .filter(({ id }) => ids.has(id))
      .flatMap((row): WebhookFact[] =>
        pledgeTopics(row.known_status !== null, outcomeOf(row)).map((topic) => ({
          topic,
          eventId: row.event_id,
          subjectId: row.id,
          occurredAt: topic === 'pledge.made' ? row.created_at : row.updated_at,
          data: pledgeData(this.config.publicUrl, row),
        })),
      );
    writeMessages(tx, subscribers, facts);
    tx.afterCommit(() => {
      this.sender.look();
    });
    return changed.length;
  }
}
