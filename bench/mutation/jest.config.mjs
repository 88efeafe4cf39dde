import { fileURLToPath } from 'node:url';
import base from '../../jest.config.mjs';

// Only the tests of the pure parts: they need no database, so thousands of runs are cheap.
const needless = new Set(['globalSetup', 'globalTeardown']);
const rest = Object.fromEntries(Object.entries(base).filter(([name]) => !needless.has(name)));

/** @type {import('jest').Config} */
export default {
  ...rest,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  roots: ['<rootDir>/src'],
  testMatch: [
    '**/src/donations/donation-lifecycle.spec.ts',
    '**/src/payments/stripe/stripe-amounts.spec.ts',
    '**/src/payments/paypal/paypal-amounts.spec.ts',
    '**/src/settings/json-merge.spec.ts',
  ],
};
