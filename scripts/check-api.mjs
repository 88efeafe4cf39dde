// Compares openapi.json and asyncapi.json with the descriptions of the last release (api/released), and fails if a change
// breaks clients and the version does not say so. `check-api.mjs <before> <after>` compares two other files.
import { readFileSync } from 'node:fs';
import { breakingChanges, isMajorStep } from './api-changes.mjs';

const root = new URL('../', import.meta.url);
const read = (file) => JSON.parse(readFileSync(new URL(file, root), 'utf8'));

const [before, after] = process.argv.slice(2);
const pairs = before
  ? [[before, after]]
  : ['openapi.json', 'asyncapi.json'].map((name) => [`api/released/${name}`, name]);
// Changes that a rule takes for breaking, with the reason why they are not.
const accepted = before ? {} : read('api/released/accepted.json');
const unused = new Set(Object.keys(accepted));

let broken = 0;
for (const [old, now] of pairs) {
  const [released, current] = [read(old), read(now)];
  if (isMajorStep(released, current)) continue;
  for (const change of breakingChanges(released, current)) {
    unused.delete(change);
    if (accepted[change] !== undefined) continue;
    broken++;
    console.error(`${now}: ${change}`);
  }
}
for (const change of unused) console.error(`api/released/accepted.json: "${change}" is no change any more`);
if (broken > 0)
  console.error(
    `\n${broken} changes since the last release break clients. Undo them, or raise the first number of the version.`,
  );
process.exit(broken + unused.size > 0 ? 1 : 0);
