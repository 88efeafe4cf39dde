// Asks the payment providers about all unsettled payments, refunds and disputes, and corrects the books.
// --since <ISO 8601 time>: also checks all payments, refunds and disputes of the providers after this time,
// to repair the books after a restore.
// Exit code: 0 no review item is open, 1 a review item is open, 2 the command could not run or not completely.
import { builtModule } from './built.mjs';
import { dataFolder, withDatabase } from './local-database.mjs';
import { sandboxEnvironment } from './sandbox-environment.mjs';

try {
  const since = sinceOf(process.argv.slice(2));
  // The import is inside the `try`, so that the exit code is also 2 if the server is not built.
  const { reconcileOnce } = await builtModule('operator/reconcile.js');
  // Without DATABASE_URL, the command uses the books and the providers of `npm start`.
  const own = process.env.DATABASE_URL ? {} : sandboxEnvironment(dataFolder());
  const { checked, findings, open } = await withDatabase((url) =>
    reconcileOnce({ ...process.env, ...own, DATABASE_URL: url }, since),
  );
  const needed = `${open} need attention`;
  if (!findings) {
    console.log(`Another instance is reconciling now; nothing was done. ${needed}`);
    process.exit(since ? 2 : open > 0 ? 1 : 0);
  }
  if (findings.length > 0)
    console.table(findings.map(({ what, id, found, result }) => ({ what, id, found, result })));
  const count = (result) => findings.filter((finding) => finding.result === result).length;
  console.log(`${checked} checked, ${count('healed')} healed, ${count('waiting')} waiting, ${needed}`);
  process.exit(open > 0 ? 1 : 0);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(2);
}

function sinceOf(given) {
  if (given.length === 0) return undefined;
  const [name, text = ''] = given.flatMap((argument) => argument.split(/=(.*)/s, 2));
  // A local time would mean another moment on a machine with another time zone.
  const exact = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const since = new Date(text);
  if (name !== '--since' || !exact || Number.isNaN(since.getTime()) || since > new Date())
    throw new Error('Usage: npm run reconcile [-- --since 2026-11-01T18:00:00Z], a time that has passed');
  return since;
}
