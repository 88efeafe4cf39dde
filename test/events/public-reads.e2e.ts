import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { LARGE_BYTES } from '../../src/common/http/kept-answers.js';
import { startApp } from '../support/app.js';
import { DonationBook } from '../support/donations.js';
import { adminToken, createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { as } from '../support/bearer.js';
import { withAdmin, withService } from '../support/setup.js';

const ORIGIN = 'https://charity.example.org';
const ORIGINS: Record<string, string>[] = [{}, { origin: ORIGIN }, { origin: 'https://other.example.org' }];

const app = withService(() =>
  startApp({
    CORS_ORIGINS: ORIGIN,
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://give.example.org',
  }),
);
const admin = withAdmin(app);

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly body: unknown;
}

/** Sends one request exactly as given. Adds no headers and does not decompress the answer. */
function get(path: string, headers: Record<string, string> = {}, base = app.url): Promise<Answer> {
  return new Promise((resolve, reject) => {
    httpRequest(base + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const raw = Buffer.concat(chunks);
        const isJson = response.headers['content-type']?.startsWith('application/json') ?? false;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          raw,
          body:
            isJson && response.headers['content-encoding'] === undefined && raw.length > 0
              ? JSON.parse(raw.toString())
              : undefined,
        });
      });
    })
      .on('error', reject)
      .end();
  });
}

/** Reads until the answer comes from the cache. */
async function warmed(path: string): Promise<Answer> {
  await get(path);
  return await get(path);
}

const record = (eventId: string, amount = 2500, base = app) =>
  as(base, admin.token).post('/donations', { eventId, amount, type: 'cash' }).expect(201);
const raisedOf = ({ body }: Answer) => (body as { totalRaised: number }).totalRaised;
const slugsOf = ({ body }: Answer) => (body as { slug: string }[]).map(({ slug }) => slug);

/** Returns the number of transactions that the database has run for the application. */
async function queries(): Promise<number> {
  const [row] = await sql<{ n: string }>(
    app,
    'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row?.n);
}

/** Waits until the other process knows a change, and fails after `withinMs`. Returns the waiting time in milliseconds. */
async function soon(check: () => Promise<boolean>, withinMs: number): Promise<number> {
  const began = performance.now();
  while (!(await check())) {
    if (performance.now() - began > withinMs) throw new Error('not within the time');
    await sleep(5);
  }
  return performance.now() - began;
}

describe('cached public reads of events', () => {
  let event: EventFixture;

  beforeAll(async () => {
    event = await createEvent(app, admin.token);
  });

  const PATHS = () => [
    '/events/public',
    `/events/${event.slug}`,
    `/events/${event.id}`,
    `/events/${event.slug}/settings`,
    '/settings/global',
    '/settings/payments',
  ];

  it('a cached answer has the same bytes and headers as the answer of its route', async () => {
    for (const path of PATHS())
      for (const headers of ORIGINS) {
        // The cache ignores requests with a query string, so the route itself answers them.
        const fromRoutes = await get(`${path}?plain`, headers);
        await warmed(path);
        const fromMemory = await get(path, headers);
        expect(fromMemory.status).toBe(200);
        expect(fromMemory.raw.toString()).toBe(fromRoutes.raw.toString());
        const stable = (answer: Answer) => {
          const own = ['x-request-id', 'date', 'ratelimit', 'ratelimit-remaining', 'ratelimit-reset'];
          return Object.fromEntries(
            Object.entries(answer.headers).map(([name, value]) => [
              name,
              own.includes(name) ? 'some' : value,
            ]),
          );
        };
        // Only a large answer from memory has compressed forms.
        const isLarge = fromRoutes.raw.length > LARGE_BYTES;
        const vary = [fromRoutes.headers.vary, ...(isLarge ? ['Accept-Encoding'] : [])]
          .filter(Boolean)
          .join(', ');
        const expected = { ...stable(fromRoutes), ...(vary !== '' && { vary }) };
        expect(stable(fromMemory)).toEqual(expected);
      }
  });

  it('a cached answer has a strong ETag and answers 304 to a client with the same bytes', async () => {
    for (const path of PATHS()) {
      const { headers } = await warmed(path);
      const etag = headers.etag ?? '';
      expect(etag).toMatch(/^"[\w-]{27}"$/);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(path, { 'if-none-match': known });
        expect([again.status, again.raw.length, again.headers.etag]).toEqual([304, 0, etag]);
      }
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
      expect((await get(`${path}?plain`, { 'if-none-match': etag })).status).toBe(304);
    }
  });

  it('a cached answer repeats the request id, and every request is counted', async () => {
    const first = await warmed(`/events/${event.slug}`);
    const second = await get(`/events/${event.slug}`, { 'x-request-id': 'hall-7' });
    expect(second.headers['x-request-id']).toBe('hall-7');
    expect(Number(second.headers['ratelimit-remaining'])).toBe(
      Number(first.headers['ratelimit-remaining']) - 1,
    );
  });

  it('cached reads cost the database one query a second for any number of readers', async () => {
    for (const path of PATHS()) await warmed(path);
    const before = await queries();
    const began = performance.now();
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let i = 0; i < 50; i++) for (const path of PATHS()) expect((await get(path)).status).toBe(200);
      }),
    );
    // PostgreSQL updates its statistics with a delay of up to a second.
    await sleep(1_500);
    const seconds = (performance.now() - began) / 1_000;
    // The cache runs two statements for each of the five addresses at most twice a second. The relay also runs queries.
    expect((await queries()) - before).toBeLessThan(60 + seconds * 40);
  });

  it('frequently read answers are sent compressed to clients that accept it', async () => {
    const many = await startApp();
    try {
      const token = await adminToken(many);
      for (let i = 0; i < 12; i++) await createEvent(many, token, { name: `Gala ${i} · Größe` });
      const plain = await get('/events/public', {}, many.url);
      await soon(async () => {
        const { headers } = await get('/events/public', { 'accept-encoding': 'gzip, br' }, many.url);
        return headers['content-encoding'] === 'br';
      }, 2_000);
      const br = await get('/events/public', { 'accept-encoding': 'gzip, br' }, many.url);
      expect(brotliDecompressSync(br.raw).toString()).toBe(plain.raw.toString());
      expect(br.headers.etag).not.toBe(plain.headers.etag);
      expect(br.headers.vary).toBe('Origin, Accept-Encoding');
      const known = { 'accept-encoding': 'br', 'if-none-match': br.headers.etag ?? '' };
      expect((await get('/events/public', known, many.url)).status).toBe(304);
      await soon(async () => {
        const { headers } = await get('/events/public', { 'accept-encoding': 'gzip, br;q=0' }, many.url);
        return headers['content-encoding'] === 'gzip';
      }, 2_000);
      const zipped = await get('/events/public', { 'accept-encoding': 'gzip' }, many.url);
      expect(gunzipSync(zipped.raw).toString()).toBe(plain.raw.toString());
      const identity = await get('/events/public', { 'accept-encoding': 'identity' }, many.url);
      expect(identity.raw.toString()).toBe(plain.raw.toString());
    } finally {
      await many.close();
    }
  });
});

describe('cached reads after a write of the same process', () => {
  it('the cached total is correct after each of a hundred donations', async () => {
    const event = await createEvent(app, admin.token);
    for (let i = 1; i <= 100; i++) {
      await record(event.id, 100);
      expect(raisedOf(await get(`/events/${event.slug}`))).toBe(i * 100);
      const listed = ((await get('/events/public')).body as { slug: string; totalRaised: number }[]).find(
        ({ slug }) => slug === event.slug,
      );
      expect(listed?.totalRaised).toBe(i * 100);
    }
  });

  it('the cached total is correct while many clients read and record', async () => {
    const event = await createEvent(app, admin.token);
    let written = 0;
    await Promise.all([
      ...Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 25; i++) {
          await record(event.id, 100);
          written += 100;
          const atLeast = written;
          expect(raisedOf(await get(`/events/${event.slug}`))).toBeGreaterThanOrEqual(atLeast);
        }
      }),
    ]);
    expect(raisedOf(await get(`/events/${event.slug}`))).toBe(20_000);
  });

  it('a changed slug works at once, and the old one answers 404', async () => {
    const event = await createEvent(app, admin.token);
    await warmed(`/events/${event.slug}`);
    const slug = `${event.slug}-renamed`;
    await admin.patch(`/events/${event.id}`, { slug }).expect(200);
    expect((await get(`/events/${event.slug}`)).status).toBe(404);
    expect((await get(`/events/${event.slug}/settings`)).status).toBe(404);
    expect((await get(`/events/${slug}`)).status).toBe(200);
    const other = await createEvent(app, admin.token, { slug: event.slug, name: 'Another' });
    expect((await get(`/events/${event.slug}`)).body).toMatchObject({ id: other.id, name: 'Another' });
  });

  it.each(['archived', 'draft'])('an event that became %s is no longer returned', async (status) => {
    const event = await createEvent(app, admin.token);
    const paths = [`/events/${event.slug}`, `/events/${event.id}`, `/events/${event.slug}/settings`];
    for (const path of paths) await warmed(path);
    await warmed('/events/public');
    if (status === 'draft') {
      // The API cannot change an active event to a draft, but a person can do it in the database.
      await sql(app, "UPDATE event SET status = 'draft' WHERE id = $1", [event.id]);
      await soon(async () => (await get(paths[0] ?? '')).status === 404, 500);
    } else await admin.patch(`/events/${event.id}`, { status }).expect(200);
    for (const path of paths) expect((await get(path)).status).toBe(404);
    expect(slugsOf(await get('/events/public'))).not.toContain(event.slug);
    expect((await get(`/donate/${event.slug}`, { accept: 'text/html' })).status).toBe(404);
    // Signed-in users still see the event.
    await admin.get(`/events/${event.slug}`).expect(200);
  });

  it('a deleted event is no longer returned, and a new one is returned at once', async () => {
    const event = await createEvent(app, admin.token);
    expect(slugsOf(await get('/events/public'))).toContain(event.slug);
    await warmed(`/events/${event.slug}`);
    await admin.delete(`/events/${event.id}`).expect(200);
    expect((await get(`/events/${event.slug}`)).status).toBe(404);
    expect(slugsOf(await get('/events/public'))).not.toContain(event.slug);
  });

  it('changed settings are returned at once, global and of the event', async () => {
    const event = await createEvent(app, admin.token);
    const path = `/events/${event.slug}/settings`;
    await warmed(path);
    await warmed('/settings/global');
    await admin.patch('/settings/global', { organization: 'Roof' }).expect(200);
    expect((await get(path)).body).toMatchObject({ organization: 'Roof', isOverride: false });
    expect((await get('/settings/global')).body).toMatchObject({ organization: 'Roof' });
    await admin.patch(`/events/${event.id}/settings`, { organization: 'Own' }).expect(200);
    expect((await get(path)).body).toMatchObject({ organization: 'Own', isOverride: true });
    expect((await get('/settings/global')).body).toMatchObject({ organization: 'Roof' });
    await admin.delete(`/events/${event.id}/branding`).expect(200);
    expect((await get(path)).body).toMatchObject({ organization: 'Roof', isOverride: false });
  });
});

describe('cached reads after a commit of another process', () => {
  const other = withService(() => startApp({}, {}, app.databaseUrl));

  it('a donation of another process is visible after the database notification, long before the periodic refresh', async () => {
    const event = await createEvent(app, admin.token);
    const took: number[] = [];
    for (const [writer, reader] of [
      [app, other],
      [other, app],
    ] as const)
      for (let i = 1; i <= 5; i++) {
        const before = raisedOf(await get(`/events/${event.slug}`, {}, reader.url));
        await record(event.id, 100, writer);
        const seen = async () =>
          raisedOf(await get(`/events/${event.slug}`, {}, reader.url)) === before + 100;
        took.push(await soon(seen, 1_000));
      }
    took.sort((a, b) => a - b);
    expect(took[5]).toBeLessThan(300);
  });

  it('changed events and settings of another process are visible after the notification', async () => {
    const event = await createEvent(app, admin.token);
    await get(`/events/${event.slug}`, {}, other.url);
    await admin.patch(`/events/${event.id}`, { name: 'Renamed' }).expect(200);
    await soon(async () => {
      const { body } = await get(`/events/${event.slug}`, {}, other.url);
      return (body as { name: string }).name === 'Renamed';
    }, 500);
    await admin.patch(`/events/${event.id}`, { status: 'archived' }).expect(200);
    await soon(async () => (await get(`/events/${event.slug}`, {}, other.url)).status === 404, 500);
    await admin.patch('/settings/global', { organization: 'Tower' }).expect(200);
    await soon(async () => {
      const { body } = await get('/settings/global', {}, other.url);
      return (body as { organization: string }).organization === 'Tower';
    }, 500);
  });

  it('a change without a notification is visible within a second', async () => {
    const event = await createEvent(app, admin.token);
    const book = new DonationBook(app);
    await warmed(`/events/${event.slug}`);
    const began = performance.now();
    // Changes only the totals, like a person in the database: without an outbox row and without a notification.
    await book.query(
      `INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count) VALUES ($1, 'eur', 0, 700, 1)`,
      [event.id],
    );
    await soon(async () => raisedOf(await get(`/events/${event.slug}`)) === 700, 1_200);
    expect(performance.now() - began).toBeLessThan(1_200);
  });
});
