import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Metrics } from '../common/metrics/metrics.js';
import { Database, type Statement } from '../data/database.js';
import { raiseReviewItem, settleReviewItem } from '../review/review-items.js';
import type { PaymentProvider } from './payment-provider.js';
import { ProviderRefusedError, ProviderUnavailableError, type WebhookProblem } from './provider-errors.js';

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
  /** What is wrong with its webhook events; null while they hold. */
  readonly webhook_problem: WebhookProblem | null;
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

const refused = (problem: WebhookProblem): Statement => ({
  name: `provider_health_refused_${problem}`,
  text: `INSERT INTO provider_health (provider, last_refused_at, refused_for) VALUES ($1, now(), '${problem}')
    ON CONFLICT (provider) DO UPDATE SET last_refused_at = now(), refused_for = excluded.refused_for`,
});

// Anybody can send what is refused: it tells something only where nothing good comes at that time.
const READ: Statement = {
  name: 'provider_health_read',
  text: `SELECT provider, last_ok_at, last_failed_at, failing_since, last_webhook_at,
      CASE WHEN last_refused_at > now() - interval '1 day'
        AND (last_webhook_at IS NULL OR last_refused_at > last_webhook_at + interval '1 minute')
        THEN refused_for END AS webhook_problem
    FROM provider_health`,
};

const UNREACHABLE: Statement = {
  name: 'provider_health_unreachable',
  text: `SELECT provider FROM provider_health WHERE failing_since < now() - interval '${UNREACHABLE_AFTER}'`,
};

type Note = 'ok' | 'failed' | 'heard' | WebhookProblem;

const STATEMENTS: Readonly<Record<Note, Statement>> = {
  ok: OK,
  failed: FAILED,
  heard: HEARD,
  signature: refused('signature'),
  clock: refused('clock'),
};

/** Whether providers answer, and when they were last heard; in the database, because every process asks them. */
@Injectable()
export class ProviderHealth implements OnApplicationShutdown {
  private readonly logger = new Logger(ProviderHealth.name);
  private readonly written = new Map<string, { note: Note; at: number }>();
  private readonly writing = new Set<Promise<void>>();

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
  refused(provider: string, problem: WebhookProblem): void {
    this.note(provider, problem, problem);
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
    if (last?.note === note && performance.now() - last.at < EVERY_MS) return;
    this.written.set(key, { note, at: performance.now() });
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

// Signatures are mostly checked without a question to the provider.
const NOT_ASKED: ReadonlySet<string | symbol> = new Set(['readWebhook']);

/** The provider, with the time and the result of every question to it measured. */
export function timedProvider(
  provider: PaymentProvider,
  metrics: Metrics,
  health: ProviderHealth,
): PaymentProvider {
  const note = (error?: unknown) => {
    if (error instanceof ProviderUnavailableError) health.unanswered(provider.name);
    // Of other errors nobody can say whether the provider was asked.
    else if (error === undefined || error instanceof ProviderRefusedError) health.answered(provider.name);
  };
  return new Proxy(provider, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      const heard = NOT_ASKED.has(property) ? () => undefined : note;
      return (...parameters: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, parameters);
        if (isList(answer)) return listed(answer, heard);
        if (!(answer instanceof Promise)) return answer;
        const stop = metrics.providerDuration.startTimer({ provider: target.name, call: String(property) });
        return answer.then(
          (value: unknown) => {
            stop({ result: 'answered' });
            heard();
            return value;
          },
          (error: unknown) => {
            stop({ result: 'failed' });
            heard(error);
            throw error;
          },
        );
      };
    },
  });
}

const isList = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;

async function* listed(list: AsyncIterable<unknown>, heard: (error?: unknown) => void) {
  try {
    yield* list;
    heard();
  } catch (error) {
    heard(error);
    throw error;
  }
}
