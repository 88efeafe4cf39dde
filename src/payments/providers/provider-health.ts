import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type pg from 'pg';
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

/** Minimum time between two writes of the same result, so that many requests do not cause many writes. */
const EVERY_MS = 10_000;

export const PROVIDER_AWAY = 'The provider does not answer; unsettled payments will be checked again';

export interface ProviderHealthRow {
  readonly provider: string;
  readonly last_ok_at: Date | null;
  readonly last_failed_at: Date | null;
  readonly failing_since: Date | null;
  readonly last_webhook_at: Date | null;
  /** Problem with webhook events; null while they are valid. */
  readonly webhook_problem: WebhookProblem | null;
  /** Event types without a subscription at the provider, separated by commas. */
  readonly unsubscribed_types: string;
}

/**
 * Stores if providers answer, and when each provider last sent a webhook event. The data is in the database, because
 * every process sends requests to the providers.
 */
@Injectable()
export class ProviderHealth implements OnApplicationShutdown {
  private readonly logger = new Logger(ProviderHealth.name);
  private readonly noted = new Map<string, { note: Note; at: number }>();
  private readonly writing = new Set<Promise<void>>();
  private rights = Promise.resolve();

  constructor(private readonly database: Database) {}

  /** Records an answer of the provider. A refusal is an answer too. */
  answered(provider: string): void {
    this.note(provider, 'ok', 'answers');
  }

  unanswered(provider: string): void {
    this.note(provider, 'failed', 'answers');
  }

  /** Records a webhook event with a valid signature. */
  heard(provider: string): void {
    this.note(provider, 'heard', 'webhooks');
  }

  /** Records a webhook event with an invalid signature, if the event looks like one of the provider's events. */
  refused(provider: string, problem: WebhookRefusal): void {
    this.note(provider, problem, problem);
  }

  /**
   * Records that reconciliation found a webhook event of this time. If no event has arrived since this time,
   * deliveries are missing.
   */
  async missed(provider: string, at: Date): Promise<void> {
    await this.database.query(MISSED, [provider, at]);
  }

  /** Records that a permission of the key is missing or given. */
  right({ name, rights }: PaymentProvider, right: string, isGiven: boolean): void {
    if (!isGiven) this.logger.warn({ msg: 'The API key lacks a permission', provider: name, right });
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
    // Do the writes one after another, so that the database has the last state.
    this.rights = this.rights.then(write).catch((error: unknown) => {
      rights?.forget(right);
      this.logger.warn({ msg: 'Storing a permission of an API key failed', provider: name, right, error });
    });
    this.keep(this.rights);
  }

  /** Waits until all writes are finished. */
  async written(): Promise<void> {
    await Promise.all(this.writing);
  }

  async all(): Promise<ReadonlyMap<string, ProviderHealthRow>> {
    const rows = await this.database.query<ProviderHealthRow>(READ_HEALTH);
    return new Map(rows.map((row) => [row.provider, row]));
  }

  /**
   * Raises review items for providers that have not answered for a long time, or whose webhook events have not
   * arrived for a long time. `answered` and `heard` close these items.
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

  /**
   * Writes a changed result at once, and an unchanged result at most every ten seconds. The caller does not wait for
   * the write.
   */
  private note(provider: string, note: Note, about: string): void {
    const key = `${provider} ${about}`;
    const last = this.noted.get(key);
    if (last?.note === note && performance.now() - last.at < EVERY_MS) return;
    this.noted.set(key, { note, at: performance.now() });
    this.keep(
      this.write(provider, note).catch((error: unknown) => {
        // The write failed, so the next answer must be written.
        this.noted.delete(key);
        this.logger.warn({ msg: 'Storing the health of a provider failed', provider, error });
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

/** Reads the health of all providers over a connection of an operator command. */
export const readHealth = async (client: pg.Client): Promise<ProviderHealthRow[]> =>
  (await client.query<ProviderHealthRow>(READ_HEALTH.text)).rows;

/** Returns the event types without a subscription at the provider. */
export const typesOf = (health: ProviderHealthRow | undefined): string[] =>
  (health?.unsubscribed_types ?? '').split(', ').filter((type) => type !== '');

export const subjectOf = (provider: string): string => `provider:${provider}`;
