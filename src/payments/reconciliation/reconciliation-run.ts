import {
  MissingRightError,
  ProviderRefusedError,
  ProviderUnavailableError,
} from '../providers/provider-errors.js';
import { PROVIDER_AWAY, subjectOf } from '../providers/provider-health.js';
import type { ReconciliationFailure, ReconciliationFailures } from './reconciliation-failures.js';

export interface ReconciliationOptions {
  /** Unsettled donations younger than this are left alone: their messages are probably on the way. */
  readonly settleAfterMs: number;
  /** Unpaid donations older than this are cancelled, at the provider first. */
  readonly expireAfterMs: number;
  /** Started by a person: every unsettled donation is asked about, and every failure is shown at once. */
  readonly byHand: boolean;
  /** Also walk through all that the providers have since then: how a restored backup comes right. */
  readonly since?: Date;
}

export interface ReconciliationFinding {
  /** `donation`, `payment`, `refund`, `message`, `provider` or `review item`. */
  readonly what: string;
  readonly id: string;
  readonly found: string;
  readonly result: 'healed' | 'waiting' | 'needs a person' | 'left alone';
}

/** What a piece of work is about. */
export interface Subject {
  readonly what: string;
  readonly id: string;
  readonly donationId?: string | null;
}

/** So many questions to one provider at the same time. */
const AT_ONCE = 4;

/** A provider that leaves so many questions in a row unanswered is away; the rest is left for the next run. */
const AWAY_AFTER = 5;

/**
 * One run with one provider. Runs with several go on side by side, so that one that hangs does not hold the others
 * back; and it is not asked for everything when it answers nothing.
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

  /** Works through a list in its order, a few at the same time, until the provider is away. */
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

  /** One failure must not keep the others from being healed. Says whether the work was done. */
  async guarded(subject: Subject, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
    } catch (error) {
      this.noteAnswer(error);
      // One item for the right, which says what to do, and not one for each question.
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
    this.findings.push({ what, id, found: message, result: 'needs a person' });
  }

  /** For work that goes on after a failure. */
  noteAnswer(error?: unknown): void {
    if (error instanceof ProviderUnavailableError) this.unanswered++;
    else if (error === undefined || error instanceof ProviderRefusedError) this.unanswered = 0;
  }

  /** Puts on the list what needs a person. While a provider is away, that is one item and not one for each payment. */
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
      this.findings.push({ what, id, found, result: listed ? 'needs a person' : 'waiting' });
    }
  }
}
