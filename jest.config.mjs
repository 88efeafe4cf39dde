import { fileURLToPath } from 'node:url';

/** This folder as part of a pattern: its own path may contain a folder named src. */
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

/** Unit tests next to the code, run from the sources. */
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

/** Other slow tests: they wait for clocks, fill the books, or create whole archives. */
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

/** Long tests: browsers, killed and restarted processes, outages, restores, installations, and the slow ones. */
const LONG = `^${root}test/((crash|faults|operating|pages|scripts)/.+\\.e2e|.+\\.long\\.e2e|(${SLOW})\\.(e2e|spec))\\.ts$`;

/** End-to-end tests run against the build and real services. Node, not Jest, loads sources and packages (test/support/built-module.mjs). */
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

/** `npm test` runs the everyday tests, `npm run test:long` the others. A file named on the command line always runs. */
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
  // Long enough for slow machines; it only stops hanging tests. Three run at once, each with a browser, and some take a minute.
  testTimeout: isNamed() || isLong() ? 120_000 : 60_000,
  // Twice the processors of a small machine, because tests wait half of their time; browsers and restores wait less.
  maxWorkers: isNamed() ? 2 : isLong() ? 3 : 4,
};
