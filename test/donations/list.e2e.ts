import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as, type Caller, type DonationBody, errorBody, type ListBody } from '../support/bearer.js';
import { createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { insertManyDonations } from '../support/donation-rows.js';
import { withEvent, withStaff } from '../support/setup.js';

const evening = withEvent();
const { app, admin, event } = evening;
const member = withStaff(evening, { name: 'Maria' });
const colleague = withStaff(evening, { name: 'Alan' });
let other: EventFixture;
const donations: DonationBody[] = [];

beforeAll(async () => {
  other = await createEvent(app, admin.token);
  const record = async (caller: Caller, fields: object) => {
    const { body } = await caller.post('/donations', { type: 'cash', ...fields }).expect(201);
    donations.push(body as DonationBody);
  };
  for (let i = 0; i < 30; i++)
    await record(as(app, i % 3 === 0 ? colleague.token : member.token), {
      amount: 100 * (1 + (i % 5)),
      donorName: `Donor ${i}`,
      donorEmail: i % 2 ? `donor-${i}@Example.org` : undefined,
      type: i % 10 === 0 ? 'pledge' : 'cash',
    });
  await record(admin, { amount: 7, eventId: other.id, donorName: '100%_sure\\' });
});

const list = async (query = '', caller: Caller = admin) =>
  (await caller.get(`/donations${query}`).expect(200)).body as ListBody;
const ids = (donations: readonly DonationBody[]) => donations.map(({ id }) => id);
const newestFirst = (donations: readonly DonationBody[]) => ids(donations).sort().reverse();

describe('GET /donations', () => {
  it('returns a page of donations, newest first, with every field', async () => {
    const page = await list();
    expect(page).toEqual({ data: expect.any(Array), total: 31, limit: 50, offset: 0, nextCursor: null });
    expect(ids(page.data)).toEqual(newestFirst(donations));
    expect(page.data.find(({ id }) => id === donations[3]?.id)).toEqual(donations[3]);
  });

  it('pages donations by limit and offset', async () => {
    const page = await list('?limit=10&offset=25');
    expect(page).toMatchObject({ limit: 10, offset: 25, total: 31 });
    expect(ids(page.data)).toEqual(newestFirst(donations).slice(25));
  });

  it.each(['', '&sort=createdAt', '&sort=amount', '&sort=-amount', '&sort=updatedAt', '&sort=-updatedAt'])(
    'pages donations by cursor without gap or repetition%s',
    async (sort) => {
      const whole = ids((await list(`?limit=200${sort}`)).data);
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: ListBody = await list(`?limit=4${sort}${cursor && `&cursor=${cursor}`}`);
        seen.push(...ids(page.data));
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(whole);
      expect(new Set(seen).size).toBe(31);
    },
  );

  it('the donation list refuses a cursor of another sort order and an invented cursor', async () => {
    const { nextCursor } = await list('?limit=4');
    for (const cursor of [
      `${nextCursor ?? ''}&sort=amount`,
      'abc',
      Buffer.from("-createdAt|' OR 1=1").toString('base64url'),
    ])
      expect((await admin.get(`/donations?cursor=${cursor}`).expect(400)).body).toEqual(
        errorBody(400, 'Bad Request', 'CURSOR_INVALID'),
      );
  });

  it('filters donations by event id and by slug', async () => {
    expect((await list(`?eventId=${other.id}`)).total).toBe(1);
    expect((await list(`?eventId=${other.slug}`)).total).toBe(1);
    await admin.get(`/donations?eventId=${newId()}`).expect(404);
  });

  it('filters donations by status, type and staff member, alone and together', async () => {
    expect((await list('?status=PENDING')).total).toBe(3);
    expect((await list('?type=pledge')).total).toBe(3);
    expect((await list('?status=COMPLETED&type=pledge')).total).toBe(0);
    expect((await list(`?staffId=${colleague.id}`)).total).toBe(10);
    expect((await list(`?staffId=${colleague.id}&status=COMPLETED&eventId=${event.slug}`)).total).toBe(9);
  });

  it.each(['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'REFUNDED'])(
    'filters donations by the status %s',
    async (status) => {
      const { data } = await list(`?status=${status}`);
      expect(data.every((one) => one.status === status)).toBe(true);
    },
  );

  it('filters donations by the time of the last change, and sorts by it', async () => {
    const [target] = (await list('?limit=1&sort=createdAt')).data;
    await admin.patch(`/donations/${target?.id ?? ''}`, { message: 'Changed later' }).expect(200);
    const [newest] = (await list('?limit=1&sort=-updatedAt')).data;
    expect(newest?.id).toBe(target?.id);
    const changed = await list(`?updatedFrom=${newest?.updatedAt ?? ''}`);
    expect(ids(changed.data)).toEqual([target?.id]);
    const others = await list(`?updatedTo=${newest?.updatedAt ?? ''}&limit=200`);
    expect(others.total).toBe(30);
    expect(ids(others.data)).not.toContain(target?.id);
  });

  it('filters donations by time, with from inclusive and to exclusive', async () => {
    const [first, , third] = donations;
    const { data } = await list(`?from=${first?.createdAt}&to=${third?.createdAt}`);
    expect(ids(data)).toContain(first?.id);
    expect(ids(data)).not.toContain(third?.id);
  });

  it('searches part of the donor name or e-mail in any case, and treats LIKE wildcards as text', async () => {
    expect((await list('?search=DONOR-7@')).total).toBe(1);
    expect((await list('?search=onor%201')).total).toBe(11);
    expect((await list(`?search=${encodeURIComponent('100%_SURE\\')}`)).total).toBe(1);
    expect((await list(`?search=${encodeURIComponent('%')}`)).total).toBe(1);
    expect((await list('?search=')).total).toBe(31);
  });

  it.each([
    'status=DONE',
    'type=bitcoin',
    'limit=0',
    'limit=1001',
    'limit=ten',
    'limit=1.5',
    'offset=-1',
    'limit=1&limit=2',
    'status=PENDING&status=FAILED',
    'search=a&search=b',
    'search[not]=',
    'from=yesterday',
    'to=2026-02-31',
    'sort=donorEmail',
    'staffId=7',
    'unknown=1',
  ])('the donation list answers 400 to ?%s', async (query) => {
    expect((await admin.get(`/donations?${query}`).expect(400)).body).toEqual(
      errorBody(400, 'Bad Request', 'VALIDATION_FAILED'),
    );
  });

  it('shows staff only their own donations', async () => {
    const own = await list('', member);
    expect(own.total).toBe(20);
    expect(own.data.every(({ staffId }) => staffId === member.id)).toBe(true);
    expect((await list(`?staffId=${colleague.id}`, member)).total).toBe(0);
    await member.get(`/donations?eventId=${other.id}`).expect(404);
  });

  it('the donation list refuses requests without a token', async () => {
    await app.http.get('/donations').expect(401);
  });

  it('the donation list has an estimated total if counting costs more than the page', async () => {
    await insertManyDonations(app, other.id, 12_000);
    await sql(app, 'ANALYZE donation');
    const page = await list(`?eventId=${other.id}&limit=1`);
    expect(page.totalIsEstimate).toBe(true);
    expect(page.total).toBeGreaterThan(10_000);
    expect((await list(`?eventId=${event.id}`)).totalIsEstimate).toBeUndefined();
  });

  it('the donation list counts search results up to a limit and estimates the total beyond it', async () => {
    // The twelve thousand donors have the names Donor 1, Donor 2, ….
    const rare = await list(`?eventId=${other.id}&search=nor%2011999`);
    expect(rare).toMatchObject({ total: 1 });
    expect(rare.totalIsEstimate).toBeUndefined();
    expect(rare.data).toHaveLength(1);
    const some = await list(`?eventId=${other.id}&search=nor%20119&limit=5`);
    expect(some).toMatchObject({ total: 111 });
    expect(some.totalIsEstimate).toBeUndefined();
    const common = await list(`?eventId=${other.id}&search=ono&limit=5`);
    expect(common.totalIsEstimate).toBe(true);
    expect(common.total).toBeGreaterThan(500);
    // An answer for a page after the last one still contains the exact total.
    expect(await list(`?eventId=${other.id}&search=nor%20119&limit=5&offset=500`)).toMatchObject({
      total: 111,
      data: [],
    });
  });

  it('the donation list returns only the requested fields, and the cursor still works', async () => {
    const { data, nextCursor, total } = await list(
      `?eventId=${event.id}&fields=amount,recordedAt,donorName,refundPending&limit=4&sort=amount`,
    );
    expect(total).toBe(30);
    for (const one of data) expect(Object.keys(one).sort()).toEqual(['amount', 'donorName', 'recordedAt']);
    const whole = await list(`?eventId=${event.id}&limit=8&sort=amount`);
    const rest = await list(`?eventId=${event.id}&fields=id&limit=4&sort=amount&cursor=${nextCursor}`);
    expect(rest.data).toEqual(whole.data.slice(4).map(({ id }) => ({ id })));
    for (const [at, one] of data.entries()) expect(whole.data[at]).toMatchObject(one);
  });

  it('the donation list returns each single field as in the whole donation, and refuses unknown field names', async () => {
    const [whole] = (await list(`?eventId=${event.id}&limit=1`)).data;
    for (const [field, value] of Object.entries(whole ?? {}))
      expect((await list(`?eventId=${event.id}&limit=1&fields=${field}`)).data).toEqual([{ [field]: value }]);
    for (const fields of ['', 'donor_name', 'id,donorKey', 'id;amount', '*', 'id&fields=amount']) {
      const { body } = await admin.get(`/donations?fields=${fields}`).expect(400);
      expect(body).toMatchObject(errorBody(400, 'Bad Request', 'VALIDATION_FAILED'));
    }
  });
});

// The rules for lower case differ between alphabets, and between PostgreSQL and JavaScript.
it.each(['İbrahim Öztürk', 'ΓΙΩΡΓΟΣ ΠΑΠΠΑΣ', 'Ælfgifu STRAẞE'])(
  'a search finds the donor name %s as written',
  async (donorName) => {
    const slug = `names-${newId()}`;
    await admin.post('/events', { name: 'Names', slug, goalAmount: 0 }).expect(201);
    await admin.post('/donations', { amount: 100, type: 'cash', eventId: slug, donorName }).expect(201);
    const search = encodeURIComponent(donorName);
    expect((await list(`?eventId=${slug}&search=${search}`)).total).toBe(1);
    const { body } = await admin.get(`/donations/totals?eventId=${slug}&search=${search}`).expect(200);
    expect(body).toMatchObject({ byCurrency: [{ count: 1, amount: 100 }] });
    const { text } = await admin.get(`/donations/export?eventId=${slug}&search=${search}`).expect(200);
    expect(text).toContain(donorName);
    const { body: donors } = await admin.get(`/donors?search=${search}`).expect(200);
    expect(donors).toMatchObject({ data: [{ name: donorName }] });
  },
);
