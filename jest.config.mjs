import { fileURLToPath } from 'node:url';

/** Of this folder, in a pattern: it may itself lie in a folder named src. */
const root = fileURLToPath(new URL('.', import.meta.url)).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

const typescript = [
  '@swc/jest',
  {
    sourceMaps: 'inline',
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      keepClassNames: true,
    },
  },
];

const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};

/** Beside what they test, from the sources. */
export const units = {
  ...shared,
  displayName: 'unit',
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': typescript },
  roots: ['<rootDir>/src', '<rootDir>/sandbox'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['\\.long\\.spec\\.ts$'],
};
const longUnits = {
  ...units,
  displayName: 'long unit',
  testMatch: ['**/*.long.spec.ts'],
  testPathIgnorePatterns: [],
};

/** Of the others, those that wait for clocks, fill books, or make whole archives. */
const SLOW = [
  'auth/replaced-pin-secret',
  'auth/second-factor',
  'auth/sessions',
  'contract/described-requests',
  'data/collation',
  'data/database-owner',
  'data/database-settings',
  'donations/list-plans',
  'events/public-reads',
  'export/receipts-zip',
  'health/health',
  'payments/paid-while-migrated',
  'payments/paypal-captures',
].join('|');

/** What takes long: browsers, processes that are killed and started again, outages, restores, installations, and what is slow. */
const LONG = `^${root}test/((crash|faults|operating|pages|scripts)/.+\\.e2e|.+\\.long\\.e2e|(${SLOW})\\.(e2e|spec))\\.ts$`;

/** Against the build and real parts; sources and packages are loaded by Node, not by Jest (test/support/built-module.mjs). */
const againstBuild = {
  ...shared,
  testEnvironment: '<rootDir>/test/support/built-environment.mjs',
  transform: {
    [`^${root}(src|sandbox|node_modules)/.+\\.([cm]?js|ts)$`]: '<rootDir>/test/support/built-module.mjs',
    '^.+\\.ts$': typescript,
  },
  transformIgnorePatterns: [],
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/sandbox'],
  setupFilesAfterEnv: ['<rootDir>/test/support/second-try.mjs'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
const endToEnd = {
  ...againstBuild,
  displayName: 'e2e',
  testMatch: ['<rootDir>/test/**/*.{spec,e2e}.ts'],
  testPathIgnorePatterns: [LONG],
};
const long = { ...againstBuild, displayName: 'long', testRegex: [LONG] };

/** `npm test` runs what one waits for while working, `npm run test:long` the rest; a file that is named runs in any case. */
function chosen() {
  if (isNamed()) return [units, longUnits, endToEnd, long];
  return isLong() ? [longUnits, long] : [units, endToEnd];
}
const isNamed = () => process.argv.slice(2).some((argument) => !argument.startsWith('-'));
const isLong = () => process.env.TESTS === 'long';

/** @type {import('jest').Config} */
export default {
  projects: chosen(),
  testSequencer: './test/support/longest-first.mjs',
  // Against hanging only: three at once with a browser each, on two slow processors, and some take a minute.
  testTimeout: isNamed() || isLong() ? 120_000 : 60_000,
  // Twice the processors of a small machine where tests wait half of their time; browsers and restores wait less.
  maxWorkers: isNamed() ? 2 : isLong() ? 3 : 4,
};
