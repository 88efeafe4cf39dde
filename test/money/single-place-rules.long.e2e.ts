import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { Semaphore } from '../../src/common/concurrency/concurrency.js';
import { RULES, type Rule } from './single-place-rules.js';

/**
 * Checks that the code enforces every rule: the spec of a rule passes with the original code and fails with the neutralised
 * code.
 */

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const CONFIG = join(ROOT, 'test/support/neutralised.config.mjs');

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Number of test suites that could not run. */
  readonly broken: number;
}

const atOnce = new Semaphore(2);

/** Runs the spec of a rule with the code `from` replaced by `to`. */
const outcomeOf = ({ file, spec }: Rule, from: string, to: string): Promise<Outcome> =>
  atOnce.run(async () => {
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
    const words = [...flags, JEST, '--config', CONFIG, '--json', '--runInBand'];
    const env = { ...process.env, NEUTRALISED: JSON.stringify({ file: `/src/${file}`, from, to, spec }) };
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, words, { cwd: ROOT, env, maxBuffer: 2 ** 26 }, (_, stdout) => {
        resolve(stdout);
      });
    });
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(said) as Record<
      string,
      number
    >;
    return {
      passed: numPassedTests ?? 0,
      failed: numFailedTests ?? 0,
      broken: numRuntimeErrorTestSuites ?? 0,
    };
  });

it.each([...new Map(RULES.map((rule) => [rule.spec, rule])).values()])(
  '$spec passes with all rules',
  async (rule) => {
    const { passed, failed, broken } = await outcomeOf(rule, '', '');
    expect({ failed, broken }).toEqual({ failed: 0, broken: 0 });
    expect(passed).toBeGreaterThan(0);
  },
);

it.concurrent.each(RULES)(
  'the spec of a rule fails without it: $rule',
  async (rule) => {
    const { failed, broken } = await outcomeOf(rule, rule.from, rule.to);
    expect(broken).toBe(0);
    expect(failed).toBeGreaterThan(0);
  },
  60_000,
);
