// Prints the last line of a run and decides its exit code: a skipped test is a failure here.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, testExit, longExit, checkExit, startExit, node24Exit, guardExit, withoutExit, eveningExit] =
  process.argv.slice(2);
const steps = {
  'npm test': testExit,
  'npm run test:long': longExit,
  'npm run check': checkExit,
  'npm start': startExit,
  'Node 24': node24Exit,
  'npm run bench:guard': guardExit,
  'Without the programs of the tests': withoutExit,
  'npm run bench:evening -- --short': eveningExit,
};
const broken = Object.keys(steps).filter((name) => steps[name] !== '0');
const totals = { passed: 0, failed: 0 };
const skipped = [];
for (const name of ['test', 'long']) {
  const file = join(folder, `${name}.json`);
  const result = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  if (!result) {
    console.log(`npm run ${name} wrote no report`);
    totals.failed++;
    continue;
  }
  totals.passed += result.numPassedTests;
  totals.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  const seconds = Math.round(
    (Math.max(...result.testResults.map(({ endTime }) => endTime)) - result.startTime) / 1_000,
  );
  console.log(`${name}: ${result.numTotalTests} tests of ${result.numTotalTestSuites} files in ${seconds} s`);
  for (const { assertionResults } of result.testResults)
    for (const { status, fullName } of assertionResults)
      if (status === 'pending' || status === 'todo') skipped.push(fullName);
}
for (const name of skipped) console.log(`skipped, which is not allowed here: ${name}`);
for (const name of broken) console.log(`${name} failed, see above`);

// Each failed step other than the tests counts as one failure. Failed tests are already in the sum.
const others = Object.keys(steps).filter((name) => !/^npm (test|run test:long)$/.test(name));
const brokenOthers = others.filter((name) => broken.includes(name)).length;
const passed = totals.passed + others.length - brokenOthers;
const failed = totals.failed + brokenOthers;
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exit(broken.length === 0 && failed === 0 && skipped.length === 0 ? 0 : 1);
