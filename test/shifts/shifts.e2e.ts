import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { Client } from 'pg';
import { as, type Caller, type DonationBody, errorBody } from '../support/bearer.js';
import { createEvent, createStaff, sql, staffToken } from '../support/fixtures.js';
import { insertDonation } from '../support/donation-rows.js';
import { untilBlocked } from '../support/locks.js';
import { withEvent, withStaff } from '../support/setup.js';
import { enrolTerminal, signInOn, type TerminalFixture } from '../support/terminals.js';

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
const maria = withStaff(evening, { each: true });
const grace = withStaff(evening, { name: 'Grace Hopper', each: true });
let terminal: TerminalFixture;
let staff: Caller;

beforeEach(async () => {
  terminal = await enrolTerminal(app, admin.token, 'Table 4');
  staff = as(app, await signInOn(app, terminal, maria.code, event.id));
});

interface Sum {
  type: string;
  count: number;
  amount: number | null;
}
interface ShiftBody {
  id: string;
  status: string;
  openedAt: string;
  countedAt: string;
  records: { count: number; sums: Sum[] };
  lateRecords: { count: number; sums: Sum[] };
  removedRecords: { count: number; sums: Sum[] };
  expectedAmount: number | null;
  countedAmount: number | null;
  difference: number | null;
}
const open = async (caller: Caller = staff, openingFloat = 10_000) =>
  (await caller.post('/shifts', { openingFloat }).expect(201)).body as ShiftBody;
const record = async (fields: object = {}, caller: Caller = staff) =>
  (
    await caller
      .post('/donations', { amount: 2500, type: 'cash', ...fields })
      .set('Idempotency-Key', randomUUID())
      .expect(201)
  ).body as DonationBody;
const counted = (pieces: Record<number, number>) =>
  Object.entries(pieces).map(([denomination, quantity]) => ({
    denomination: Number(denomination),
    quantity,
  }));
const count = (id: string, pieces: Record<number, number>, fields: object = {}, caller: Caller = staff) =>
  caller.post(`/shifts/${id}/count`, { counts: counted(pieces), ...fields });
const recount = (id: string, pieces: Record<number, number>, fields: object = {}, caller: Caller = staff) =>
  caller.post(`/shifts/${id}/recount`, { counts: counted(pieces), ...fields });
const sign = (id: string, code: string, caller: Caller = staff) =>
  caller.post(`/shifts/${id}/sign`, { code });
const shown = async (id: string, caller: Caller = admin) =>
  (await caller.get(`/shifts/${id}`).expect(200)).body as ShiftBody;
const conflict = (code: string) => errorBody(409, 'Conflict', code);
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();

describe('open shifts', () => {
  it('a shift belongs to one member at one drawer, with its float', async () => {
    expect(await open()).toEqual({
      id: expect.any(String),
      eventId: event.id,
      terminalId: terminal.id,
      terminalName: 'Table 4',
      staffId: maria.id,
      staffName: 'Maria Lopez',
      currency: 'eur',
      openingFloat: 10_000,
      status: 'open',
      openedAt: expect.any(String),
      countedAt: null,
      closedAt: null,
      counts: null,
      bagNumber: null,
      note: null,
      signedBy: null,
      records: { count: 0, sums: [] },
      countedAmount: null,
      expectedAmount: null,
      difference: null,
      recounts: [],
      lateRecords: { count: 0, sums: [] },
      removedRecords: { count: 0, sums: [] },
    });
  });

  it('ten simultaneous requests open one shift of a member on a terminal', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => staff.post('/shifts', { openingFloat: 0 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(conflict('SHIFT_OPEN'));
    // Another member on the same terminal has a separate shift. The same member without a terminal also has a
    // separate shift.
    await open(as(app, await signInOn(app, terminal, grace.code, event.id)));
    await open(as(app, await staffToken(app, maria.code, event.id)));
  });

  it('hides the expected amount of the drawer from staff and shows it to admins', async () => {
    const { id } = await open();
    await record();
    await record({ amount: 700 });
    await record({ type: 'check', amount: 5000 });
    const own = (await staff.get('/shifts/current').expect(200)).body as ShiftBody;
    expect(own).toMatchObject({ id, expectedAmount: null, difference: null });
    expect(own.records).toEqual({
      count: 3,
      sums: [
        { type: 'cash', count: 2, amount: null },
        { type: 'check', count: 1, amount: 5000 },
      ],
    });
    expect(await shown(id)).toMatchObject({
      expectedAmount: 13_200,
      difference: null,
      records: { count: 3, sums: [{ type: 'cash', count: 2, amount: 3200 }, { type: 'check' }] },
    });
    const report = (await staff.get(`/events/${event.slug}/till-report`).expect(200)).body as {
      rows: Sum[];
    };
    expect(report.rows.find(({ type }) => type === 'cash')?.amount).toBeNull();
    // For staff, the sums of lists never include cash, with any filter. They include other kinds.
    const totals = async (caller: Caller, query = '') =>
      (await caller.get(`/donations/totals?eventId=${event.id}${query}`).expect(200)).body as object;
    expect(await totals(staff)).toEqual({
      byCurrency: [expect.objectContaining({ count: 1, amount: 5000 })],
      withoutCash: true,
    });
    expect(await totals(staff, '&type=cash')).toEqual({ byCurrency: [], withoutCash: true });
    expect(await totals(admin)).toEqual({
      byCurrency: [expect.objectContaining({ count: 3, amount: 8200 })],
    });
    await count(id, { 5000: 2, 2000: 1, 1000: 1, 200: 1 }).expect(200);
    expect(await totals(staff)).toEqual(await totals(admin));
  });

  it('other members cannot see, count or sign a shift', async () => {
    const { id } = await open();
    const other = grace;
    const missing = errorBody(404, 'Not Found', 'SHIFT_NOT_FOUND');
    for (const answer of [
      await other.get(`/shifts/${id}`),
      await count(id, {}, {}, other),
      await sign(id, maria.code, other),
      await staff.get(`/shifts/${newId()}`),
      await staff.get('/shifts/garbage'),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(missing);
    }
    expect((await other.get('/shifts').expect(200)).body).toEqual({ data: [] });
    expect((await other.get('/shifts/current').expect(404)).body).toEqual(
      errorBody(404, 'Not Found', 'NO_OPEN_SHIFT'),
    );
    await admin.post('/shifts', { openingFloat: 0 }).expect(403);
  });

  it('a shift contains only records of its member, terminal and period', async () => {
    await record();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { id } = await open();
    await sql(app, "UPDATE shift SET opened_at = now() - interval '1 hour' WHERE id = $1", [id]);
    await record({ amount: 100 });
    await record({ amount: 200, recordedAt: ago(30 * 60_000) });
    await record({ amount: 400, recordedAt: ago(90 * 60_000) });
    await record({ amount: 800 }, grace);
    await record({ amount: 1600 }, maria);
    await record({ amount: 3200, eventId: event.id }, admin);
    expect((await shown(id)).records.sums).toEqual([{ type: 'cash', count: 2, amount: 300 }]);
  });

  it('the server refuses an invalid opening cash amount and invalid counts of a shift', async () => {
    await staff.post('/shifts', { openingFloat: -1 }).expect(400);
    await staff.post('/shifts', { openingFloat: 1.5 }).expect(400);
    const { id } = await open();
    const refused = async (pieces: object[]) =>
      (await staff.post(`/shifts/${id}/count`, { counts: pieces }).expect(400)).body as { code: string };
    expect((await refused([{ denomination: 300, quantity: 1 }])).code).toBe('DENOMINATION_UNKNOWN');
    expect(
      (
        await refused([
          { denomination: 500, quantity: 1 },
          { denomination: 500, quantity: 2 },
        ])
      ).code,
    ).toBe('DENOMINATION_UNKNOWN');
    for (const piece of [
      {},
      { denomination: 500 },
      { denomination: 500, quantity: -1 },
      { denomination: '500', quantity: 1 },
      7,
    ])
      expect((await refused([piece as object])).code).toBe('VALIDATION_FAILED');
    expect((await shown(id)).status).toBe('open');
  });
});

describe('a shift on one terminal', () => {
  it('a shift on one terminal is not the current shift of the member elsewhere', async () => {
    await open();
    const bar = await enrolTerminal(app, admin.token, 'Bar');
    const [atBar, without] = [
      as(app, await signInOn(app, bar, maria.code, event.id)),
      as(app, await staffToken(app, maria.code, event.id)),
    ];
    for (const elsewhere of [atBar, without]) await elsewhere.get('/shifts/current').expect(404);
    const { id } = await open(atBar);
    expect((await atBar.get('/shifts/current').expect(200)).body).toMatchObject({ id });
  });
});

describe('counts of a shift', () => {
  it('a count covers only the currency of the drawer and ignores money in other currencies', async () => {
    const { id } = await open();
    await record();
    const other = await record({ amount: 900 });
    await sql(app, "UPDATE donation SET currency = 'usd' WHERE id = $1", [other.id]);
    expect((await shown(id)).records.sums).toEqual([{ type: 'cash', count: 1, amount: 2500 }]);
    expect((await count(id, { 5000: 2, 2000: 1, 500: 1 }).expect(200)).body).toMatchObject({
      expectedAmount: 12_500,
      difference: 0,
      records: { count: 1, sums: [{ type: 'cash', count: 1, amount: 2500 }] },
    });
    const rows = await sql<{ counted_ids: string[] }>(app, 'SELECT counted_ids FROM shift WHERE id = $1', [
      id,
    ]);
    expect(rows[0]?.counted_ids).not.toContain(other.id);
  });

  it('a count returns the difference to the cent and keeps it when records change later', async () => {
    const { id } = await open();
    await record();
    const wrong = await record({ amount: 700 });
    const check = await record({ type: 'check', amount: 5000 });
    const pledge = await record({ type: 'pledge', amount: 9900 });
    // This record was undone before the count, so the expected amount does not include it.
    await staff.post(`/donations/${wrong.id}/undo`).expect(200);
    const { body } = await count(
      id,
      { 5000: 2, 2000: 1, 200: 2, 50: 1, 1: 3 },
      { bagNumber: 'SB-1', note: 'Torn' },
    );
    expect(body).toMatchObject({
      status: 'counted',
      countedAmount: 12_453,
      expectedAmount: 12_500,
      difference: -47,
      bagNumber: 'SB-1',
      note: 'Torn',
      records: {
        count: 3,
        sums: [
          { type: 'cash', count: 1, amount: 2500 },
          { type: 'check', count: 1, amount: 5000 },
          { type: 'pledge', count: 1, amount: 9900 },
        ],
      },
    });
    expect(
      await sql(app, "SELECT detail FROM audit_entry WHERE action = 'shift.count' AND subject_id = $1", [id]),
    ).toEqual([{ detail: { counted: 12_453, expected: 12_500, currency: 'eur' } }]);
    // The count includes these records. So staff cannot undo them, but an admin can, and the shift shows the change.
    expect((await staff.post(`/donations/${check.id}/undo`).expect(409)).body).toEqual(
      conflict('UNDO_SETTLED'),
    );
    await admin.post(`/donations/${check.id}/undo`).expect(200);
    await admin.post(`/donations/${pledge.id}/fulfil`, { type: 'cash' }).expect(200);
    expect(await shown(id, staff)).toMatchObject({
      difference: -47,
      expectedAmount: 12_500,
      records: { count: 3 },
      lateRecords: { count: 0 },
      removedRecords: {
        count: 2,
        sums: [
          { type: 'check', count: 1, amount: 5000 },
          { type: 'pledge', count: 1, amount: 9900 },
        ],
      },
    });
  });

  it('a repeated count has no effect, and no other count replaces it', async () => {
    const { id } = await open();
    const { body: first } = await count(id, { 500: 20 }).expect(200);
    await record();
    expect((await count(id, { 500: 20 }).expect(200)).body).toEqual(first);
    expect((await count(id, { 500: 21 }).expect(409)).body).toEqual(conflict('SHIFT_COUNTED'));
    expect((await count(id, { 500: 20 }, { note: 'x' }).expect(409)).body).toEqual(conflict('SHIFT_COUNTED'));
  });

  it('a drawer can be counted again before the second signature, and the first count stays unchanged', async () => {
    const { id } = await open();
    await record();
    expect((await recount(id, { 5000: 2 }).expect(409)).body).toEqual(conflict('SHIFT_NOT_COUNTED'));
    const { body: first } = await count(id, {}).expect(200);
    expect(first).toMatchObject({ countedAmount: 0, difference: -12_500, recounts: [] });
    // This record comes after the count, so the expected amount of this drawer does not include it.
    await record({ amount: 300 });
    const again = { bagNumber: 'SB-2', note: 'Counted too early' };
    const { body } = await recount(id, { 5000: 2, 2000: 1 }, again).expect(200);
    expect(body).toEqual({
      ...(first as object),
      recounts: [
        {
          countedAt: expect.any(String),
          counts: [
            { denomination: 5000, quantity: 2 },
            { denomination: 2000, quantity: 1 },
          ],
          countedAmount: 12_000,
          difference: -500,
          ...again,
        },
      ],
    });
    // A repeated request adds no count. Any other request adds a count, even with the same amounts as the first count.
    expect((await recount(id, { 5000: 2, 2000: 1 }, again).expect(200)).body).toEqual(body);
    await recount(id, {}).expect(200);
    await recount(id, { 5000: 2, 2000: 1, 500: 1 }, {}, admin).expect(200);
    expect(((await shown(id)) as object as { recounts: object[] }).recounts).toMatchObject([
      { countedAmount: 12_000, difference: -500 },
      { countedAmount: 0, difference: -12_500 },
      { countedAmount: 12_500, difference: 0 },
    ]);
    expect(
      await sql(
        app,
        "SELECT detail FROM audit_entry WHERE action = 'shift.recount' AND subject_id = $1 ORDER BY id",
        [id],
      ),
    ).toEqual(
      [12_000, 0, 12_500].map((found) => ({ detail: { counted: found, expected: 12_500, currency: 'eur' } })),
    );
    await sign(id, grace.code).expect(200);
    expect((await recount(id, { 500: 1 }).expect(409)).body).toEqual(conflict('SHIFT_CLOSED'));
    expect((await recount(id, { 5000: 2, 2000: 1, 500: 1 }).expect(200)).body).toMatchObject({
      status: 'closed',
    });
  });

  it('the server refuses invalid recounts, recounts of other members and more than twenty recounts', async () => {
    const { id } = await open();
    await count(id, { 500: 20 }).expect(200);
    await recount(id, { 300: 1 }).expect(400);
    await recount(id, { 500: -1 }).expect(400);
    await recount(id, { 500: 1 }, {}, grace).expect(404);
    await recount(newId(), { 500: 1 }).expect(404);
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, index) => recount(id, { 1: index + 1 }).then(({ status }) => status)),
    );
    expect(answers.sort()).toEqual([...Array<number>(20).fill(200), ...Array<number>(5).fill(409)]);
    expect((await recount(id, { 500: 20 }).expect(409)).body).toEqual(conflict('TOO_MANY_RECOUNTS'));
    expect(((await shown(id)) as object as { recounts: object[] }).recounts).toHaveLength(20);
  });

  it('a count lists records separately if they arrive after the count', async () => {
    const { id } = await open();
    await sql(app, "UPDATE shift SET opened_at = now() - interval '1 hour' WHERE id = $1", [id]);
    await record({ amount: 1000 });
    await count(id, { 2000: 5, 1000: 1 }).expect(200);
    await record({ amount: 2000, recordedAt: ago(20 * 60_000) });
    await record({ amount: 3000, type: 'check', recordedAt: ago(10 * 60_000) });
    // This record comes after the count, so it belongs to no shift.
    await record({ amount: 4000 });
    expect(await shown(id)).toMatchObject({
      expectedAmount: 11_000,
      difference: 0,
      records: { count: 1 },
      lateRecords: {
        count: 2,
        sums: [
          { type: 'cash', count: 1, amount: 2000 },
          { type: 'check', count: 1, amount: 3000 },
        ],
      },
    });
  });

  it('a count includes every simultaneous record in the sum or among the late records', async () => {
    const { id } = await open();
    const recording = Promise.all(
      Array.from({ length: 120 }, async (_, i) => {
        await new Promise((resolve) => setTimeout(resolve, i * 3));
        return await record({ amount: 100 });
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { body } = await count(id, { 5000: 2 }).expect(200);
    await recording;
    const late = await shown(id);
    const { countedAt, records, lateRecords } = late;
    expect(late.expectedAmount).toBe(10_000 + records.count * 100);
    expect((body as ShiftBody).expectedAmount).toBe(late.expectedAmount);
    // Records after the count belong to no drawer. A record of the same millisecond may be included or not.
    const [taken] = await sql<{ before: number; with: number }>(
      app,
      `SELECT count(*) FILTER (WHERE created_at < $2)::int AS before, count(*)::int AS with FROM donation
        WHERE event_id = $1 AND created_at <= $2`,
      [event.id, countedAt],
    );
    expect(records.count + lateRecords.count).toBeGreaterThanOrEqual(taken?.before ?? NaN);
    expect(records.count + lateRecords.count).toBeLessThanOrEqual(taken?.with ?? NaN);
    expect(records.count).toBeGreaterThan(0);
    expect(records.count).toBeLessThan(120);
  });

  it('money recorded after the time of a count belongs to no drawer, also while the count is being saved', async () => {
    const pledge = await record({ type: 'pledge', amount: 4000 });
    const { id, openedAt } = await open();
    await record();
    // The count already has its time. Its transaction waits for the lock of the audit log before its commit.
    const log = new Client({ connectionString: app.databaseUrl });
    await log.connect();
    await log.query('BEGIN');
    await log.query('LOCK TABLE audit_entry IN EXCLUSIVE MODE');
    const counting = count(id, { 5000: 2, 2000: 1, 500: 1 }).then(({ body }) => body as ShiftBody);
    await untilBlocked(app);
    const before = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const later = record({ amount: 700 });
    // This record was made before the count, and the service receives it now.
    const late = record({ amount: 900, recordedAt: openedAt });
    const fulfilled = staff.post(`/donations/${pledge.id}/fulfil`, { type: 'cash' }).then();
    await untilBlocked(app, 3);
    await log.end();
    const { countedAt, expectedAmount } = await counting;
    expect(countedAt < before).toBe(true);
    expect(expectedAmount).toBe(12_500);
    expect((await fulfilled).status).toBe(200);
    const [one, other] = await Promise.all([later, late]);
    const rows = await sql<{ id: string; shift_id: string | null }>(
      app,
      'SELECT id, shift_id FROM donation WHERE id = ANY ($1::uuid[]) ORDER BY amount',
      [[one.id, other.id, pledge.id]],
    );
    expect(rows).toEqual([
      { id: one.id, shift_id: null },
      { id: other.id, shift_id: id },
      { id: pledge.id, shift_id: null },
    ]);
    expect(await shown(id)).toMatchObject({
      records: { count: 1 },
      lateRecords: { count: 1, sums: [{ type: 'cash', count: 1, amount: 900 }] },
      removedRecords: { count: 0 },
    });
  });

  it('a count includes pledges paid in cash at this drawer', async () => {
    const pledge = await record({ type: 'pledge', amount: 4000 });
    const { id } = await open();
    await staff.post(`/donations/${pledge.id}/fulfil`, { type: 'cash' }).expect(200);
    expect((await shown(id)).expectedAmount).toBe(14_000);
    expect((await count(id, { 1000: 14 }).expect(200)).body).toMatchObject({ difference: 0 });
  });

  it('the next shift may start before the signature of the last one', async () => {
    const first = await open();
    await count(first.id, { 500: 20 }).expect(200);
    expect((await staff.get('/shifts/current').expect(200)).body).toMatchObject({ id: first.id });
    const second = await open();
    expect((await staff.get('/shifts/current').expect(200)).body).toMatchObject({ id: second.id });
    await record({ amount: 300 });
    expect((await shown(second.id)).records.count).toBe(1);
    expect((await shown(first.id)).records.count).toBe(0);
  });
});

describe('second signature of a shift', () => {
  const refused = errorBody(403, 'Forbidden', 'SIGNATURE_REFUSED');

  it('the second signature is the PIN of another member of the event', async () => {
    const { id } = await open();
    expect((await sign(id, grace.code).expect(409)).body).toEqual(conflict('SHIFT_NOT_COUNTED'));
    await count(id, { 500: 20 }).expect(200);
    const outsider = await createStaff(app, admin.token, (await createEvent(app, admin.token)).id);
    for (const code of [maria.code, outsider.code, '99999999'])
      expect((await sign(id, code).expect(403)).body).toEqual(refused);
    expect((await sign(id, grace.code).expect(200)).body).toMatchObject({
      status: 'closed',
      closedAt: expect.any(String),
      signedBy: { id: grace.id, name: 'Grace Hopper' },
    });
    expect(
      await sql(app, "SELECT detail FROM audit_entry WHERE action = 'shift.close' AND subject_id = $1", [id]),
    ).toEqual([{ detail: { signedBy: grace.id } }]);
    // Another request with any PIN does not change a closed shift.
    expect((await sign(id, '99999999').expect(200)).body).toMatchObject({ signedBy: { id: grace.id } });
  });

  it('wrong second signatures are limited like sign-ins, without blocking other members', async () => {
    const { id } = await open();
    await count(id, { 500: 20 }).expect(200);
    const statuses: number[] = [];
    for (let guess = 0; guess < 7; guess++) statuses.push((await sign(id, '99999999')).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429, 429]);
    await sign(id, grace.code).expect(429);
    await signInOn(app, terminal, grace.code, event.id);
    await staffToken(app, maria.code, event.id);
  });

  it('two simultaneous signatures close the shift once', async () => {
    const { id } = await open();
    await count(id, { 500: 20 }).expect(200);
    const third = await createStaff(app, admin.token, event.id, 'Ada');
    const answers = await Promise.all([sign(id, grace.code), sign(id, third.code)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0].body).toEqual(answers[1].body);
  });

  it('an admin can count the shift of an absent member, and another member signs it', async () => {
    const { id } = await open();
    await count(id, { 500: 20 }, {}, admin).expect(200);
    expect((await sign(id, maria.code, admin).expect(403)).body).toEqual(refused);
    await sign(id, grace.code, admin).expect(200);
  });

  it('the second signature is accepted after the event was archived', async () => {
    const { id } = await open();
    await count(id, { 500: 20 }).expect(200);
    await admin.patch(`/events/${event.id}`, { status: 'archived' }).expect(200);
    expect((await sign(id, maria.code, admin).expect(403)).body).toEqual(refused);
    expect((await sign(id, grace.code, admin).expect(200)).body).toMatchObject({
      status: 'closed',
      signedBy: { id: grace.id },
    });
    // At this event no member can sign in, so no member can sign the count there.
    await app.http.post('/auth/staff/login').send({ code: grace.code, eventId: event.id }).expect(401);
  });
});

describe('events with shifts', () => {
  it('an event with shifts is archived instead of deleted, also when a shift opens meanwhile', async () => {
    const { id } = await open();
    const refused = async () =>
      expect((await admin.delete(`/events/${event.id}`).expect(409)).body).toEqual(
        conflict('EVENT_HAS_SHIFTS'),
      );
    await refused();
    await count(id, { 500: 20 }).expect(200);
    await sign(id, grace.code).expect(200);
    await refused();
    expect(await shown(id)).toMatchObject({ status: 'closed' });
    await admin.patch(`/events/${event.id}`, { status: 'archived' }).expect(200);
    for (let round = 0; round < 5; round++) {
      const other = await createEvent(app, admin.token);
      const caller = as(app, (await createStaff(app, admin.token, other.id)).token);
      const [opened, deleted] = await Promise.all([
        caller.post('/shifts', { openingFloat: 100 }),
        admin.delete(`/events/${other.id}`),
      ]);
      expect([201, 401, 403, 404]).toContain(opened.status);
      expect(deleted.status).toBe(opened.status === 201 ? 409 : 200);
    }
  });
});

describe('currency of an event with shifts', () => {
  const change = (currency: string) => admin.patch(`/events/${event.id}`, { currency });

  it('the currency cannot change while a drawer is open or unsigned, because float and cash would have two currencies', async () => {
    const { id } = await open();
    expect((await change('usd').expect(409)).body).toEqual(conflict('EVENT_CURRENCY_FIXED'));
    const settings = `/events/${event.id}/settings`;
    expect((await admin.patch(settings, { payment: { currency: 'usd' } }).expect(409)).body).toEqual(
      conflict('EVENT_CURRENCY_FIXED'),
    );
    // The service adds money that is recorded now to this drawer, which is counted but not closed.
    const taken = await record();
    expect(taken.currency).toBe('eur');
    expect(await shown(id)).toMatchObject({ expectedAmount: 12_500, records: { count: 1 } });
  });

  it('the currency may change once the drawer is closed', async () => {
    const { id } = await open();
    await count(id, { 500: 20 }).expect(200);
    await change('usd').expect(409);
    await sign(id, grace.code).expect(200);
    await change('usd').expect(200);
    expect(await shown((await open()).id)).toMatchObject({ currency: 'usd' });
  });

  it('a drawer opened during a change of currency has the currency of the event', async () => {
    for (const currency of ['usd', 'gbp', 'chf', 'eur']) {
      const [changed, opened] = await Promise.all([
        change(currency),
        staff.post('/shifts', { openingFloat: 0 }),
      ]);
      expect(opened.status).toBe(201);
      expect([200, 409]).toContain(changed.status);
      const shift = opened.body as ShiftBody & { currency: string };
      const { body } = await admin.get(`/events/${event.id}`).expect(200);
      expect(shift.currency).toBe((body as { currency: string }).currency);
      await count(shift.id, {}).expect(200);
      await sign(shift.id, grace.code).expect(200);
    }
  });
});

describe('till report', () => {
  it('the till report groups records by terminal, member, kind and status, and lists the shifts', async () => {
    const { id } = await open();
    await record();
    await record({ amount: 1500 });
    const wrong = await record({ amount: 99 });
    await staff.post(`/donations/${wrong.id}/undo`).expect(200);
    await record({ type: 'pledge', amount: 5000 });
    await record({ type: 'check', amount: 700 }, grace);
    await record({ amount: 100, eventId: event.id }, admin);
    await insertDonation(app, event.id, { type: 'card', amount: 9900 });
    const { body } = await admin.get(`/events/${event.id}/till-report`).expect(200);
    const atTable = {
      terminalId: terminal.id,
      terminalName: 'Table 4',
      staffId: maria.id,
      staffName: 'Maria Lopez',
    };
    const report = body as { currency: string; rows: object[]; shifts: { id: string }[] };
    expect(report.currency).toBe('eur');
    expect(report.rows).toEqual(
      expect.arrayContaining([
        { ...atTable, type: 'cash', status: 'COMPLETED', count: 2, amount: 4000 },
        { ...atTable, type: 'cash', status: 'CANCELLED', count: 1, amount: 99 },
        { ...atTable, type: 'pledge', status: 'PENDING', count: 1, amount: 5000 },
        {
          terminalId: null,
          terminalName: null,
          staffId: grace.id,
          staffName: 'Grace Hopper',
          type: 'check',
          status: 'COMPLETED',
          count: 1,
          amount: 700,
        },
        {
          terminalId: null,
          terminalName: null,
          staffId: null,
          staffName: null,
          type: 'cash',
          status: 'COMPLETED',
          count: 1,
          amount: 100,
        },
      ]),
    );
    expect(report.rows).toHaveLength(5);
    expect(report.shifts.map((shift) => shift.id)).toEqual([id]);
    const own = (await grace.get(`/events/${event.id}/till-report`).expect(200)).body as typeof report;
    expect(own.rows).toHaveLength(1);
    expect(own.shifts).toEqual([]);
    await staff.get(`/events/${(await createEvent(app, admin.token)).id}/till-report`).expect(404);
  });

  it('the server lists shifts by event and status, open ones first', async () => {
    const first = await open();
    await count(first.id, { 500: 20 }).expect(200);
    const second = await open();
    const list = async (query: string) =>
      ((await admin.get(`/shifts?${query}`).expect(200)).body as { data: { id: string }[] }).data.map(
        ({ id }) => id,
      );
    expect(await list(`eventId=${event.slug}`)).toEqual([second.id, first.id]);
    expect(await list(`eventId=${event.id}&status=counted`)).toEqual([first.id]);
    await admin.get('/shifts?status=lost').expect(400);
    await admin.get(`/shifts?eventId=${newId()}`).expect(404);
  });
});
