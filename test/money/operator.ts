import { setTimeout as sleep } from 'node:timers/promises';
import { reconcileOnce } from '../../src/operator/reconcile.js';
import type { ReconciliationReport } from '../../src/payments/reconciliation/reconciliation.service.js';
import { TEST_SECRETS } from '../support/app.js';
import { type PaymentsApp, providerEnvironment } from '../support/payments.js';

const environments = new WeakMap<PaymentsApp, NodeJS.ProcessEnv>();

/** Runs `npm run reconcile [-- --since …]`. Like the command, it does not use the readings of a running server. */
export async function reconcileByHand(app: PaymentsApp, since?: Date): Promise<ReconciliationReport> {
  const environment = environments.get(app) ?? {
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    ...TEST_SECRETS,
    ...providerEnvironment(app.sandbox),
    DATABASE_URL: app.databaseUrl,
  };
  environments.set(app, environment);
  // The scheduled run of the server may be in progress. It is short, so this function tries again.
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const report = await reconcileOnce(environment, since);
    if (report.findings) return report;
    await sleep(50);
  }
  throw new Error('another reconciliation is under way');
}
