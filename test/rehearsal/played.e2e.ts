import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Metrics } from '../../src/common/metrics/metrics.js';
import type { PlayDto } from '../../src/rehearsal/play/dto/play.dto.js';
import { playedGuest } from '../../src/rehearsal/play/played-guest.js';
import type { InstallationReport } from '../../src/health/dto/installation-checks.dto.js';
import type { RehearsalReport } from '../../src/rehearsal/report/dto/report.dto.js';
import type { RehearsalDto } from '../../src/rehearsal/dto/rehearsal.dto.js';
import { errorBody } from '../support/bearer.js';
import { createEvent, createStaff, sql, staffToken } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

const mail = withOpened(() => MailServer.start());
const { app, admin, event } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL, playedMinuteMs: 3_000 }),
  fields: { date: new Date(Date.now() + 3 * 86_400_000).toISOString() },
});

const GUESTS = 60;
const TEAM = 'team@charity.example';
let twin: RehearsalDto;
let member: { id: string; code: string };

const path = (rest = '') => `/events/${event.id}/rehearsal${rest}`;
const playing = async () => (await admin.get(path('/play')).expect(200)).body as PlayDto;
const report = async () => (await admin.get(path('/report')).expect(200)).body as RehearsalReport;
const checks = async () =>
  Object.fromEntries((await report()).checks.map(({ name, state }) => [name, state]));
const play = (fields: object = {}) => admin.post(path('/play'), { guests: GUESTS, minutes: 1, ...fields });

async function ended(): Promise<PlayDto> {
  await until(async () => (await playing()).endedAt !== null, 'the end of the evening');
  return await playing();
}

beforeAll(async () => {
  member = await createStaff(app, admin.token, event.id);
  twin = (await admin.post(path(), { withNames: false, mailTo: [TEAM] }).expect(201)).body as RehearsalDto;
}, 30_000);

describe('a played evening', () => {
  it('a played evening does not exist before somebody starts it, and the report knows nothing yet', async () => {
    expect((await admin.get(path('/play')).expect(404)).body).toEqual(
      errorBody(404, 'Not Found', 'REHEARSAL_PLAY_NOT_FOUND'),
    );
    const { play: played } = await report();
    expect(played).toBeNull();
    expect(await checks()).toEqual({
      phone: 'unknown',
      mail: 'unknown',
      provider: 'passed',
      webhook: 'unknown',
      terminals: 'unknown',
      queues: 'unknown',
      pins: 'failed',
      wall: 'unknown',
      networks: 'unknown',
      backup: 'unknown',
      evening: 'unknown',
      server: 'failed',
    });
  });

  it('a played evening has a report that names the same wrong parts of the server as the doctor', async () => {
    const { body } = await admin.get('/health/checks').expect(200);
    const wrong = (body as InstallationReport).checks.filter(({ state }) => state === 'wrong');
    const server = (await report()).checks.find(({ name }) => name === 'server');
    expect(wrong.map(({ check }) => check)).toContain('durability');
    expect(server?.missing).toEqual(wrong.map(({ check }) => check));
  });

  it('a played evening books each gift once, and its figures are those of the donations', async () => {
    await play().expect(202);
    expect((await play().expect(409)).body).toEqual(errorBody(409, 'Conflict', 'REHEARSAL_PLAYING'));
    const { figures, done, reason, record, intent } = await ended();
    await app.sandbox.settled();
    expect({ done, reason }).toEqual({ done: GUESTS, reason: 'finished' });
    const guests = Array.from({ length: GUESTS }, (_, index) =>
      playedGuest(index, { guests: GUESTS, minutes: 1, online: 40, cash: 40, pledge: 20 }, 'eur'),
    );
    const count = (kind: string) => guests.filter((guest) => guest.kind === kind).length;
    expect(figures).toEqual({
      cash: count('cash'),
      pledges: count('pledge'),
      online: count('online'),
      declined: guests.filter(({ isDeclined }) => isDeclined).length,
      refunded: 1,
      leftOut: 0,
      errors: 0,
      lastError: null,
      isMailAccepted: true,
    });
    const rows = await sql(
      app,
      'SELECT type::text, count(*)::int AS count FROM donation WHERE event_id = $1 GROUP BY 1 ORDER BY 1',
      [twin.eventId],
    );
    expect(rows).toEqual([
      { type: 'card', count: figures.online },
      { type: 'cash', count: figures.cash },
      { type: 'pledge', count: figures.pledges },
    ]);
    const [paid] = await sql<{ count: number }>(
      app,
      `SELECT count(*)::int AS count FROM donation WHERE event_id = $1 AND type = 'card' AND status = 'COMPLETED'`,
      [twin.eventId],
    );
    expect(paid?.count).toBe(figures.online - figures.declined);
    expect([record.p99, intent.p99].every((time) => typeof time === 'number')).toBe(true);
  });

  it('a played evening has a paddle raise, whose round is closed again', async () => {
    const { body } = await admin.get(`/pledge-rounds?eventId=${twin.eventId}`).expect(200);
    const { data } = body as { data: { id: string; closedAt: string | null }[] };
    expect(data).toEqual([expect.objectContaining({ closedAt: expect.any(String) })]);
    const pledges = await sql(app, 'SELECT 1 FROM donation WHERE round_id = $1', [data[0]?.id]);
    expect(pledges.length).toBeGreaterThan(1);
  });

  it('a played evening sends the team a test and a receipt, and the report says what was tried', async () => {
    await until(() => mail.received.length === 2, 'the e-mails');
    expect(mail.received.flatMap(({ recipients }) => recipients)).toEqual([TEAM, TEAM]);
    await staffToken(app, member.code, twin.eventId);
    const { phoneUrl } = await report();
    const visit = await app.http.get(new URL(phoneUrl).pathname).expect(302);
    expect(visit.headers.location).toBe(`/donate/${twin.slug}`);
    await app.http.get('/rehearsal/seen/unknown').expect(404);
    expect(await checks()).toMatchObject({
      phone: 'passed',
      mail: 'passed',
      provider: 'passed',
      webhook: 'passed',
      pins: 'passed',
      networks: 'failed',
      evening: 'passed',
    });
  });

  it('a played evening has a report in six languages, also as a file', async () => {
    const titles = await Promise.all(
      ['en', 'de', 'fr', 'it', 'es', 'nl'].map(async (language) => {
        const { body } = await admin.get(path(`/report?language=${language}`)).expect(200);
        return (body as RehearsalReport).checks[0]?.title;
      }),
    );
    expect(new Set(titles).size).toBe(6);
    const file = await admin.get(path('/report?format=pdf&language=de')).expect(200);
    expect(file.headers['content-type']).toBe('application/pdf');
    expect((file.body as Buffer).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('a played evening stops on request', async () => {
    await play({ guests: 600, minutes: 60 }).expect(202);
    expect((await admin.delete(path('/play')).expect(200)).body).toMatchObject({ reason: 'stopped' });
    const { done } = await playing();
    expect(done).toBeLessThan(600);
  });

  it('a played evening stops when the records of tills are slow', async () => {
    await play({ guests: 600, minutes: 60 }).expect(202);
    await until(async () => (await playing()).done > 0, 'the first guest');
    app.app.get(Metrics).httpDuration.observe({ method: 'POST', route: '/donations', status: 201 }, 0.3);
    expect((await ended()).reason).toBe('slow_recording');
  });

  it('a played evening needs a confirmation for many gifts per second on the day before an event', async () => {
    const soon = await createEvent(app, admin.token, {
      date: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await admin.patch(`/events/${soon.id}`, { status: 'active' });
    const fast = { guests: 2_000, minutes: 1 };
    expect((await play(fast).expect(409)).body).toEqual(
      errorBody(409, 'Conflict', 'REHEARSAL_PLAY_TOO_FAST'),
    );
    await play({ ...fast, confirm: true }).expect(202);
    await admin.delete(path('/play')).expect(200);
  });

  it('a played evening stops when a real event has a donation', async () => {
    await play({ guests: 600, minutes: 60 }).expect(202);
    await until(async () => (await playing()).done > 0, 'the first guest');
    await admin
      .post('/donations', { type: 'cash', amount: 2_500, eventId: event.id })
      .set('Idempotency-Key', randomUUID())
      .expect(201);
    const { reason, done } = await ended();
    expect(reason).toBe('real_donation');
    expect(done).toBeLessThan(600);
  });

  it('a played evening leaves nothing behind when the rehearsal ends, also while it is played', async () => {
    await sql(app, 'UPDATE donation SET is_past_donation = true WHERE event_id = $1', [event.id]);
    await play({ guests: 600, minutes: 60 }).expect(202);
    await admin.delete(path()).expect(202);
    await until(async () => (await admin.get(path())).status === 404, 'the deletion');
    const left = await sql(
      app,
      `SELECT (SELECT count(*) FROM donation WHERE event_id = $1)::int AS donations,
        (SELECT count(*) FROM rehearsal_play)::int AS plays,
        (SELECT count(*) FROM outbox WHERE event_id = $1)::int AS messages,
        (SELECT count(*) FROM idempotency_key WHERE key LIKE 'played-%')::int AS keys`,
      [twin.eventId],
    );
    expect(left).toEqual([{ donations: 0, plays: 0, messages: 0, keys: 0 }]);
  });
});
