// Asks the payment providers about everything that is not settled and brings the books in line.
// Exit code: 0 all is well, 1 something needs a person, 2 it could not run.
import { builtModule } from './built.mjs';
import { dataFolder, withDatabase } from './local-database.mjs';
import { sandboxEnvironment } from './sandbox-environment.mjs';

try {
  // Loaded here, so that a server that is not built ends with 2 as well.
  const { reconcileOnce } = await builtModule('operator/reconcile.js');
  // Without DATABASE_URL it is the books of `npm start` that are meant, and with them its providers.
  const own = process.env.DATABASE_URL ? {} : sandboxEnvironment(dataFolder());
  const report = await withDatabase((url) => reconcileOnce({ ...process.env, ...own, DATABASE_URL: url }));
  if (!report) {
    console.log('Another instance is reconciling at this moment; nothing was done.');
    process.exit(0);
  }
  const { checked, findings } = report;
  if (findings.length > 0)
    console.table(findings.map(({ what, id, found, result }) => ({ what, id, found, result })));
  const count = (result) => findings.filter((finding) => finding.result === result).length;
  console.log(
    `${checked} checked, ${count('healed')} healed, ${count('waiting')} waiting, ${count('needs a person')} need a person`,
  );
  process.exit(count('needs a person') > 0 ? 1 : 0);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(2);
}
