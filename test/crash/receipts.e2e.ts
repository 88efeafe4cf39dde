import { beforeAll, expect, it } from '@jest/globals';
import { insertDonation } from '../support/donation-rows.js';
import { sql } from '../support/fixtures.js';
import { withOpened } from '../support/setup.js';
import { CrashingService } from './crashing-service.js';

/** The server dies while it gives receipt numbers, one request at each step and two that wait for their number. */

const service = withOpened(() => CrashingService.start());
let eventId = '';

beforeAll(async () => {
  eventId = await service.newEvent();
  const legal = { legalName: 'Harbour Fund', address: 'Quay 1', nl: { rsin: '123456782', place: 'Utrecht' } };
  const settings = { receipts: { pack: 'nl' }, legal };
  expect((await service.call('PATCH', '/settings/global', settings)).status).toBe(200);
});

/** Requests the receipt. The answer is a PDF, which `call` cannot read. */
const ask = (id: string) => service.call('GET', `/export/receipts/${id}`).catch(() => undefined);

const STEPS = {
  'before the receipt is stored': () => service.tap.holdBefore({ statement: 'receipt_issue' }),
  'after the receipt is stored, before the commit': () =>
    service.tap.holdBefore({ commitOf: 'receipt_issue' }),
  'after the commit, before the answer': () => service.tap.holdAfter({ commitOf: 'receipt_issue' }),
} as const;

it.each(Object.keys(STEPS) as (keyof typeof STEPS)[])(
  'receipt numbers have no gap and each donation has one after a crash %s',
  async (step) => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count++)
      ids.push(await insertDonation(service, eventId, { donorName: 'Ada Lovelace', amount: 2500 }));
    await sql(service, "UPDATE donation SET donor_address = 'Kade 1' WHERE id = ANY($1::uuid[])", [ids]);
    const [first = '', ...others] = ids;
    const held = STEPS[step]();
    service.leave(ask(first));
    await held;
    for (const id of others) service.leave(ask(id));
    await service.crash();
    for (const id of ids) await ask(id);
    const receipts = await sql<{ donation_id: string; pack: string; replaced_at: Date | null }>(
      service,
      'SELECT donation_id, pack, replaced_at FROM receipt WHERE donation_id = ANY($1::uuid[]) ORDER BY donation_id',
      [ids],
    );
    expect(receipts).toEqual(
      [...ids].sort().map((id) => ({ donation_id: id, pack: 'nl', replaced_at: null })),
    );
    const [numbers] = await sql(
      service,
      `SELECT count(*) = max(number) AND max(number) = (SELECT max(last_number) FROM receipt_counter)
         AND count(*) = (SELECT count(*) FROM confirmed_gift) AS gapless FROM receipt`,
    );
    expect(numbers).toEqual({ gapless: true });
  },
  60_000,
);
