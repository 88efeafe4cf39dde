import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { KEPT_MS, type Reading } from '../caching/fresh-reads.js';
import { Metrics } from '../metrics/metrics.js';

/** Says how old a public answer is that is older than such answers are while the database answers (RFC 9111, 5.1). */
@Injectable()
export class AnswerAges {
  constructor(private readonly metrics: Metrics) {}

  /** Counts an answer of this age; its whole seconds where it is older than usual. */
  note({ askedAt }: Pick<Reading<unknown>, 'askedAt'>): number | undefined {
    const age = performance.now() - askedAt;
    if (age < KEPT_MS) return undefined;
    this.metrics.stalePublicReads.observe(age / 1_000);
    return Math.floor(age / 1_000);
  }

  /** As `note`, and sets the `Age` header. */
  describe(response: Response, reading: Pick<Reading<unknown>, 'askedAt'>): void {
    const seconds = this.note(reading);
    if (seconds !== undefined) response.setHeader('Age', String(seconds));
  }
}
