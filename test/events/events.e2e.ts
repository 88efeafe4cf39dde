import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { as } from '../support/bearer.js';
import { createEvent, createStaff, sql } from '../support/fixtures.js';
import { insertDonation } from '../support/donation-rows.js';
import { withAdmin, withService } from '../support/setup.js';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const app = withService();
const admin = withAdmin(app);

const slugOf = (word: string) => `${word}-${newId()}`;

/** Stores a completed donation, as the donation service would. */
async function addDonation(eventId: string, amount: number, currency = 'eur', shard = 0): Promise<void> {
  await insertDonation(app, eventId, { amount, currency });
  await sql(
    app,
    `INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count) VALUES ($1, $2, $3, $4, 1)
     ON CONFLICT (event_id, currency, shard) DO UPDATE SET
       total_raised = event_total.total_raised + excluded.total_raised,
       donor_count = event_total.donor_count + excluded.donor_count`,
    [eventId, currency, shard, amount],
  );
}

const patch = (ref: string, body: object) => admin.patch(`/events/${ref}`, body);

describe('POST /events', () => {
  it('creating an event returns 201 with every field', async () => {
    const slug = slugOf('gala');
    const { body } = await admin
      .post('/events', { name: 'Summer Gala', slug, goalAmount: 1_000_000 })
      .expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      slug,
      name: 'Summer Gala',
      date: expect.stringMatching(ISO),
      description: '',
      goalAmount: 1_000_000,
      currency: 'eur',
      status: 'active',
      createdAt: expect.stringMatching(ISO),
    });
    expect((body as { date: string }).date).toBe((body as { createdAt: string }).createdAt);
  });

  it('a new event may have description, date, status and currency', async () => {
    const { body } = await admin
      .post('/events', {
        name: ' Winter Run ',
        slug: slugOf('run'),
        goalAmount: 0,
        description: 'Five\nkilometres',
        date: '2027-01-15T10:00:00+01:00',
        status: 'draft',
        currency: 'JPY',
      })
      .expect(201);
    expect(body).toMatchObject({
      name: 'Winter Run',
      goalAmount: 0,
      description: 'Five\nkilometres',
      date: '2027-01-15T09:00:00.000Z',
      status: 'draft',
      currency: 'jpy',
    });
  });

  it('blank and null optional fields of a new event count as absent', async () => {
    const { body } = await admin
      .post('/events', {
        name: 'A',
        slug: slugOf('a'),
        goalAmount: 1,
        description: null,
        date: '',
        status: null,
        currency: '',
      })
      .expect(201);
    expect(body).toMatchObject({ description: '', status: 'active', currency: 'eur' });
  });

  it('stores the largest goal exactly', async () => {
    const goalAmount = Number.MAX_SAFE_INTEGER;
    const event = await createEvent(app, admin.token, { goalAmount });
    const { body } = await app.http.get(`/events/${event.slug}`).expect(200);
    expect(body).toMatchObject({ goalAmount });
  });

  it.each([
    ['a missing name', { name: undefined }],
    ['an empty name', { name: ' ' }],
    ['a name of 201 characters', { name: 'x'.repeat(201) }],
    ['a name that is not text', { name: 7 }],
    ['a name with a NUL', { name: 'a\u0000b' }],
    ['a missing slug', { slug: undefined }],
    ['a slug with capitals', { slug: 'Gala' }],
    ['a slug with a double hyphen', { slug: 'a--b' }],
    ['a slug that ends in a hyphen', { slug: 'a-' }],
    ['a slug of 101 characters', { slug: 'a'.repeat(101) }],
    ['a slug with a slash', { slug: 'a/b' }],
    ['a reserved slug', { slug: 'public' }],
    ['a slug that looks like an id', { slug: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11' }],
    ['a missing goal', { goalAmount: undefined }],
    ['a goal below zero', { goalAmount: -1 }],
    ['a fractional goal', { goalAmount: 10.5 }],
    ['a goal as text', { goalAmount: '1000' }],
    ['a goal beyond the safe integers', { goalAmount: 2 ** 53 }],
    ['an unknown status', { status: 'open' }],
    ['an unknown currency', { currency: 'xyz' }],
    ['an invalid date', { date: 'tomorrow' }],
    ['a day that does not exist', { date: '2027-02-30' }],
    ['an unknown field', { colour: 'red' }],
    ['an id in the body', { id: newId() }],
  ])('a new event with %s is refused with 400', async (_, fields) => {
    const { body } = await admin
      .post('/events', { name: 'Gala', slug: slugOf('bad'), goalAmount: 1000, ...fields })
      .expect(400);
    expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request', code: 'VALIDATION_FAILED' });
  });

  it('a used slug is refused with 409, also for twenty simultaneous requests', async () => {
    const slug = slugOf('race');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => admin.post('/events', { name: 'Race', slug, goalAmount: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      statusCode: 409,
      message: 'Another event has this slug',
      error: 'Conflict',
      code: 'EVENT_SLUG_TAKEN',
    });
  });

  it('staff and the public cannot create an event', async () => {
    const event = await createEvent(app, admin.token);
    const staff = await createStaff(app, admin.token, event.id);
    const body = { name: 'Gala', slug: slugOf('x'), goalAmount: 1 };
    await app.http.post('/events').send(body).expect(401);
    await as(app, staff.token).post('/events', body).expect(403);
  });

  it('writes an audit entry for a new event', async () => {
    const event = await createEvent(app, admin.token);
    const rows = await sql<{ action: string; actor_kind: string }>(
      app,
      'SELECT action, actor_kind FROM audit_entry WHERE subject_id = $1',
      [event.id],
    );
    expect(rows).toEqual([{ action: 'event.create', actor_kind: 'admin' }]);
  });
});

describe('GET /events/:slug', () => {
  it('returns id, slug, name, date, description, goalAmount, status and the raised total of an event', async () => {
    const event = await createEvent(app, admin.token, { description: 'Dinner', date: '2027-01-15' });
    const { body } = await app.http.get(`/events/${event.slug}`).expect(200);
    expect(body).toEqual({
      id: event.id,
      slug: event.slug,
      name: 'Summer Gala',
      date: '2027-01-15T00:00:00.000Z',
      description: 'Dinner',
      goalAmount: 1_000_000,
      currency: 'eur',
      status: 'active',
      createdAt: expect.stringMatching(ISO),
      totalRaised: 0,
      donorCount: 0,
      totals: [{ currency: 'eur', totalRaised: 0, donorCount: 0 }],
    });
  });

  it('a public event is found by its id too', async () => {
    const event = await createEvent(app, admin.token);
    const { body } = await app.http.get(`/events/${event.id}`).expect(200);
    expect(body).toMatchObject({ slug: event.slug });
    await app.http.get(`/events/${event.id.toUpperCase()}`).expect(200);
  });

  it.each(['active', 'paused', 'closed'])('the public can read an event that is %s', async (status) => {
    const event = await createEvent(app, admin.token, { status });
    const { body } = await app.http.get(`/events/${event.slug}`).expect(200);
    expect(body).toMatchObject({ status });
  });

  it.each(['draft', 'archived'])(
    'an event that is %s answers 404 to the public, but not to admins and its staff',
    async (status) => {
      const event = await createEvent(app, admin.token);
      const staff = await createStaff(app, admin.token, event.id);
      await sql(app, 'UPDATE event SET status = $2::event_status WHERE id = $1', [event.id, status]);
      const { body } = await app.http.get(`/events/${event.slug}`).expect(404);
      expect(body).toEqual({
        statusCode: 404,
        message: 'The event does not exist',
        error: 'Not Found',
        code: 'EVENT_NOT_FOUND',
      });
      await admin.get(`/events/${event.slug}`).expect(200);
      await as(app, staff.token).get(`/events/${event.slug}`).expect(200);
      const other = await createEvent(app, admin.token);
      const stranger = await createStaff(app, admin.token, other.id);
      await as(app, stranger.token).get(`/events/${event.slug}`).expect(404);
    },
  );

  it.each(['nobody-has-this', newId(), 'A%20B', '%00', '..%2f', "'--", 'x'.repeat(5000), '%F0%9F%8E%89'])(
    'an unknown event answers 404: %s',
    async (ref) => {
      const { body } = await app.http.get(`/events/${ref}`).expect(404);
      expect(body).toMatchObject({ statusCode: 404, error: 'Not Found' });
    },
  );
});

describe('GET /events', () => {
  it('an admin gets all events with their fields, newest first', async () => {
    const first = await createEvent(app, admin.token, { status: 'draft' });
    const second = await createEvent(app, admin.token);
    const { body } = await admin.get('/events').expect(200);
    const events = body as { id: string }[];
    expect(events[0]).toEqual({
      id: second.id,
      slug: second.slug,
      name: 'Summer Gala',
      date: expect.stringMatching(ISO),
      description: '',
      goalAmount: 1_000_000,
      currency: 'eur',
      status: 'active',
      createdAt: expect.stringMatching(ISO),
      totalRaised: 0,
      donorCount: 0,
      totals: [{ currency: 'eur', totalRaised: 0, donorCount: 0 }],
    });
    expect(events[1]?.id).toBe(first.id);
  });

  it('staff get only their assigned events', async () => {
    const [mine, also, other] = [
      await createEvent(app, admin.token),
      await createEvent(app, admin.token),
      await createEvent(app, admin.token),
    ];
    const staff = await createStaff(app, admin.token, mine.id);
    await admin.post(`/events/${also.id}/staff/${staff.id}`).expect(201);
    const { body } = await as(app, staff.token).get('/events').expect(200);
    const ids = (body as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual([also.id, mine.id]);
    expect(ids).not.toContain(other.id);
  });

  it('staff see the raised total of their own events only', async () => {
    const [mine, other] = [
      await createEvent(app, admin.token),
      await createEvent(app, admin.token, { currency: 'usd' }),
    ];
    await addDonation(mine.id, 1200, 'eur', 1);
    await addDonation(mine.id, 500, 'jpy', 2);
    await addDonation(other.id, 300, 'usd', 1);
    const staff = await createStaff(app, admin.token, mine.id);
    const raised = async (token: string) =>
      (
        (await as(app, token).get('/events').expect(200)).body as {
          id: string;
          totalRaised: number;
          donorCount: number;
          totals: object[];
        }[]
      ).map(({ id, totalRaised, donorCount, totals }) => ({ id, totalRaised, donorCount, totals }));
    const ofMine = {
      id: mine.id,
      totalRaised: 1200,
      donorCount: 1,
      totals: [
        { currency: 'eur', totalRaised: 1200, donorCount: 1 },
        { currency: 'jpy', totalRaised: 500, donorCount: 1 },
      ],
    };
    expect(await raised(staff.token)).toEqual([ofMine]);
    const all = await raised(admin.token);
    expect(all).toContainEqual(ofMine);
    expect(all.find(({ id }) => id === other.id)).toMatchObject({ totalRaised: 300, donorCount: 1 });
  });

  it('the event list returns the page after a given event', async () => {
    await createEvent(app, admin.token);
    await createEvent(app, admin.token);
    await createEvent(app, admin.token);
    const { body: all } = await admin.get('/events').expect(200);
    const ids = (all as { id: string }[]).map(({ id }) => id);
    const { body: first } = await admin.get('/events?limit=2').expect(200);
    expect((first as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const { body: next } = await admin.get(`/events?limit=1&after=${ids[1] ?? ''}`).expect(200);
    expect((next as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(2, 3));
  });

  it('finds events by a part of name or slug in any case, and treats LIKE wildcards as text', async () => {
    const { id } = await createEvent(app, admin.token, {
      name: 'Gala 100% Lighthouse',
      slug: 'beacon-of-hope',
    });
    const found = async (search: string) =>
      (
        (await admin.get(`/events?limit=5&search=${encodeURIComponent(search)}`).expect(200)).body as {
          id: string;
        }[]
      ).map((one) => one.id);
    expect(await found('100% LIGHT')).toEqual([id]);
    expect(await found('Beacon-of')).toEqual([id]);
    expect(await found('beacon_of')).toEqual([]);
    expect(await found('%lighthouse')).toEqual([]);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'limit=1&limit=2', 'after=x', 'page=2'])(
    'the event list refuses ?%s',
    async (query) => {
      await admin.get(`/events?${query}`).expect(400);
    },
  );

  it('the public cannot read the event list', async () => {
    await app.http.get('/events').expect(401);
  });
});

describe('GET /events/public', () => {
  const listed = async (slug: string) => {
    const { body } = await app.http.get('/events/public').expect(200);
    return (body as { slug: string }[]).find((event) => event.slug === slug);
  };

  it('the public event list has the public fields of events and their totals by currency', async () => {
    const event = await createEvent(app, admin.token, {
      currency: 'usd',
      goalAmount: 5000,
      date: '2026-12-05T18:00:00.000Z',
      description: 'Dinner and auction',
    });
    await addDonation(event.id, 1200, 'usd', 1);
    await addDonation(event.id, 300, 'usd', 2);
    await addDonation(event.id, 900, 'eur');
    expect(await listed(event.slug)).toEqual({
      slug: event.slug,
      name: 'Summer Gala',
      date: '2026-12-05T18:00:00.000Z',
      description: 'Dinner and auction',
      status: 'active',
      goalAmount: 5000,
      currency: 'usd',
      totalRaised: 1500,
      donorCount: 2,
      totals: [
        { currency: 'usd', totalRaised: 1500, donorCount: 2 },
        { currency: 'eur', totalRaised: 900, donorCount: 1 },
      ],
    });
    await admin.patch(`/events/${event.id}`, { description: 'Sold out' }).expect(200);
    expect(await listed(event.slug)).toMatchObject({ description: 'Sold out' });
  });

  it('the public event list shows zero totals for an event without donations', async () => {
    const event = await createEvent(app, admin.token);
    expect(await listed(event.slug)).toMatchObject({
      totalRaised: 0,
      donorCount: 0,
      totals: [{ currency: 'eur', totalRaised: 0, donorCount: 0 }],
    });
  });

  it('the public event list has only active events', async () => {
    for (const status of ['draft', 'paused', 'closed', 'archived'])
      expect(await listed((await createEvent(app, admin.token, { status })).slug)).toBeUndefined();
  });

  it('the public event list never returns older data than at the time of the request', async () => {
    const event = await createEvent(app, admin.token);
    let written = 0;
    let writing = true;
    const writer = (async () => {
      for (let donation = 0; donation < 40; donation++) {
        await admin.post('/donations', { eventId: event.id, amount: 1, type: 'cash' }).expect(201);
        written++;
      }
      writing = false;
    })();
    const reader = async () => {
      while (writing) {
        const atLeast = written;
        const found = (await listed(event.slug)) as unknown as { totalRaised: number };
        expect(found.totalRaised).toBeGreaterThanOrEqual(atLeast);
      }
    };
    await Promise.all([writer, ...Array.from({ length: 8 }, reader)]);
  });
});

describe('PATCH /events/:id', () => {
  it('changing an event changes the fields sent and keeps the others', async () => {
    const event = await createEvent(app, admin.token, { description: 'Old' });
    const slug = slugOf('renamed');
    const { body } = await patch(event.id, {
      goalAmount: 5,
      name: 'New',
      slug,
      date: '2027-03-01T00:00:00Z',
    }).expect(200);
    expect(body).toMatchObject({
      id: event.id,
      goalAmount: 5,
      name: 'New',
      slug,
      date: '2027-03-01T00:00:00.000Z',
      description: 'Old',
      status: 'active',
    });
    await app.http.get(`/events/${event.slug}`).expect(404);
    await app.http.get(`/events/${slug}`).expect(200);
  });

  it('an event can be changed by its slug', async () => {
    const event = await createEvent(app, admin.token);
    const { body } = await patch(event.slug, { name: 'By slug' }).expect(200);
    expect(body).toMatchObject({ id: event.id, name: 'By slug' });
  });

  it('clears the description if null is sent', async () => {
    const event = await createEvent(app, admin.token, { description: 'Old' });
    const { body } = await patch(event.id, { description: null }).expect(200);
    expect(body).toMatchObject({ description: '' });
  });

  it('changing an event accepts the whole event as it was read', async () => {
    const event = await createEvent(app, admin.token, { description: 'Dinner' });
    const { body: read } = await app.http.get(`/events/${event.slug}`).expect(200);
    const { body } = await patch(event.id, { ...(read as object), name: 'Changed' }).expect(200);
    expect(body).toMatchObject({ name: 'Changed', description: 'Dinner' });
  });

  it('changing an event accepts the whole event with old totals after a new donation', async () => {
    const event = await createEvent(app, admin.token);
    const { body } = await admin.get('/events?limit=1').expect(200);
    const [read] = body as object[];
    await addDonation(event.id, 1200, 'eur', 1);
    await patch(event.id, { ...read, name: 'Changed' }).expect(200);
    const { body: after } = await app.http.get(`/events/${event.slug}`).expect(200);
    expect(after).toMatchObject({ name: 'Changed', totalRaised: 1200, donorCount: 1 });
  });

  it.each([
    ['id', newId()],
    ['createdAt', '2020-01-01T00:00:00.000Z'],
  ])('a changed %s of an event is refused', async (field, value) => {
    const event = await createEvent(app, admin.token);
    const { body } = await patch(event.id, { [field]: value, name: 'Not this' }).expect(400);
    expect(body).toMatchObject({ code: 'READ_ONLY_FIELD', message: `${field} cannot be changed` });
    const { body: after } = await app.http.get(`/events/${event.slug}`).expect(200);
    expect(after).toMatchObject({ name: 'Summer Gala' });
  });

  it.each([
    { colour: 'red' },
    { name: '' },
    { name: null },
    { slug: null },
    { goalAmount: null },
    { status: 'open' },
  ])('the invalid change %j of an event is refused', async (fields) => {
    const event = await createEvent(app, admin.token);
    await patch(event.id, fields).expect(400);
  });

  it('a change of an event must be an object', async () => {
    const event = await createEvent(app, admin.token);
    for (const body of ['[]', '"text"', '7', 'null', '{']) {
      const answer = await admin
        .patch(`/events/${event.id}`)
        .set('Content-Type', 'application/json')
        .send(body);
      expect(answer.status).toBe(400);
    }
  });

  it('refuses the slug of another event with 409', async () => {
    const [one, other] = [await createEvent(app, admin.token), await createEvent(app, admin.token)];
    const { body } = await patch(one.id, { slug: other.slug }).expect(409);
    expect(body).toMatchObject({ code: 'EVENT_SLUG_TAKEN' });
  });

  it('an event may change its status as the table allows', async () => {
    const event = await createEvent(app, admin.token, { status: 'draft' });
    for (const status of ['active', 'paused', 'active', 'closed', 'active', 'archived']) {
      const { body } = await patch(event.id, { status }).expect(200);
      expect(body).toMatchObject({ status });
    }
  });

  it('other status changes are refused with 409 and change nothing', async () => {
    const event = await createEvent(app, admin.token, { status: 'draft' });
    const { body } = await patch(event.id, { status: 'paused', name: 'Not this' }).expect(409);
    expect(body).toMatchObject({
      code: 'EVENT_STATUS_MOVE',
      message: 'An event cannot go from draft to paused',
    });
    const { body: after } = await admin.get(`/events/${event.id}`).expect(200);
    expect(after).toMatchObject({ status: 'draft', name: 'Summer Gala' });
  });

  it('the currency may change only for an event without donations', async () => {
    const event = await createEvent(app, admin.token);
    const { body } = await patch(event.id, { currency: 'USD' }).expect(200);
    expect(body).toMatchObject({ currency: 'usd' });
    await addDonation(event.id, 100, 'usd');
    const refused = await patch(event.id, { currency: 'eur' }).expect(409);
    expect(refused.body).toMatchObject({ code: 'EVENT_CURRENCY_FIXED' });
    await patch(event.id, { currency: 'usd', name: 'Same currency' }).expect(200);
  });

  it('simultaneous changes of different fields are all kept', async () => {
    const event = await createEvent(app, admin.token);
    await Promise.all([
      patch(event.id, { name: 'One' }).expect(200),
      patch(event.id, { goalAmount: 42 }).expect(200),
      patch(event.id, { description: 'Three' }).expect(200),
    ]);
    const { body } = await app.http.get(`/events/${event.slug}`).expect(200);
    expect(body).toMatchObject({ name: 'One', goalAmount: 42, description: 'Three' });
  });

  it('changing an event answers 404 for an unknown event and 403 to staff', async () => {
    await patch(newId(), { name: 'x' }).expect(404);
    const event = await createEvent(app, admin.token);
    const staff = await createStaff(app, admin.token, event.id);
    await as(app, staff.token).patch(`/events/${event.id}`, { name: 'x' }).expect(403);
    await app.http.patch(`/events/${event.id}`).send({ name: 'x' }).expect(401);
  });
});

describe('DELETE /events/:id', () => {
  const remove = (ref: string) => admin.delete(`/events/${ref}`);

  it('deleting an event returns { id, deleted: true } and deletes the staff assignments', async () => {
    const event = await createEvent(app, admin.token);
    await createStaff(app, admin.token, event.id);
    const { body } = await remove(event.slug).expect(200);
    expect(body).toEqual({ id: event.id, deleted: true });
    await app.http.get(`/events/${event.slug}`).expect(404);
    expect(await sql(app, 'SELECT 1 FROM event_staff WHERE event_id = $1', [event.id])).toEqual([]);
    await remove(event.id).expect(404);
  });

  it('deleting an event ends the sessions of its staff at once', async () => {
    const event = await createEvent(app, admin.token);
    const staff = await createStaff(app, admin.token, event.id);
    await as(app, staff.token).get('/events').expect(200);
    await remove(event.id).expect(200);
    await as(app, staff.token).get('/events').expect(401);
  });

  it('an event with donations cannot be deleted and answers 409', async () => {
    const event = await createEvent(app, admin.token);
    await addDonation(event.id, 100);
    const { body } = await remove(event.id).expect(409);
    expect(body).toMatchObject({ statusCode: 409, error: 'Conflict', code: 'EVENT_HAS_DONATIONS' });
    await app.http.get(`/events/${event.slug}`).expect(200);
  });

  it('staff and the public cannot delete an event', async () => {
    const event = await createEvent(app, admin.token);
    const staff = await createStaff(app, admin.token, event.id);
    await app.http.delete(`/events/${event.id}`).expect(401);
    await as(app, staff.token).delete(`/events/${event.id}`).expect(403);
  });
});
