import { loadConfig } from '../server/load-config.js';
import {
  BY_HAND,
  type ReconciliationReport,
  ReconciliationService,
} from '../payments/reconciliation/reconciliation.service.js';
import { createOperatorApp } from './operator-app.js';

/** Either a run, or only the count of open review items when another instance is at it. */
export type ReconciliationByHand =
  ReconciliationReport | { readonly open: number; readonly findings: undefined };

/**
 * One reconciliation by hand, of everything unsettled.
 * @param since also walk through all that the providers have since then
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
