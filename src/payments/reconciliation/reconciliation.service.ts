import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Database } from '../../data/database.js';
import { withInstanceLock } from '../../data/instance-lock.js';
import { pruneKeys } from '../../donations/recording/idempotency.js';
import { openReviewItems } from '../../review/review-items.js';
import type { PaymentProvider } from '../providers/provider-port.js';
import { PaymentProviders } from '../providers/payment-providers.js';
import { ProviderHealth } from '../providers/provider-health.js';
import { type ReconciliationFinding, type ReconciliationOptions, ProviderRun } from './reconciliation-run.js';
import { ReconciliationSteps } from './reconciliation-steps.js';
import { PRUNE } from './reconciliation.sql.js';
import { SETTLE_OVERTAKEN } from '../booking/review-reports.sql.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Maximum number of open review items to print. The last printed line is the total. */
const SHOWN = 100;

export const ON_SCHEDULE: ReconciliationOptions = {
  settleAfterMs: 3 * MINUTE,
  expireAfterMs: DAY,
  byHand: false,
};
export const BY_HAND: ReconciliationOptions = { settleAfterMs: 0, expireAfterMs: DAY, byHand: true };

export interface ReconciliationReport {
  readonly checked: number;
  readonly findings: readonly ReconciliationFinding[];
  /** Number of all open review items, not only those of this run. */
  readonly open: number;
}

/**
 * Asks the providers about unsettled donations and refunds, and corrects our database. An answer may be outdated when
 * it is booked. This does no harm, because a donation allows only valid changes of its state.
 */
@Injectable()
export class ReconciliationService {
  private readonly logger = new Logger(ReconciliationService.name);

  constructor(
    private readonly database: Database,
    private readonly providers: PaymentProviders,
    private readonly steps: ReconciliationSteps,
    private readonly health: ProviderHealth,
  ) {}

  @Interval(MINUTE)
  async onSchedule(): Promise<void> {
    try {
      const report = await this.run(ON_SCHEDULE);
      for (const finding of report?.findings ?? [])
        if (finding.what !== 'review item') this.logger.warn({ msg: 'Reconciliation finding', ...finding });
    } catch (error) {
      this.logger.error(error);
    }
  }

  /** Runs once; returns undefined if another instance is running it. */
  async run(options: ReconciliationOptions): Promise<ReconciliationReport | undefined> {
    return await withInstanceLock(this.database.pool, 'reconciliation', async () => {
      const { all } = this.providers;
      // Run in parallel, so that a slow provider does not delay the other providers.
      const runs = await Promise.all([
        ...all.map((provider) => this.ofProvider(provider, options)),
        this.ofOthers(all, options),
      ]);
      await this.database.query(SETTLE_OVERTAKEN);
      await this.health.written();
      await this.health.watchWebhooks();
      await pruneKeys(this.database);
      for (const statement of PRUNE) await this.database.query(statement);
      const findings = runs.flatMap((run) => run.findings);
      const { total, items } = await openReviewItems(this.database, SHOWN);
      const listed = new Set(findings.map(({ what, id }) => `${what}:${id}`));
      for (const { kind, subject } of items)
        if (!listed.has(subject))
          findings.push({ what: 'review item', id: subject, found: kind, result: 'needs attention' });
      return { checked: runs.reduce((sum, { checked }) => sum + checked, 0), findings, open: total };
    });
  }

  /** Number of open review items. */
  async open(): Promise<number> {
    return (await openReviewItems(this.database, 1)).total;
  }

  private async ofProvider(provider: PaymentProvider, options: ReconciliationOptions): Promise<ProviderRun> {
    const run = this.steps.begin(provider.name, options);
    for (const step of this.steps.ofProvider(provider, options)) if (!run.isAway) await step(run);
    await run.close();
    return run;
  }

  private async ofOthers(
    configured: readonly PaymentProvider[],
    options: ReconciliationOptions,
  ): Promise<ProviderRun> {
    const run = this.steps.begin('others', options);
    await this.steps.ofOthers(
      configured.map(({ name }) => name),
      run,
    );
    await run.close();
    return run;
  }
}
