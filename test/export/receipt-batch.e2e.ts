import { beforeAll, expect, it } from '@jest/globals';
import { Database } from '../../src/data/database.js';
import { subjectsOf } from '../../src/receipts/receipt-batch.js';
import { ReceiptNumbers } from '../../src/receipts/receipt-numbers.service.js';
import { earlierReceipt, type ReceiptRow, receiptSubject } from '../../src/receipts/receipt-row.js';
import {
  RECEIPT_BY_DONATION,
  RECEIPTS_OF_EVENT,
  type ReceiptsOfEvent,
} from '../../src/receipts/receipts.sql.js';
import { insertDonation } from '../support/donation-rows.js';
import { adminToken, createEvent, sql } from '../support/fixtures.js';
import { withService } from '../support/setup.js';

const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const app = withService();
let database: Database;
let numbers: ReceiptNumbers;
let eventId: string;
let ids: string[];

beforeAll(async () => {
  database = app.app.get(Database);
  numbers = app.app.get(ReceiptNumbers);
  ({ id: eventId } = await createEvent(app, await adminToken(app)));
  ids = [
    await insertDonation(app, eventId, {
      donorName: 'Ada "Countess" O\'Neil \\ 王小明 \u{1F469}\u200D\u{1F680}',
    }),
    await insertDonation(app, eventId, { currency: 'kwd' }),
    await insertDonation(app, eventId, { amount: 5_000, refundedAmount: 1_000 }),
    await insertDonation(app, eventId, { donorName: 'Corrected Later' }),
  ];
  const [named, large, , corrected] = ids;
  await sql(app, `UPDATE donation SET amount = 9007199254740991 WHERE id = '${large}'`);
  await sql(
    app,
    `UPDATE donation SET message = E'Two\\nlines\\tand "quotes"', donor_address = E'1 High Street\\nLondon', gift_aid = true,
       recorded_at = '2026-03-29 00:59:59.999+00', completed_at = created_at WHERE id = '${named}'`,
  );
  await numbers.issue([corrected ?? '']);
  await sql(app, `UPDATE donation SET donor_name = 'Corrected Since' WHERE id = '${corrected}'`);
});

const batch = async (): Promise<ReceiptsOfEvent> => {
  const [read] = await database.query<ReceiptsOfEvent>(RECEIPTS_OF_EVENT, [eventId, FIRST, LAST, 100, false]);
  if (!read) throw new Error('an aggregate has a row');
  return read;
};

it('each receipt in the ZIP has exactly the same content as the single receipt of the donation', async () => {
  const first = await batch();
  expect(first).toMatchObject({ count: 4, last: [...ids].sort().at(-1) });
  // After a correction, the older receipt is no longer valid for this donation.
  expect([...first.unnumbered].sort()).toEqual([...ids].sort());
  const issued = [...(await numbers.issue(first.unnumbered)).values()];
  const fresh = subjectsOf({ rows: first.rows, issued });
  const copies = subjectsOf({ rows: (await batch()).rows, issued: [] });
  expect(copies.map((one) => ({ ...one, copy: false }))).toEqual(fresh);

  for (const subject of copies) {
    const [row] = await database.query<ReceiptRow>(RECEIPT_BY_DONATION, [subject.donationId]);
    const receipt = row && earlierReceipt(row);
    expect(receipt && receiptSubject(row, receipt)).toEqual(subject);
  }
  const ofFirst = copies.find(({ donationId }) => donationId === ids[0]);
  expect(ofFirst).toMatchObject({
    message: 'Two\nlines\tand "quotes"',
    donorAddress: '1 High Street\nLondon',
    receivedAt: new Date('2026-03-29T00:59:59.999Z'),
  });
});

it('the ZIP leaves out donations that were cancelled after they were read', async () => {
  const late = await insertDonation(app, eventId);
  const { rows, unnumbered } = await batch();
  expect(unnumbered).toEqual([late]);
  const subjects = subjectsOf({ rows, issued: [] });
  expect(subjects.map(({ donationId }) => donationId).sort()).toEqual([...ids].sort());
});

it('the ZIP batch is empty without donations', async () => {
  const [none] = await database.query<ReceiptsOfEvent>(RECEIPTS_OF_EVENT, [eventId, LAST, LAST, 100, false]);
  expect(none).toEqual({ rows: '[]', count: 0, last: null, unnumbered: [] });
});
