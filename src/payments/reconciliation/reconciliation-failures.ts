import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../../data/database.js';
import { raiseReviewItem } from '../../review/review-items.js';

/** A failure becomes a review item after it has lasted for this time and occurred this number of times. */
const LASTS_MS = 15 * 60_000;
const LASTS_TIMES = 3;

/** A failure of reconciliation. `donationId` is null if the failure is not about a donation. */
export interface ReconciliationFailure {
  /** The object that failed, such as `donation:<id>`. */
  readonly subject: string;
  readonly donationId: string | null;
  readonly problem: string;
  /** True if the provider refused, so that a retry will not help. */
  readonly isDefinite: boolean;
}

interface Counted {
  readonly failures: number;
  readonly failing_since: Date;
}

const COUNT: Statement = {
  name: 'reconciliation_failure_count',
  text: `INSERT INTO reconciliation_failure (subject, failures, failing_since) VALUES ($1, 1, now())
    ON CONFLICT (subject) DO UPDATE SET failures = reconciliation_failure.failures + 1
    RETURNING failures, failing_since`,
};

const CLEAR: Statement = {
  name: 'reconciliation_failure_clear',
  text: `WITH cleared AS (DELETE FROM reconciliation_failure WHERE subject = $1)
    UPDATE review_item SET resolved_at = coalesce(resolved_at, now()), resolved_by = NULL
    WHERE kind = 'reconciliation' AND subject = $1 AND (resolved_at IS NULL OR resolved_by IS NOT NULL)`,
};

/** Counts failures, so that a short outage does not fill the review list with false alarms. */
@Injectable()
export class ReconciliationFailures {
  constructor(private readonly database: Database) {}

  /** @returns true if the failure is on the review list */
  async failed({ subject, donationId, problem, isDefinite }: ReconciliationFailure, atOnce: boolean) {
    const [counted] = await this.database.query<Counted>(COUNT, [subject]);
    const lasts =
      counted !== undefined &&
      counted.failures >= LASTS_TIMES &&
      Date.now() - counted.failing_since.getTime() >= LASTS_MS;
    if (!lasts && !isDefinite && !atOnce) return false;
    await raiseReviewItem(this.database, {
      // An outage of a provider gets this kind, so that the outage has only one item.
      kind: subject.startsWith('provider:') ? 'provider_unreachable' : 'reconciliation',
      subject,
      donationId,
      detail: { problem },
    });
    return true;
  }

  /** Removes a solved failure from the count and from the review list. */
  async cameRight(subject: string): Promise<void> {
    await this.database.query(CLEAR, [subject]);
  }
}
