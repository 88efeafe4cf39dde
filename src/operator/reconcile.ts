import { loadConfig } from '../server/load-config.js';
import {
  BY_HAND,
  type ReconciliationReport,
  ReconciliationService,
} from '../payments/reconciliation/reconciliation.service.js';
import { createOperatorApp } from './operator-app.js';

/** The result of a run. If another instance is reconciling, the result is only the number of open review items. */
export type ReconciliationByHand =
  ReconciliationReport | { readonly open: number; readonly findings: undefined };

/**
 * Runs one manual reconciliation of all payments and refunds without a final state.
 * @param since also checks all payments that the providers have since this time
 */
export async function reconcileOnce(
  environment: NodeJS.ProcessEnv,
  since?: Date,
): Promise<ReconciliationByHand> {
  const app = await createOperatorApp(loadConfig(environment));
  try {
    const service = app.get(ReconciliationService);
    const report = await service.run({ ...BY_HAND, ...(since && { since }) });
    return report ?? { open: await service.open(), findings: undefined };
  } finally {
    await app.close();
  }
}
