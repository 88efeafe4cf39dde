// After a restore: sets the receipt counters above the highest numbers that donors have.
// --after <number as on the receipt>, once for each year: npm run receipts:resume -- --after 2026-001234
// --far: the number may be more than 10 000 ahead of the books.
// Exit code: 0 done, 1 nothing was changed.
import { parseArgs } from 'node:util';
import { builtModule } from './built.mjs';
import { withDatabase } from './local-database.mjs';

const USAGE = 'Usage: npm run receipts:resume -- --after 2026-001234 [--after 2025-000321] [--far]';

try {
  const { after = [], far = false } = options();
  if (after.length === 0) throw new Error(USAGE);
  const { readReceiptNumber, resumeReceipts } = await builtModule('operator/receipts-resume.js');
  const known = after.map((text) => readReceiptNumber(text));
  const resumed = await withDatabase((databaseUrl) => resumeReceipts(databaseUrl, known, far));
  for (const { year, last, moved, next } of resumed)
    console.log(
      moved
        ? `${year}: the last receipt number in the database was ${last}; the next is ${next}.`
        : `${year}: nothing changed, the last receipt number in the database is ${last}; the next is ${next}.`,
    );
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

function options() {
  try {
    const { values } = parseArgs({
      options: { after: { type: 'string', multiple: true }, far: { type: 'boolean' } },
    });
    return values;
  } catch {
    throw new Error(USAGE);
  }
}
