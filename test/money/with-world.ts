import { afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { type PaymentsApp, startPaymentsApp } from '../support/payments.js';
import { withAdmin, withMade, withService } from '../support/setup.js';
import { expectSettledBooks } from './invariants.js';
import { World } from './world.js';

interface WorldOptions {
  /** If true, all tests share one world. */
  readonly shared?: boolean;
  /**
   * Check after each test. `reconciled`: the books are correct after all messages and a reconciliation. `delivered`: they are
   * correct after all messages. `present`: they are correct at once. `answers`: no answer was 5xx. `none`: the tests check the
   * books themselves.
   */
  readonly check?: 'reconciled' | 'delivered' | 'present' | 'answers' | 'none';
}

const settledBooks = (world: World): Promise<void> =>
  expectSettledBooks(world.app, world.event.id, [
    ...world.online.map(({ paymentId }) => paymentId),
    ...world.foreign,
  ]);

/** Creates a world for each test, and checks the books after the test. */
export function withWorld(
  app: PaymentsApp,
  admin: { readonly token: string },
  { shared = false, check = 'reconciled' }: WorldOptions = {},
): World {
  const world = withMade(() => World.create(app, admin.token), shared ? beforeAll : beforeEach);
  if (check !== 'none')
    afterEach(async () => {
      app.sandbox.faults.clear();
      if (check === 'delivered' || check === 'reconciled') await world.deliverAll(Math.random);
      if (check === 'reconciled') await world.reconcile();
      if (check !== 'answers') await settledBooks(world);
      expect(world.failures).toEqual([]);
    });
  return world;
}

/** Starts the service with its payment sandbox, an admin and a world. */
export function withPaymentWorld({
  start = startPaymentsApp,
  ...options
}: WorldOptions & { readonly start?: () => Promise<PaymentsApp> } = {}) {
  const app = withService(start);
  const admin = withAdmin(app);
  const world = withWorld(app, admin, options);
  return {
    app,
    admin,
    world,
    stripe: () => app.sandbox.stripe,
    paypal: () => app.sandbox.paypal,
    settledBooks: () => settledBooks(world),
  };
}
