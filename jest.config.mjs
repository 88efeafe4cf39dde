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
};

/** Against the build and real parts; sources and packages are loaded by Node, not by Jest (test/support/built-module.mjs). */
const endToEnd = {
  ...shared,
  displayName: 'e2e',
  testEnvironment: '<rootDir>/test/support/built-environment.mjs',
  transform: {
    [`^${root}(src|sandbox|node_modules)/.+\\.([cm]?js|ts)$`]: '<rootDir>/test/support/built-module.mjs',
    '^.+\\.ts$': typescript,
  },
  transformIgnorePatterns: [],
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/sandbox'],
  testMatch: ['<rootDir>/test/**/*.{spec,e2e}.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/second-try.mjs'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

/** @type {import('jest').Config} */
export default {
  projects: [units, endToEnd],
  testTimeout: 60_000,
  maxWorkers: 2,
};
