import { beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as, type ListBody } from '../support/bearer.js';
import { createEvent, createStaff, type EventFixture, sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';
import { enrolTerminal, signInOn, type TerminalFixture } from '../support/terminals.js';
import { expectExplained, explained } from '../explain/explained.js';

const app = withService();
const admin = withAdmin(app);
let event: EventFixture;
let bar: TerminalFixture;

beforeAll(async () => {
  await admin.patch('/settings/global', { timezone: 'Europe/Berlin' }).expect(200);
  event = await createEvent(app, admin.token);
  bar = await enrolTerminal(app, admin.token, 'Bar', event.id);
});

it('the summary adds up donations by terminal and by the hour of their recordedAt', async () => {
  const maria = await createStaff(app, admin.token, event.id, 'Maria');
  const atBar = as(app, await signInOn(app, bar, maria.code, event.id));
  const recordedAt = new Date(Date.now() - 2 * 3_600_000).toISOString();
  await atBar.post('/donations', { type: 'cash', amount: 1_000, recordedAt }).expect(201);
  await atBar.post('/donations', { type: 'cash', amount: 300 }).expect(201);
  await admin.post('/donations', { type: 'check', amount: 50, eventId: event.id }).expect(201);
  await sql(app, 'UPDATE terminal SET waiting = 3, last_used_at = now(), staff_id = $2 WHERE id = $1', [
    bar.id,
    maria.id,
  ]);

  const { body: summary } = await admin.get(`/events/${event.id}/summary`).expect(200);
  const [eur] = summary.currencies;
  expect(eur.byTerminal).toEqual([
    { terminalId: bar.id, terminalName: 'Bar', count: 2, amount: 1_300, refunded: 0, net: 1_300 },
    { terminalId: null, terminalName: null, count: 1, amount: 50, refunded: 0, net: 50 },
  ]);
  const hourOf = (time: string) => `${time.slice(0, 13)}:00:00.000Z`;
  expect(eur.byHour[0]).toMatchObject({ from: hourOf(recordedAt), amount: 1_000 });

  const { body: statistics } = await admin.get(`/statistics?eventId=${event.id}`).expect(200);
  expect(statistics.byCurrency[0].byTerminal).toEqual([
    { terminalId: bar.id, terminalName: 'Bar', count: 2, amount: 1_300 },
    { terminalId: null, terminalName: null, count: 1, amount: 50 },
  ]);
  expect(statistics.byCurrency[0].byHour.map(({ amount }: { amount: number }) => amount)).toContain(1_000);

  const { body: tonight } = await admin.get(`/events/${event.id}/tonight`).expect(200);
  expect(tonight).toMatchObject({ waitingOnTerminals: 3, openShifts: 0 });
  expect(tonight.staffOn).toMatchObject([{ name: 'Maria', terminalName: 'Bar', recorded: 2, amount: 1_300 }]);
  // The figures per minute ignore donations that volunteers recorded two hours ago and that arrive now.
  expect(tonight.perMinute.reduce((sum: number, one: { amount: number }) => sum + one.amount, 0)).toBe(350);

  const { body: list } = await admin.get(`/donations?terminalId=${bar.id}`).expect(200);
  expect((list as ListBody).total).toBe(2);
  expect((await admin.get(`/donations?terminalId=${newId()}`).expect(200)).body.total).toBe(0);
  await admin.get('/donations?terminalId=bar').expect(400);
  const { text: csv } = await admin.get(`/events/${event.id}/summary?format=csv`).expect(200);
  expect(csv).toContain('eur,By terminal,Bar,2,13.00,0.00,13.00');
});

it('the explanation of the total names undone donations and pledges that were paid online', async () => {
  const evening = await createEvent(app, admin.token);
  const maria = await createStaff(app, admin.token, evening.id, 'Maria');
  const staff = as(app, maria.token);
  const record = async (body: object) =>
    (await staff.post('/donations', { amount: 700, ...body }).expect(201)).body.id as string;
  await record({ type: 'cash' });
  await staff.post(`/donations/${await record({ type: 'cash' })}/undo`).expect(200);
  await staff.post(`/donations/${await record({ type: 'pledge' })}/undo`).expect(200);
  const [pledge, payment] = [
    await record({ type: 'pledge', amount: 900 }),
    await record({ type: 'cash', amount: 900 }),
  ];
  await sql(app, "UPDATE donation SET status = 'CANCELLED', paid_by = $2 WHERE id = $1", [pledge, payment]);
  const { lines, total } = await explained(app, admin.token, evening.id);
  expect(total).toBe(1_600);
  expect(lines.map(({ kind, type, count, inTotal }) => [kind, type, count, inTotal])).toEqual([
    ['counted', 'cash', 2, true],
    ['undone', 'cash', 1, false],
    ['undone', 'pledge', 1, false],
    ['pledge_paid', 'pledge', 1, false],
  ]);
  await expectExplained(app, admin.token, evening.id);
});
