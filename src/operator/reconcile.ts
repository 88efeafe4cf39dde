import { loadConfig } from '../load-config.js';
import {
  BY_HAND,
  type ReconciliationReport,
  ReconciliationService,
} from '../payments/reconciliation.service.js';
import { createOperatorApp } from './operator-app.js';

/** One reconciliation by hand, of everything unsettled; undefined when another instance is at it. */
export async function reconcileOnce(
  environment: NodeJS.ProcessEnv,
): Promise<ReconciliationReport | undefined> {
  const app = await createOperatorApp(loadConfig(environment));
  try {
    return await app.get(ReconciliationService).run(BY_HAND);
  } finally {
    await app.close();
  }
}
