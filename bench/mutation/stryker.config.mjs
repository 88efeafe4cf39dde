export default {
  mutate: [
    'src/donations/donation-lifecycle.ts',
    'src/payments/stripe/stripe-amounts.ts',
    'src/payments/paypal/paypal-amounts.ts',
    'src/settings/json-merge.ts',
  ],
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: { configFile: 'bench/mutation/jest.config.mjs', enableFindRelatedTests: true },
  // The tests are ES modules, which Jest loads by Node's vm modules.
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  checkers: [],
  ignorePatterns: ['dist', 'dist-sandbox', 'dist-web', 'docs', 'bench/live', '/test', 'coverage'],
  tempDirName: '.stryker-tmp',
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: 'bench/mutation/.report/mutation.json' },
  clearTextReporter: { allowColor: false, allowEmojis: false, reportTests: false, logTests: false },
  thresholds: { high: 95, low: 90, break: 90 },
};
