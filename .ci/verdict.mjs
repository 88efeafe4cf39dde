// Prints the closing line of a run and decides its exit code: a skipped test is a failure here.
import { existsSync, readFileSync } from 'node:fs';

const [report, checkExit, testsExit, startExit, node24Exit] = process.argv.slice(2);
const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
const skipped = [];
for (const file of result?.testResults ?? []) {
  for (const test of file.assertionResults) {
    if (test.status === 'pending' || test.status === 'todo') skipped.push(test.fullName);
  }
}
for (const name of skipped) console.log(`skipped, which is not allowed here: ${name}`);
const steps = { 'npm run check': checkExit, 'npm start': startExit, 'Node 24': node24Exit };
const broken = Object.entries(steps).filter(([, exit]) => exit !== '0');
for (const [name] of broken) console.log(`${name} failed, see above`);

// Each of the three steps beside the tests counts as one.
const passed = (result?.numPassedTests ?? 0) + Object.keys(steps).length - broken.length;
const failed = (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0) + broken.length;
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exit(testsExit === '0' && result?.success && failed === 0 && skipped.length === 0 ? 0 : 1);
