import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../../data/database.js';
import { raiseReviewItem } from '../../review/review-items.js';

/** A failure must have lasted so long, and come back so often, before it is shown to a person. */
const LASTS_MS = 15 * 60_000;
const LASTS_TIMES = 3;

/** What reconciliation could not do, and about which donation. */
export interface ReconciliationFailure {
  /** Such as `donation:<id>`. */
  readonly subject: string;
  readonly donationId: string | null;
  readonly problem: string;
  /** The provider said no: waiting changes nothing. */
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

/** Counts what fails: a short outage must not leave a list of false alarms. */
@Injectable()
export class ReconciliationFailures {
  constructor(private readonly database: Database) {}

  /** @returns whether a person is needed: then it is on the list */
  async failed({ subject, donationId, problem, isDefinite }: ReconciliationFailure, atOnce: boolean) {
    const [counted] = await this.database.query<Counted>(COUNT, [subject]);
    const lasts =
      counted !== undefined &&
      counted.failures >= LASTS_TIMES &&
      Date.now() - counted.failing_since.getTime() >= LASTS_MS;
    if (!lasts && !isDefinite && !atOnce) return false;
    await raiseReviewItem(this.database, {
      // A provider that is away is one item, whoever noticed it.
      kind: subject.startsWith('provider:') ? 'provider_unreachable' : 'reconciliation',
      subject,
      donationId,
      detail: { problem },
    });
    return true;
  }

  /** It came right: no longer counted, and off the list. */
  async cameRight(subject: string): Promise<void> {
    await this.database.query(CLEAR, [subject]);
  }
}
