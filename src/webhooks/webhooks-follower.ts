import { Injectable, type OnModuleInit } from '@nestjs/common';
import { toJsonAmount } from '../common/money/money.js';
import { AppConfig } from '../config/app-config.js';
import type { Transaction } from '../data/database.js';
import { type Follower, Followers } from '../outbox/followers.js';
import type { NumberedRow } from '../outbox/outbox.sql.js';
import { donationTopics, pledgeTopics } from './donation-topics.js';
import { WebhookSender } from './sending/webhook-sender.service.js';
import {
  DONATION_FACTS,
  type DonationFacts,
  KEEP_DONATIONS,
  MILESTONE_FACTS,
  type MilestoneFacts,
  POOL_FACTS,
  type PoolFacts,
} from './webhook-bodies.sql.js';
import { donationData, pledgeData } from './webhook-data.js';
import { subscribersOf, type WebhookFact, writeMessages } from './webhook-messages.js';

/**
 * Writes the messages of the webhooks about donations, match pools and milestones. They commit together with the position in the
 * feed. `version` is the sequence of the newest handled message about the object, so it grows with each change.
 */
@Injectable()
export class WebhooksFollower implements Follower, OnModuleInit {
  readonly name = 'webhooks';

  constructor(
    private readonly followers: Followers,
    private readonly sender: WebhookSender,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.followers.add(this);
  }

  async handle(tx: Transaction, eventId: string, rows: readonly NumberedRow[]): Promise<void> {
    const subscribers = await subscribersOf(tx);
    if (subscribers.length === 0) return;
    const facts = [
      ...(await this.donations(tx, rows)),
      ...(await this.pools(tx, rows)),
      ...(await this.milestones(tx, rows)),
    ];
    if (facts.length === 0) return;
    const own = subscribers.filter(({ event_ids: ids }) => ids.length === 0 || ids.includes(eventId));
    writeMessages(tx, own, facts);
    tx.afterCommit(() => {
      this.sender.look();
    });
  }

  private async donations(tx: Transaction, rows: readonly NumberedRow[]): Promise<WebhookFact[]> {
    const feed = new Map<string, { version: bigint; isNew: boolean }>();
    for (const { topic, donation_id: id, sequence } of rows)
      if (id !== null && topic.startsWith('donation.'))
        feed.set(id, {
          version: sequence,
          isNew: topic === 'donation.created' || (feed.get(id)?.isNew ?? false),
        });
    if (feed.size === 0) return [];
    const found = await tx.query<DonationFacts>(DONATION_FACTS, [[...feed.keys()]]);
    const byId = new Map(found.map((row) => [row.id, row]));
    // In the order of the feed.
    const donations = [...feed.keys()].flatMap((id) => byId.get(id) ?? []);
    tx.write(
      KEEP_DONATIONS,
      [
        donations.map(({ id }) => id),
        donations.map(({ status }) => status),
        donations.map(({ refunded_amount }) => refunded_amount),
        donations.map(({ updated_at }) => updated_at),
      ],
      donations.length,
    );
    const { publicUrl } = this.config;
    return donations.flatMap((row): WebhookFact[] => {
      const { version, isNew } = feed.get(row.id) ?? { version: 0n, isNew: false };
      const about = { eventId: row.event_id, subjectId: row.id, occurredAt: row.updated_at };
      const isKept = isNew && row.was_pledge && (row.known_status ?? 'PENDING') === 'PENDING';
      const pledge = isKept ? pledgeTopics(row.known_status !== null, 'kept') : [];
      return [
        ...pledge.map((topic) => ({ ...about, topic, data: pledgeData(publicUrl, row) })),
        ...donationTopics(knownState(row), stateOf(row), isNew).map((topic) => ({
          ...about,
          topic,
          occurredAt: topic === 'donation.completed' ? (row.completed_at ?? row.created_at) : row.updated_at,
          data: donationData(publicUrl, row, version),
        })),
      ];
    });
  }

  private async pools(tx: Transaction, rows: readonly NumberedRow[]): Promise<WebhookFact[]> {
    const versions = versionsOf(rows, 'match.changed');
    if (versions.size === 0) return [];
    const now = new Date();
    return (await tx.query<PoolFacts>(POOL_FACTS, [[...versions.keys()]])).map((row) => ({
      topic: 'match.changed',
      eventId: row.event_id,
      subjectId: row.id,
      occurredAt: now,
      data: {
        id: row.id,
        version: Number(versions.get(row.id)),
        eventId: row.event_id,
        eventSlug: row.slug,
        status: row.status,
        cap: toJsonAmount(row.cap),
        drawn: toJsonAmount(row.drawn),
        kept: toJsonAmount(row.kept),
        left: toJsonAmount(row.cap - row.drawn - row.kept),
        currency: row.currency,
        url: `${this.config.publicUrl}/match-pools/${row.id}`,
      },
    }));
  }

  private async milestones(tx: Transaction, rows: readonly NumberedRow[]): Promise<WebhookFact[]> {
    const versions = versionsOf(rows, 'milestone.reached');
    if (versions.size === 0) return [];
    const now = new Date();
    return (await tx.query<MilestoneFacts>(MILESTONE_FACTS, [[...versions.keys()]])).map((row) => ({
      topic: 'milestone.reached',
      eventId: row.event_id,
      subjectId: row.id,
      occurredAt: row.reached_at ?? now,
      data: {
        id: row.id,
        version: Number(versions.get(row.id)),
        eventId: row.event_id,
        eventSlug: row.slug,
        amount: toJsonAmount(row.amount),
        currency: row.currency,
        basis: row.basis,
        reachedAt: row.reached_at?.toISOString() ?? null,
        url: `${this.config.publicUrl}/milestones?eventId=${row.event_id}`,
      },
    }));
  }
}

/** The newest sequence of the messages about each subject. */
const versionsOf = (rows: readonly NumberedRow[], topic: string): ReadonlyMap<string, bigint> =>
  new Map(
    rows.flatMap(({ topic: own, subject_id: id, sequence }) =>
      own === topic && id !== null ? [[id, sequence] as const] : [],
    ),
  );

const stateOf = ({ status, refunded_amount, updated_at }: DonationFacts) => ({
  status,
  refunded: refunded_amount,
  changedAt: updated_at,
});

const knownState = ({ known_status, known_refunded, known_changed_at }: DonationFacts) =>
  known_status !== null && known_refunded !== null && known_changed_at !== null
    ? { status: known_status, refunded: known_refunded, changedAt: known_changed_at }
    : undefined;
