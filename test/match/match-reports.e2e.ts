import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseCsv } from '../export/parse-csv.js';
import { pdfText } from '../export/tools.js';
import type { DonationBody } from '../support/bearer.js';
import { FAST_MAIL, MailServer, type ReceivedEmail } from '../support/mail-server.js';
import { createPool, type PoolBody, untilMatched } from '../support/match-pools.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { describeWithTool, itWithTool } from '../support/tools.js';
import { until } from '../support/until.js';

const mail = withOpened(() => MailServer.start());
const { app, admin, event } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
  fields: { name: 'Winter Gala' },
  each: true,
});

const give = async (amount: number, fields: object = {}) =>
  (
    await admin
      .post('/donations', { eventId: event.id, type: 'cash', amount, ...fields })
      .set('Idempotency-Key', randomUUID())
      .expect(201)
  ).body as DonationBody;
const step = (pool: { id: string }, name: string, body: object = {}) =>
  admin.post(`/match-pools/${pool.id}/${name}`, body);
const file = async (path: string) => {
  const { body } = await admin.get(path).buffer(true).responseType('blob').expect(200);
  return body as Buffer;
};
const idsOf = async (query: Readonly<Record<string, unknown>>) => {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const { body } = await admin.get(`/donations?${search.toString()}`).expect(200);
  return (body as { data: DonationBody[] }).data.map(({ id }) => id);
};

/** An ended pool of 100.00 with two draws, a donation that drew nothing, kept money for a pledge, and one payment. */
async function endedPool(fields: object = {}) {
  const pool = await createPool(admin, event.id, {
    name: 'Doubled',
    matcherName: 'Miller Foundation',
    cap: 10_000,
    pledges: 'keep',
    dueOn: '2027-01-31',
    ...fields,
  });
  const pledge = await give(3_000, { type: 'pledge', donorName: 'Paula Promising' });
  await untilMatched(app);
  const first = await give(4_000, { donorName: 'Ada Lovelace', donorEmail: 'ada@example.org' });
  await untilMatched(app);
  const last = await give(5_000, { donorName: 'Grace Hopper' });
  await untilMatched(app);
  const without = await give(1_000);
  await untilMatched(app);
  await step(pool, 'end').expect(200);
  const payment = (await step(pool, 'settlements', { type: 'bank_transfer', amount: 2_500 }).expect(201))
    .body as DonationBody;
  await untilMatched(app);
  return { pool, pledge, first, last, without, payment };
}

describe('match pools in reports', () => {
  it('the list of donations shows those of a pool: drawn, kept, or paid by the matcher', async () => {
    const { pool, pledge, first, last, payment } = await endedPool();
    const of = (matchPart?: string) =>
      idsOf({ eventId: event.id, matchPoolId: pool.id, ...(matchPart !== undefined && { matchPart }) });
    expect(new Set(await of())).toEqual(new Set([first.id, last.id]));
    expect(new Set(await of('drawn'))).toEqual(new Set([first.id, last.id]));
    expect(await of('kept')).toEqual([pledge.id]);
    expect(await of('settled')).toEqual([payment.id]);
    await admin.get(`/donations?matchPoolId=${pool.id}&matchPart=other`).expect(400);
    expect(await idsOf({ matchPoolId: randomUUID() })).toEqual([]);
  });

  it('the explained total has lines about the pools outside the sum, and each lists its donations', async () => {
    const { pool, pledge, first, last, payment } = await endedPool();
    const { body } = await admin.get(`/events/${event.id}/explain-total`).expect(200);
    const explained = body as {
      total: number;
      lines: { amount: number; inTotal: boolean }[];
      matches: { kind: string; count: number; amount: number; filter: Record<string, unknown> }[];
    };
    const sum = explained.lines.filter(({ inTotal }) => inTotal).reduce((so, { amount }) => so + amount, 0);
    expect({ total: explained.total, sum }).toEqual({ total: 12_500, sum: 12_500 });
    const about = { poolId: pool.id, pool: 'Doubled', filter: expect.any(Object) };
    expect(explained.matches).toEqual([
      { kind: 'matched', count: 2, amount: 7_000, ...about },
      { kind: 'kept', count: 1, amount: 3_000, ...about },
      { kind: 'settled', count: 1, amount: 2_500, ...about },
    ]);
    const lists = await Promise.all(explained.matches.map(({ filter }) => idsOf(filter)));
    expect(lists.map((ids) => new Set(ids))).toEqual([
      new Set([first.id, last.id]),
      new Set([pledge.id]),
      new Set([payment.id]),
    ]);
  });

  it('the summary has a section for each pool, in JSON and as a spreadsheet', async () => {
    const { pool } = await endedPool();
    await createPool(admin, event.id, { name: 'Only a draft' }, false);
    const { body } = await admin.get(`/events/${event.id}/summary`).expect(200);
    expect((body as { matchPools: unknown }).matchPools).toEqual([
      {
        poolId: pool.id,
        name: 'Doubled',
        matcher: 'Miller Foundation',
        status: 'ended',
        currency: 'eur',
        cap: 10_000,
        drawn: { count: 2, amount: 7_000 },
        kept: { count: 1, amount: 3_000 },
        settled: { count: 1, amount: 2_500 },
        due: 4_500,
        dueOn: '2027-01-31',
      },
    ]);
    const csv = await file(`/events/${event.id}/summary?format=csv`);
    const rows = parseCsv(csv.toString('utf8')).filter(([, part]) => part === 'Match pool: Doubled');
    expect(rows.map(([, , name, count, , , net]) => [name, count, net])).toEqual([
      ['Size *', '', '100.00'],
      ['Drawn *', '2', '70.00'],
      ['Kept for pledges *', '1', '30.00'],
      ['Paid by the matcher', '1', '25.00'],
      ['Due (until 2027-01-31) *', '', '45.00'],
    ]);
  });
});

describeWithTool('pdftotext', 'the letter to a matcher', () => {
  const letterOf = async (pool: Pick<PoolBody, 'id'>) =>
    (await pdfText(await file(`/match-pools/${pool.id}/letter`))).replaceAll('\n', ' ');

  it('names sums, day and donations, and no donor', async () => {
    const { pool, first } = await endedPool();
    const text = await letterOf(pool);
    for (const part of ['Dear Miller Foundation', '2 donations drew', '€70.00', '€30.00', '€25.00'])
      expect(text).toContain(part);
    expect(text).toContain('Please pay €45.00 by 31 January 2027.');
    expect(text).toContain(first.id.slice(-8).toUpperCase());
    expect(text).not.toMatch(/Ada|Lovelace|Grace|Hopper|Paula|example\.org/);
  });

  it('is in the language of the event, and says that an open pool can change', async () => {
    await admin
      .patch(`/events/${event.id}/settings`, { locales: { default: 'de', supported: ['de', 'en'] } })
      .expect(200);
    const pool = await createPool(admin, event.id, { name: 'Verdoppelt', remainder: 'given_anyway' });
    await give(2_000);
    await untilMatched(app);
    const text = await letterOf(pool);
    expect(text).toContain('Verdopplungstopf „Verdoppelt“');
    expect(text).toContain('Der Topf ist noch nicht beendet');
    expect(text).toContain('Sie geben die ganze Summe des Topfes auf jeden Fall');
    expect(text).toContain('1.000,00 €');
  });

  it('a pool with many draws continues on further pages with the heads of the columns', async () => {
    const pool = await createPool(admin, event.id);
    await Promise.all(Array.from({ length: 60 }, () => give(100)));
    await untilMatched(app);
    const text = await letterOf(pool);
    expect(text.match(/\bTime\b/g)).toHaveLength(2);
    expect(text.match(/€1\.00/g)?.length).toBeGreaterThanOrEqual(120);
  });
});

describe('the receipt e-mail of a matched donation', () => {
  const emailOf = async (donation: DonationBody, address: string): Promise<ReceivedEmail> => {
    await admin.post(`/donations/${donation.id}/email-receipt`).expect(202);
    await until(() => mail.to(address).length > 0, 'the e-mail');
    const [received] = mail.to(address);
    if (!received) throw new Error('no e-mail was sent');
    return received;
  };

  itWithTool('pdftotext', 'says what the donation drew, and the receipt does not', async () => {
    await createPool(admin, event.id, { matcherName: 'Miller Foundation', cap: 4_000 });
    const address = `ada-${randomUUID()}@example.org`;
    const whole = await give(3_000, { donorEmail: address, donorName: 'Ada' });
    await untilMatched(app);
    const { text, attachments } = await emailOf(whole, address);
    expect(text).toContain('Your donation drew €30.00 from the fund of Miller Foundation.');
    const receipt = await pdfText(Buffer.from((attachments[0]?.content ?? '') as ArrayBuffer));
    expect(receipt).not.toMatch(/Miller|fund|drew/);
    const other = `grace-${randomUUID()}@example.org`;
    const part = await give(5_000, { donorEmail: other, donorName: 'Grace' });
    await untilMatched(app);
    expect((await emailOf(part, other)).text).toContain(
      'The fund ran out just before: €10.00 were added to your €50.00.',
    );
  });

  it('the e-mail of an online donation waits a moment for the pools', async () => {
    await createPool(admin, event.id, { matcherName: 'Miller Foundation' });
    const address = `ada-${randomUUID()}@example.org`;
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 2_500, currency: 'eur', metadata: { eventId: event.id, donorEmail: address } })
      .expect(201);
    app.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
    await app.sandbox.settled();
    await until(() => mail.to(address).length > 0, 'the e-mail');
    expect(mail.to(address)[0]?.text).toContain('€25.00 from the fund of Miller Foundation.');
  });

  it('says nothing about pools if the event has none', async () => {
    const address = `ada-${randomUUID()}@example.org`;
    const donation = await give(3_000, { donorEmail: address, donorName: 'Ada' });
    expect((await emailOf(donation, address)).text).not.toMatch(/fund|drew/);
  });
});
