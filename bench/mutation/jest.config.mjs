import { fileURLToPath } from 'node:url';
import { units } from '../../jest.config.mjs';

// Runs only the tests of the pure code. They need no database, so thousands of runs are fast.
/** @type {import('jest').Config} */
export default {
  ...units,
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  roots: ['<rootDir>/src'],
  testMatch: [
    '**/src/donations/lifecycle/donation-lifecycle.spec.ts',
    '**/src/donations/recording/recording-rules.spec.ts',
    '**/src/donations/recording/given-at.spec.ts',
    '**/src/donations/recording/new-donation.spec.ts',
    '**/src/events/event-record.spec.ts',
    '**/src/events/event-status.spec.ts',
    '**/src/match/draws.spec.ts',
    '**/src/payments/providers/stripe/stripe-amounts.spec.ts',
    '**/src/payments/providers/paypal/paypal-amounts.spec.ts',
    '**/src/settings/effective-settings.spec.ts',
    '**/src/payments/providers/stripe/stripe-facts.spec.ts',
    '**/src/payments/providers/stripe/stripe-payout-facts.spec.ts',
    '**/src/payments/providers/paypal/paypal-facts.spec.ts',
    '**/src/reporting/explain/explanation.spec.ts',
  ],
};
