import { afterEach, beforeEach, expect } from '@jest/globals';
import type { PaymentsApp } from '../support/payments.js';
import { withMade } from '../support/setup.js';
import { expectSettledBooks } from './invariants.js';
import { World } from './world.js';

/**
 * Creates a world for each test. After each test all messages arrive, reconciliation runs, and the books must be
 * correct.
 */
export function withWorld(app: PaymentsApp, admin: { readonly token: string }): World {
  const world = withMade(() => World.create(app, admin.token), beforeEach);
  afterEach(async () => {
    app.sandbox.faults.clear();
    await world.deliverAll(Math.random);
    await world.reconcile();
    const payments = [...world.online.map(({ paymentId }) => paymentId), ...world.foreign];
    await expectSettledBooks(app, world.event.id, payments);
    expect(world.failures).toEqual([]);
  });
  return world;
}
