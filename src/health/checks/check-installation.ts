import { checkAddress } from './address-checks.js';
import { type CheckResult, type Installation, ran, unreadable } from './check.js';
import { checkDatabase } from './database-checks.js';
import { MACHINE } from './machine-checks.js';
import { PARTS } from './part-checks.js';

/**
 * Makes all checks that need more than the variables, at the same time. Changes nothing, except for short-lived keys and files
 * of its own.
 * @param unread variables that `installation.config` does not contain, because they are wrong
 */
export async function checkInstallation(
  installation: Installation,
  unread: ReadonlySet<string> = new Set(),
): Promise<CheckResult[]> {
  const results = await Promise.all([
    checkDatabase(installation, unread),
    checkAddress(installation, !unread.has('PUBLIC_URL')),
    ...[...PARTS, ...MACHINE].map(async ({ name, needs, run }) => {
      const missing = needs.filter((variable) => unread.has(variable));
      return [
        missing.length > 0
          ? unreadable(name, missing)
          : await ran(name, needs[0] ?? name, () => run(installation)),
      ];
    }),
  ]);
  return results.flat();
}
