import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Database, type Statement } from '../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../review/review-items.js';
import type { AnswerListener } from './timed-provider.js';

/** An answer or a webhook event is written down at most so often, so that a busy evening does not write all the time. */
const EVERY_MS = 10_000;

/** Longer than a short outage, after which nobody has to do anything. */
const UNREACHABLE_AFTER = '10 minutes';

export const PROVIDER_AWAY = 'it gives no answer; what is not settled is asked about again';

export interface ProviderHealthRow {
  readonly provider: string;
  readonly last_ok_at: Date | null;
  readonly last_failed_at: Date | null;
  readonly failing_since: Date | null;
  readonly last_webhook_at: Date | null;
}

const OK: Statement = {
  name: 'provider_health_ok',
  text: `INSERT INTO provider_health (provider, last_ok_at) VALUES ($1, now())
    ON CONFLICT (provider) DO UPDATE SET last_ok_at = now(), failing_since = NULL`,
};

const FAILED: Statement = {
  name: 'provider_health_failed',
  text: `INSERT INTO provider_health AS health (provider, last_failed_at, failing_since) VALUES ($1, now(), now())
    ON CONFLICT (provider) DO UPDATE SET last_failed_at = now(), failing_since = coalesce(health.failing_since, now())`,
};

const HEARD: Statement = {
  name: 'provider_health_heard',
  text: `INSERT INTO provider_health (provider, last_webhook_at) VALUES ($1, now())
    ON CONFLICT (provider) DO UPDATE SET last_webhook_at = now()`,
};

const READ: Statement = {
  name: 'provider_health_read',
  text: 'SELECT provider, last_ok_at, last_failed_at, failing_since, last_webhook_at FROM provider_health',
};

const UNREACHABLE: Statement = {
  name: 'provider_health_unreachable',
  text: `SELECT provider FROM provider_health WHERE failing_since < now() - interval '${UNREACHABLE_AFTER}'`,
};

type Note = 'ok' | 'failed' | 'heard';

const STATEMENTS: Readonly<Record<Note, Statement>> = { ok: OK, failed: FAILED, heard: HEARD };

/** Whether providers answer, and when they were last heard; in the database, because every process asks them. */
@Injectable()
export class ProviderHealth implements AnswerListener, OnApplicationShutdown {
  private readonly logger = new Logger(ProviderHealth.name);
  private readonly written = new Map<string, { note: Note; at: number }>();
  private readonly writing = new Set<Promise<void>>();

  constructor(private readonly database: Database) {}

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

  async all(): Promise<ReadonlyMap<string, ProviderHealthRow>> {
    const rows = await this.database.query<ProviderHealthRow>(READ);
    return new Map(rows.map((row) => [row.provider, row]));
  }

  /** Puts providers on the list that have not answered for long; `answered` takes them off it. */
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
    } catch (error) {
      this.logger.error(error);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.writing);
  }

  /** What changes is written at once; what stays the same, now and then. Nobody waits for it. */
  private note(provider: string, note: Note, about: string): void {
    const key = `${provider} ${about}`;
    const last = this.written.get(key);
    if (last?.note === note && Date.now() - last.at < EVERY_MS) return;
    this.written.set(key, { note, at: Date.now() });
    const writing = this.write(provider, note).catch((error: unknown) => {
      // The next answer is written: what is remembered must not say that this one was.
      this.written.delete(key);
      this.logger.warn({ msg: 'The health of a provider was not written down', provider, error });
    });
    this.writing.add(writing);
    void writing.finally(() => this.writing.delete(writing));
  }

  private async write(provider: string, note: Note): Promise<void> {
    await this.database.query(STATEMENTS[note], [provider]);
    if (note === 'ok') await settleReviewItem(this.database, 'provider_unreachable', subjectOf(provider));
  }
}

export const subjectOf = (provider: string): string => `provider:${provider}`;
