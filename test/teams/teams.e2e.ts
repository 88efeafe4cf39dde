import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../src/common/crypto/ids.js';
import { as } from '../support/bearer.js';
import { csvObjects } from '../export/parse-csv.js';
import { createEvent, createStaff, type EventFixture, sql, type StaffFixture } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';
import { until } from '../support/until.js';

interface Team {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly number: number | null;
  readonly raised: number;
  readonly gifts: number;
  readonly givers: number;
}
interface Row {
  readonly slug: string;
  readonly rank: number | null;
  readonly raised: number | null;
  readonly gifts: number | null;
  readonly hasBegun: boolean;
}

const app = withService(startPaymentsApp);
const admin = withAdmin(app);
let event: EventFixture;
let staff: StaffFixture;
beforeAll(async () => {
  event = await createEvent(app, admin.token);
  staff = await createStaff(app, admin.token, event.id);
});

const create = async (fields: object, ref = event.id) =>
  (await admin.post(`/events/${ref}/teams`, { kind: 'table', ...fields }).expect(201)).body as Team;
const listed = async (ref = event.id) =>
  ((await admin.get(`/events/${ref}/teams`).expect(200)).body as { data: Team[] }).data;
const board = async (ref = event.slug, by = 'raised') =>
  ((await app.http.get(`/events/${ref}/board`).query({ by }).expect(200)).body as { data: Row[] }).data;
const rowOf = async (slug: string) => (await board()).find((row) => row.slug === slug);
const give = async (teamId: string, fields: object = {}) =>
  (
    await admin
      .post('/donations', {
        eventId: event.id,
        type: 'cash',
        amount: 10_000,
        donorName: 'Ada',
        teamId,
        ...fields,
      })
      .expect(201)
  ).body as { id: string; teamId: string };
const exact = async (id: string, raised: number) => {
  await until(async () => (await listed()).find((team) => team.id === id)?.raised === raised, `${raised}`);
};

describe('teams', () => {
  it('are added, changed, listed by number and deleted', async () => {
    const { id } = await createEvent(app, admin.token);
    const loud = await create({ name: 'Die Lauten Ötzis', kind: 'team' }, id);
    expect(loud).toMatchObject({ slug: 'die-lauten-otzis', number: null, raised: 0, gifts: 0, givers: 0 });
    await create({ name: 'Twelve', number: 12, seats: 8 }, id);
    expect((await listed(id)).map(({ name }) => name)).toEqual(['Twelve', 'Die Lauten Ötzis']);
    const { body } = await admin
      .patch(`/teams/${loud.id}`, { seats: 9, expected: { seats: null } })
      .expect(200);
    expect(body).toMatchObject({ seats: 9, name: loud.name });
    await admin.patch(`/teams/${loud.id}`, { seats: 4, expected: { seats: null } }).expect(409);
    await admin.delete(`/teams/${loud.id}`).expect(200);
    expect(await listed(id)).toHaveLength(1);
  });

  it('can be sixty tables at once, and a repeat adds only the missing ones', async () => {
    const { id } = await createEvent(app, admin.token);
    await create({ name: 'Head table', number: 3 }, id);
    for (const count of [60, 60, 62])
      await admin.post(`/events/${id}/teams/tables`, { count, name: 'Table', seats: 10 }).expect(201);
    const teams = await listed(id);
    expect(teams).toHaveLength(62);
    expect(teams.slice(0, 4).map(({ name }) => name)).toEqual([
      'Table 1',
      'Table 2',
      'Head table',
      'Table 4',
    ]);
  });

  it('can be the tables of the guest list, with as many seats as guests', async () => {
    const { id } = await createEvent(app, admin.token);
    await create({ name: 'Gold', seats: 12 }, id);
    await create({ name: 'Head table', number: 3 }, id);
    const tables = ['10', ' 2', '2 ', 'gold', '3', 'Silver', 'silver', 'Größe', null];
    for (const [index, table] of tables.entries())
      await admin.post(`/events/${id}/guests`, { name: `Guest ${index}`, table }).expect(201);
    for (let time = 0; time < 2; time++)
      await admin.post(`/events/${id}/teams/tables-of-guests`, { name: 'Table' }).expect(201);
    const teams = (await listed(id)) as (Team & { seats: number | null })[];
    expect(teams.map(({ name, slug, seats }) => [name, slug, seats])).toEqual([
      ['Table 2', 'table-2', 2],
      ['Head table', 'table-3', null],
      ['Table 10', 'table-10', 1],
      ['Gold', 'gold', 12],
      ['Größe', 'gro-e', 1],
      ['Silver', 'silver', 2],
    ]);
  });

  it('get another address if the wanted one is taken, so that the others are added too', async () => {
    const { id } = await createEvent(app, admin.token);
    await create({ name: 'Odd', kind: 'team', slug: 'table-2' }, id);
    await admin.post(`/events/${id}/teams/tables`, { count: 3, name: 'Table' }).expect(201);
    const teams = await listed(id);
    expect(teams.map(({ name }) => name)).toEqual(['Table 1', 'Table 2', 'Table 3', 'Odd']);
    expect(teams[1]?.slug).toMatch(/^table-[\da-f]{8}$/);
  });

  it.each([
    ['kind', { name: 'A', kind: 'family' }],
    ['slug', { name: 'A', slug: 'Table 1' }],
    ['number', { name: 'A', number: 0 }],
    ['seats', { name: 'A', seats: 1_001 }],
    ['goalAmount', { name: 'A', goalAmount: 0 }],
    ['name', { name: 'x'.repeat(61) }],
  ])('with a wrong %s are refused by the name of the field', async (field, body) => {
    const refused = await admin.post(`/events/${event.id}/teams`, { kind: 'table', ...body }).expect(400);
    expect((refused.body as { fields: { field: string }[] }).fields.map((one) => one.field)).toEqual([field]);
  });

  it('with the number or address of another one are refused', async () => {
    await create({ name: 'Ninety', number: 90 });
    for (const fields of [{ number: 90 }, { slug: 'table-90' }]) {
      const { body } = await admin
        .post(`/events/${event.id}/teams`, { name: 'Other', kind: 'table', ...fields })
        .expect(409);
      expect(body).toMatchObject({ code: 'TEAM_TAKEN' });
    }
  });

  it('with donations are not deleted, but can leave the board', async () => {
    const { id, slug } = await create({ name: 'Kept', kind: 'team' });
    await give(id);
    const { body } = await admin.delete(`/teams/${id}`).expect(409);
    expect(body).toMatchObject({ code: 'TEAM_HAS_DONATIONS' });
    await admin.patch(`/teams/${id}`, { isListed: false }).expect(200);
    expect(await rowOf(slug)).toBeUndefined();
  });

  it('of another event are unknown to a record, a correction and a checkout', async () => {
    const other = await createEvent(app, admin.token);
    const { id, slug } = await create({ name: 'Elsewhere', kind: 'team' }, other.id);
    const record = { eventId: event.id, type: 'cash', amount: 500, teamId: id };
    expect((await admin.post('/donations', record).expect(404)).body).toMatchObject({
      code: 'TEAM_NOT_FOUND',
    });
    const own = await create({ name: 'Own', kind: 'team' });
    const given = await give(own.id);
    await admin.patch(`/donations/${given.id}`, { teamId: id }).expect(404);
    const intent = { amount: 500, currency: 'eur', metadata: { eventId: event.id, team: slug } };
    const { body } = await app.http
      .post('/donations/intent')
      .send({ provider: 'stripe', ...intent })
      .expect(400);
    expect(body).toMatchObject({ code: 'UNKNOWN_TEAM' });
  });
});

describe('the donations of a team', () => {
  it('are those of a till, of the donate page and of the table of a raised paddle', async () => {
    const team = await create({ name: 'Table 41', number: 41 });
    await admin.post(`/events/${event.id}/guests`, { name: 'Mary', table: '41', paddle: '410' }).expect(201);
    const till = await as(app, staff.token)
      .post('/donations', { type: 'cash', amount: 1_000, teamId: team.id })
      .expect(201);
    expect(till.body).toMatchObject({ teamId: team.id });
    const paddle = await admin
      .post('/donations', { eventId: event.id, type: 'pledge', amount: 2_000, paddle: '410' })
      .expect(201);
    expect(paddle.body).toMatchObject({ teamId: team.id });
    const { body } = await app.http
      .post('/donations/intent')
      .send({
        provider: 'stripe',
        amount: 3_000,
        currency: 'eur',
        metadata: { eventId: event.id, team: team.slug },
      })
      .expect(201);
    const { donationId } = body as { donationId: string };
    expect((await admin.get('/donations').query({ teamId: team.id }).expect(200)).body).toMatchObject({
      data: [{ id: donationId, teamId: team.id }, { teamId: team.id }, { teamId: team.id }],
    });
    // A pledge and an unpaid payment are no received money.
    await exact(team.id, 1_000);
  });

  it('move with a correction, shrink with a refund, and are named in the history and the CSV', async () => {
    const [from, to] = [
      await create({ name: 'From', kind: 'team' }),
      await create({ name: 'To', kind: 'team' }),
    ];
    const given = await give(from.id, { amount: 7_000 });
    await exact(from.id, 7_000);
    await admin.patch(`/donations/${given.id}`, { teamId: to.id, expected: { teamId: from.id } }).expect(200);
    await exact(to.id, 7_000);
    await exact(from.id, 0);
    const { body } = await admin.get(`/donations/${given.id}/history`).expect(200);
    expect(JSON.stringify(body)).toContain('teamId');
    const { text } = await admin.get('/donations/export').query({ teamId: to.id }).expect(200);
    expect(csvObjects(text.slice(1))).toMatchObject([{ id: given.id, team: 'To' }]);
    await admin.patch(`/donations/${given.id}`, { teamId: null }).expect(200);
    await exact(to.id, 0);
  });
});

describe('the donate page of a team', () => {
  it('names the team also while the database does not answer', async () => {
    const { slug } = await create({ name: 'Table <of honour>', kind: 'team' });
    const page = async () =>
      (await app.http.get(`/donate/${event.slug}`).query({ team: slug }).expect(200)).text;
    expect(await page()).toContain('Table &lt;of honour&gt;');
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query('BEGIN; LOCK TABLE team IN ACCESS EXCLUSIVE MODE');
    try {
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      const began = performance.now();
      expect(await page()).toContain('Table &lt;of honour&gt;');
      expect(performance.now() - began).toBeLessThan(1_000);
    } finally {
      await client.query('ROLLBACK');
      await client.end();
    }
  });
});

describe('GET /events/:slug/board', () => {
  it('shows the figures of a team only from three donors on, rounded down', async () => {
    const { id, slug } = await create({ name: 'Three', kind: 'team' });
    await give(id, { amount: 12_300 });
    await exact(id, 12_300);
    expect(await rowOf(slug)).toMatchObject({ rank: null, raised: null, gifts: null, hasBegun: true });
    await give(id, { amount: 12_300, donorEmail: 'ada@example.org' });
    // The same donor again is no third donor.
    await give(id, { amount: 12_300, donorEmail: 'ada@example.org' });
    await exact(id, 36_900);
    expect(await rowOf(slug)).toMatchObject({ raised: null, gifts: null });
    await give(id, { amount: 12_300, donorName: 'Grace' });
    await exact(id, 49_200);
    await until(async () => (await rowOf(slug))?.gifts === 4, 'the figures');
    expect(await rowOf(slug)).toMatchObject({ raised: 45_000, gifts: 4, rank: expect.any(Number) });
  });

  it('does not move with a donation without a public name, with its refund or with its correction', async () => {
    const { id, slug } = await create({ name: 'Secret', kind: 'team' });
    for (const donorName of ['Ada', 'Grace', 'Mary']) await give(id, { donorName });
    await exact(id, 30_000);
    await until(async () => (await rowOf(slug))?.raised === 30_000, 'the named donations');
    const secret = await give(id, { amount: 50_000, isAnonymous: true });
    await give(id, { amount: 60_000, isAmountHidden: true });
    await exact(id, 140_000);
    expect(await rowOf(slug)).toMatchObject({ raised: 30_000, gifts: 3 });
    await admin.post(`/donations/${secret.id}/undo`, { reason: 'typed twice' });
    await admin.post(`/donations/${secret.id}/cancel`, { reason: 'typed twice' });
    await exact(id, 90_000);
    expect(await rowOf(slug)).toMatchObject({ raised: 30_000, gifts: 3 });
    await give(id, { amount: 5_000, donorName: 'Joan' });
    await until(async () => (await rowOf(slug))?.raised === 35_000, 'the next named donation alone');
  });

  it('adds three such donations together, at a later moment, and all of them when the event has ended', async () => {
    const own = await createEvent(app, admin.token);
    const { id, slug } = await create({ name: 'Bundle', kind: 'team' }, own.id);
    const secret = (amount: number) =>
      admin.post('/donations', { eventId: own.id, type: 'cash', amount, teamId: id }).expect(201);
    await secret(10_000);
    await secret(20_000);
    const waiting = () =>
      sql<{ due: boolean }>(app, 'SELECT shown_from IS NOT NULL AS due FROM team_gift WHERE team_id = $1', [
        id,
      ]);
    await until(async () => (await waiting()).length === 2, 'two donations');
    expect((await waiting()).map(({ due }) => due)).toEqual([false, false]);
    await secret(30_000);
    await until(async () => (await waiting()).length === 3, 'three donations');
    expect((await waiting()).map(({ due }) => due)).toEqual([true, true, true]);
    expect((await board(own.slug))[0]).toMatchObject({ slug, raised: null, hasBegun: false });
    const [moment] = await sql<{ least: number; moments: number }>(
      app,
      `SELECT extract(epoch FROM min(shown_from) - now())::float8 AS least, count(DISTINCT shown_from)::int AS moments
       FROM team_gift WHERE team_id = $1`,
      [id],
    );
    expect(moment?.moments).toBe(1);
    expect(moment?.least).toBeGreaterThan(60);
    await secret(40_000);
    await sql(app, 'UPDATE team_gift SET shown_from = now() WHERE team_id = $1 AND shown_from IS NOT NULL', [
      id,
    ]);
    await until(async () => (await board(own.slug))[0]?.raised === 60_000, 'the bundle without the fourth');
    await admin.patch(`/events/${own.id}`, { status: 'closed' }).expect(200);
    await until(async () => (await board(own.slug))[0]?.raised === 100_000, 'everything');
  });

  it('orders by the wanted figure, finds a former address, and is unknown for a draft', async () => {
    await app.http.get(`/events/${event.slug}/board`).query({ by: 'luck' }).expect(400);
    await app.http.get(`/events/${newId()}/board`).expect(404);
    const draft = await createEvent(app, admin.token, { status: 'draft' });
    await app.http.get(`/events/${draft.slug}/board`).expect(404);
    const renamed = await create({ name: 'Renamed', kind: 'team' });
    await admin.patch(`/teams/${renamed.id}`, { slug: 'new-name' }).expect(200);
    const pay = (team: string) =>
      app.http
        .post('/donations/intent')
        .send({ provider: 'stripe', amount: 700, currency: 'eur', metadata: { eventId: event.id, team } });
    await pay('renamed').expect(201);
    await pay('new-name').expect(201);
    await sql(app, "UPDATE team_old_slug SET kept_until = now() - interval '1 day'");
    await pay('renamed').expect(400);
  });
});
