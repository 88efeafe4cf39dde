import { beforeAll, expect, it } from '@jest/globals';
import { World } from '../money/world.js';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { describeWithTool } from '../support/tools.js';
import { insertDonation } from '../support/donation-rows.js';
import { withAdmin, withService } from '../support/setup.js';
import { pdfText } from './tools.js';

const app = withService(startPaymentsApp);
const admin = withAdmin(app);
let world: World;

beforeAll(async () => {
  world = await World.create(app, admin.token);
});

const textOf = async (id: string) => {
  const { body } = await admin.get(`/export/receipts/${id}`).buffer(true).expect(200);
  return (await pdfText(body as Buffer)).replace(/\s+/g, ' ');
};
const receipts = (id: string) =>
  sql<{ number: number; amount: string | null; void: boolean }>(
    app,
    `SELECT number, printed ->> 'amount' AS amount, replaced_at IS NOT NULL AS void FROM receipt
     WHERE donation_id = $1 ORDER BY year, number`,
    [id],
  );

describeWithTool('pdftotext', 'the receipt of a donation whose amount is increased later', () => {
  it('a receipt becomes void when the amount grows, and a new receipt with its own number replaces it', async () => {
    const id = await insertDonation(app, world.event.id, { amount: 2_500 });
    expect(await textOf(id)).toContain('€25.00');
    // Another capture of the same payment increases the amount like this.
    await sql(app, 'UPDATE donation SET amount = 4000 WHERE id = $1', [id]);
    const corrected = await textOf(id);
    expect(corrected).toContain('€40.00');
    expect(corrected).toContain('cancels and replaces receipt no.');
    expect(await receipts(id)).toMatchObject([
      { amount: '2500', void: true },
      { amount: '4000', void: false },
    ]);
    // The next request returns a copy of the second receipt, not a third receipt.
    expect(await textOf(id)).toContain('COPY');
    expect(await receipts(id)).toHaveLength(2);
    const { body } = await admin.get(`/donations/${id}/story`).expect(200);
    expect(body.history).toMatchObject([{ reason: expect.stringMatching(/^receipt \S+ replaced by \S+$/) }]);
  });

  it('a receipt keeps its amount after the donation is refunded', async () => {
    const id = await insertDonation(app, world.event.id, { amount: 2_500 });
    await textOf(id);
    await sql(
      app,
      "UPDATE donation SET amount = 4000, refunded_amount = 4000, status = 'REFUNDED' WHERE id = $1",
      [id],
    );
    const text = await textOf(id);
    expect(text).toContain('€25.00');
    expect(text).not.toContain('€40.00');
    expect(text).toContain('void');
  });

  it('a receipt of the first releases, which stored no amount, stays the same', async () => {
    const id = await insertDonation(app, world.event.id, { amount: 2_500 });
    await textOf(id);
    await sql(app, "UPDATE receipt SET printed = printed - 'amount' WHERE donation_id = $1", [id]);
    expect(await textOf(id)).toContain('COPY');
    expect(await receipts(id)).toMatchObject([{ amount: null, void: false }]);
  });
});
