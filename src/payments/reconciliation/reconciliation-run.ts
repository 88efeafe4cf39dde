import {
  MissingRightError,
  ProviderRefusedError,
  ProviderUnavailableError,
} from '../providers/provider-errors.js';
import { PROVIDER_AWAY, subjectOf } from '../providers/provider-health.js';
import type { ReconciliationFailure, ReconciliationFailures } from './reconciliation-failures.js';

export interface ReconciliationOptions {
  /** Unsettled donations younger than this are skipped, because their webhook events will probably arrive soon. */
  readonly settleAfterMs: number;
  /** Unpaid donations older than this are cancelled, first at the provider, then here. */
  readonly expireAfterMs: number;
  /** True for a manual run, which checks every unsettled donation and reports every failure immediately. */
  readonly byHand: boolean;
  /**
   * If set, the run also reads all payments at the providers since this time. Used to repair the database after a
   * restored backup.
   */
  readonly since?: Date;
}

export interface ReconciliationFinding {
  /** `donation`, `payment`, `refund`, `message`, `provider` or `review item`. */
  readonly what: string;
  readonly id: string;
  readonly found: string;
  readonly result: 'healed' | 'waiting' | 'needs attention' | 'ignored';
}

/** The object that a step works on. */
export interface Subject {
  readonly what: string;
  readonly id: string;
  readonly donationId?: string | null;
}

/** Maximum number of parallel requests to one provider. */
const AT_ONCE = 4;

/**
 * After this number of unanswered requests in a row, the provider is treated as unavailable. The remaining work waits
 * for the next run.
 */
const AWAY_AFTER = 5;

/**
 * One run with one provider. The runs with different providers are parallel, so a slow provider does not delay the
 * other providers. The run stops early if the provider does not answer.
 */
export class ProviderRun {
  readonly findings: ReconciliationFinding[] = [];
  checked = 0;
  private unanswered = 0;
  private readonly missingRights = new Set<string>();
  private readonly failed: (ReconciliationFailure & Subject)[] = [];

  constructor(
    readonly name: string,
    readonly options: ReconciliationOptions,
    private readonly failures: ReconciliationFailures,
  ) {}

  get isAway(): boolean {
    return this.unanswered >= AWAY_AFTER;
  }

  /** Calls `work` for each row in order, for a few rows in parallel. Stops if the provider is unavailable. */
  async each<Row>(rows: readonly Row[], work: (row: Row) => Promise<void>): Promise<void> {
    const waiting = rows.values();
    const worker = async () => {
      for (const row of waiting) {
        if (this.isAway) return;
        this.checked++;
        await work(row);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  /**
   * Runs one piece of work. If it fails, records the failure, so that the other work continues. Returns true if the
   * work succeeded.
   */
  async guarded(subject: Subject, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
    } catch (error) {
      this.noteAnswer(error);
      // All requests that lack a permission share one review item. This item describes the necessary action.
      if (error instanceof MissingRightError) {
        this.lacks(error, subject);
        return false;
      }
      this.failed.push({
        ...subject,
        subject: `${subject.what}:${subject.id}`,
        donationId: subject.donationId ?? null,
        problem: error instanceof Error ? error.message : String(error),
        isDefinite: error instanceof ProviderRefusedError,
      });
      return false;
    }
    this.unanswered = 0;
    await this.failures.cameRight(`${subject.what}:${subject.id}`);
    return true;
  }

  private lacks({ right, message }: MissingRightError, { what, id }: Subject): void {
    if (this.missingRights.has(right)) return;
    this.missingRights.add(right);
    this.findings.push({ what, id, found: message, result: 'needs attention' });
  }

  /** Records if the provider answered. Used by a step that continues after a failure. */
  noteAnswer(error?: unknown): void {
    if (error instanceof ProviderUnavailableError) this.unanswered++;
    else if (error === undefined || error instanceof ProviderRefusedError) this.unanswered = 0;
  }

  /** Adds the failures to the review list. During an outage of the provider, all payments have one common item. */
  async close(): Promise<void> {
    const provider = subjectOf(this.name);
    const away = {
      what: 'provider',
      id: this.name,
      subject: provider,
      donationId: null,
      problem: PROVIDER_AWAY,
      isDefinite: false,
    };
    if (!this.isAway) await this.failures.cameRight(provider);
    const { byHand } = this.options;
    const shown = this.isAway
      ? [...this.failed.filter(({ isDefinite }) => isDefinite || byHand), away]
      : this.failed;
    for (const failure of shown) {
      const listed = await this.failures.failed(failure, byHand);
      const { what, id, problem: found } = failure;
      this.findings.push({ what, id, found, result: listed ? 'needs attention' : 'waiting' });
    }
  }
}
