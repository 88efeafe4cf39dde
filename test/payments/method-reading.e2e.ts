import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { withPaymentWorld } from '../money/with-world.js';
import { sql } from '../support/fixtures.js';

/** Donations from before the method was stored are filled in by reconciliation, in small steps. */

const { app, world, stripe } = withPaymentWorld({ shared: true, check: 'none' });

interface Row {
  readonly id: string;
  readonly method: string | null;
}
const MISSING = { provider: 'stripe', operation: 'payment_intents.retrieve', kind: 'error' } as const;

/** Pays donations as they were booked by an earlier release: without a method, and checked long ago. */
async function old(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { donationId, paymentId } = await world.intent('card', 1000 + index);
    stripe().pay(paymentId, { method: 'ideal' });
    ids.push(donationId);
  }
  await world.deliverAll(Math.random);
  await sql(
    app,
    `UPDATE donation SET method = NULL, wallet = NULL, checked_at = now(), next_check_at = '9999-12-31'
     WHERE id = ANY($1)`,
    [ids],
  );
  return ids;
}
const rows = (ids: readonly string[]) =>
  sql<Row>(app, 'SELECT id, method FROM donation WHERE id = ANY($1) ORDER BY id DESC', [ids]);
const methods = async (ids: readonly string[]) => (await rows(ids)).map(({ method }) => method);
const progress = async () =>
  (
    await sql<{ before: string; done: boolean }>(
      app,
      `SELECT before_id AS before, finished_at IS NOT NULL AS done FROM method_reading WHERE provider = 'stripe'`,
    )
  )[0];
/** Returns the rows and figures that a change of money or state would change. */
const written = () =>
  sql(
    app,
    `SELECT (SELECT count(*) FROM donation_history) AS history, (SELECT max(id) FROM outbox) AS messages,
      (SELECT json_agg(t ORDER BY t::text) FROM event_total t)::text AS totals`,
  );

beforeEach(async () => {
  app.sandbox.faults.clear();
  await sql(app, `UPDATE donation SET method = 'card' WHERE provider IS NOT NULL`);
  await sql(app, 'DELETE FROM method_reading');
});

describe('the payment methods of old donations', () => {
  it('one run of reconciliation stores the methods, and writes neither history, totals nor messages', async () => {
    const ids = await old(25);
    const before = await written();
    await world.reconcile();
    expect(new Set(await methods(ids))).toEqual(new Set(['ideal']));
    expect(await written()).toEqual(before);
    expect(await progress()).toMatchObject({ done: true });
  });

  it('a run reads a limited number of payments, and the next run continues', async () => {
    const ids = await old(70);
    await world.reconcile();
    const filled = (await methods(ids)).filter((method) => method !== null);
    expect(filled).toHaveLength(60);
    // New donations are read first, because their receipts and sums are needed first.
    expect((await methods(ids)).slice(0, 60)).not.toContain(null);
    expect(await progress()).toMatchObject({ done: false });
    await world.reconcile();
    expect(await methods(ids)).not.toContain(null);
    expect(await progress()).toMatchObject({ done: true });
  });

  it('a run stops at the first error of the provider, keeps the completed steps, and the next run continues', async () => {
    const ids = await old(50);
    app.sandbox.faults.add({ ...MISSING, status: 500, times: 0, skip: 20 });
    await world.reconcile();
    const filled = (await methods(ids)).filter((method) => method !== null).length;
    expect(filled).toBeGreaterThanOrEqual(20);
    expect(filled).toBeLessThan(24);
    expect((await progress())?.before).toBe((await rows(ids))[19]?.id);
    app.sandbox.faults.clear();
    await world.reconcile();
    expect(await methods(ids)).not.toContain(null);
  });

  it('a server that is killed in a step repeats only this step', async () => {
    const ids = await old(30);
    const list = await rows(ids);
    // The killed server had stored the first step, and two donations of the second step.
    await sql(app, `UPDATE donation SET method = 'before' WHERE id = ANY($1)`, [
      list.slice(0, 22).map(({ id }) => id),
    ]);
    await sql(app, `INSERT INTO method_reading (provider, before_id) VALUES ('stripe', $1)`, [list[19]?.id]);
    await world.reconcile();
    expect(await methods(ids)).toEqual([
      ...Array<string>(22).fill('before'),
      ...Array<string>(8).fill('ideal'),
    ]);
  });

  it('a payment that the provider does not know is skipped', async () => {
    const ids = await old(3);
    await sql(app, 'UPDATE donation SET payment_id = $2 WHERE id = $1', [ids[1], `pi_${newId()}`]);
    await world.reconcile();
    expect(await methods(ids)).toEqual(['ideal', null, 'ideal']);
    expect(await progress()).toMatchObject({ done: true });
    await sql(app, 'UPDATE donation SET payment_id = NULL WHERE id = $1', [ids[1]]);
  });

  it('a finished reading is not repeated', async () => {
    await old(1);
    await world.reconcile();
    const ids = await old(2);
    await world.reconcile();
    expect(await methods(ids)).toEqual([null, null]);
  });
});
