import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Database } from '../../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../../review/review-items.js';
import type { WebhookProblem, WebhookRefusal } from './provider-errors.js';
import {
  MISSED,
  type Note,
  NOTE_HEALTH,
  READ_HEALTH,
  UNREACHABLE,
  WITHOUT_WEBHOOKS,
} from './provider-health.sql.js';
import type { PaymentProvider } from './provider-port.js';

/** An answer or a webhook event is written down at most so often, so that a busy evening does not write all the time. */
const EVERY_MS = 10_000;

export const PROVIDER_AWAY = 'it gives no answer; what is not settled is asked about again';

export interface ProviderHealthRow {
  readonly provider: string;
  readonly last_ok_at: Date | null;
  readonly last_failed_at: Date | null;
  readonly failing_since: Date | null;
  readonly last_webhook_at: Date | null;
  /** What is wrong with its webhook events; null while they hold. */
  readonly webhook_problem: WebhookProblem | null;
  /** Types of event that its webhook endpoint is not subscribed to, separated by commas. */
  readonly unsubscribed_types: string;
}

/** Whether providers answer, and when they were last heard; in the database, because every process asks them. */
@Injectable()
export class ProviderHealth implements OnApplicationShutdown {
  private readonly logger = new Logger(ProviderHealth.name);
  private readonly noted = new Map<string, { note: Note; at: number }>();
  private readonly writing = new Set<Promise<void>>();
  private rights = Promise.resolve();

  constructor(private readonly database: Database) {}

  /** A refusal is an answer. */
  answered(provider: string): void {
    this.note(provider, 'ok', 'answers');
  }

  unanswered(provider: string): void {
    this.note(provider, 'failed', 'answers');
  }

  /** A webhook event with a signature that holds. */
  heard(provider: string): void {
    this.note(provider, 'heard', 'webhooks');
  }

  /** A webhook event whose signature does not hold, though it looks like one of the provider's. */
  refused(provider: string, problem: WebhookRefusal): void {
    this.note(provider, problem, problem);
  }

  /** An event of that time was found by asking: unless one has arrived since, they do not arrive. */
  async missed(provider: string, at: Date): Promise<void> {
    await this.database.query(MISSED, [provider, at]);
  }

  /** A right of its key turned out to be missing, or to be given. */
  right({ name, rights }: PaymentProvider, right: string, isGiven: boolean): void {
    if (!isGiven) this.logger.warn({ msg: 'The API key lacks a right', provider: name, right });
    const subject = `right:${name}:${right}`;
    const write = async () => {
      if (isGiven) await settleReviewItem(this.database, 'missing_right', subject);
      else
        await raiseReviewItem(this.database, {
          kind: 'missing_right',
          subject,
          donationId: null,
          detail: { right },
        });
    };
    // One after the other: what was said last must stand.
    this.rights = this.rights.then(write).catch((error: unknown) => {
      rights?.forget(right);
      this.logger.warn({ msg: 'A right of an API key was not written down', provider: name, right, error });
    });
    this.keep(this.rights);
  }

  /** All that was noted is in the database. */
  async written(): Promise<void> {
    await Promise.all(this.writing);
  }

  async all(): Promise<ReadonlyMap<string, ProviderHealthRow>> {
    const rows = await this.database.query<ProviderHealthRow>(READ_HEALTH);
    return new Map(rows.map((row) => [row.provider, row]));
  }

  /**
   * Puts providers on the list that have not answered for long, or whose webhook events have not arrived for long;
   * `answered` and `heard` take them off it.
   */
  @Interval(60_000)
  async watch(): Promise<void> {
    try {
      for (const { provider } of await this.database.query<{ provider: string }>(UNREACHABLE))
        await raiseReviewItem(this.database, {
          kind: 'provider_unreachable',
          subject: subjectOf(provider),
          donationId: null,
          detail: { problem: PROVIDER_AWAY },
        });
      await this.watchWebhooks();
    } catch (error) {
      this.logger.error(error);
    }
  }

  async watchWebhooks(): Promise<void> {
    const silent = await this.database.query<{ provider: string; missing_since: Date }>(WITHOUT_WEBHOOKS);
    for (const { provider, missing_since: since } of silent)
      await raiseReviewItem(this.database, {
        kind: 'webhooks_missing',
        subject: subjectOf(provider),
        donationId: null,
        detail: { since: since.toISOString() },
      });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.written();
  }

  /** What changes is written at once; what stays the same, now and then. Nobody waits for it. */
  private note(provider: string, note: Note, about: string): void {
    const key = `${provider} ${about}`;
    const last = this.noted.get(key);
    if (last?.note === note && performance.now() - last.at < EVERY_MS) return;
    this.noted.set(key, { note, at: performance.now() });
    this.keep(
      this.write(provider, note).catch((error: unknown) => {
        // The next answer is written: what is remembered must not say that this one was.
        this.noted.delete(key);
        this.logger.warn({ msg: 'The health of a provider was not written down', provider, error });
      }),
    );
  }

  private keep(writing: Promise<void>): void {
    this.writing.add(writing);
    void writing.finally(() => this.writing.delete(writing));
  }

  private async write(provider: string, note: Note): Promise<void> {
    await this.database.query(NOTE_HEALTH[note], [provider]);
    if (note === 'heard') await settleReviewItem(this.database, 'webhooks_missing', subjectOf(provider));
    if (note === 'ok') await settleReviewItem(this.database, 'provider_unreachable', subjectOf(provider));
  }
}

/** Types of event that the webhook endpoint of a provider is not subscribed to. */
export const typesOf = (health: ProviderHealthRow | undefined): string[] =>
  (health?.unsubscribed_types ?? '').split(', ').filter((type) => type !== '');

export const subjectOf = (provider: string): string => `provider:${provider}`;
