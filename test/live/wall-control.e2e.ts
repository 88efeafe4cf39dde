import { afterEach, describe, expect, it } from '@jest/globals';
import type { Snapshot, WallControlMessage } from '../../src/gateway/live-messages.js';
import { startApp } from '../support/app.js';
import { as } from '../support/bearer.js';
import { DonationBook } from '../support/donations.js';
import { adminToken, createEvent, createStaff, type EventFixture, sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

const PATIENCE_MS = 30_000;
const USUAL = { scene: 'wall', notice: '', paused: false };

describe('the remote control of the walls', () => {
  const app = withService();
  const admin = withAdmin(app);
  const book = new DonationBook(app);
  const walls: WallClient[] = [];

  afterEach(() => {
    for (const wall of walls.splice(0)) wall.close();
  });

  const newEvent = async () => await createEvent(app, await adminToken(app));
  const control = (event: EventFixture, wall: Record<string, unknown>) =>
    admin.patch(`/events/${event.slug}/settings`, { live: { wall } }).expect(200);
  const watch = async (request: unknown, url = app.url) => {
    const wall = await WallClient.connect(url);
    walls.push(wall);
    return { wall, ack: await wall.join(request) };
  };
  const told = (wall: WallClient) =>
    wall.received.filter(({ topic }) => topic === 'wall.control').map(({ body }) => body as unknown);
  const untilTold = (wall: WallClient, expected: Partial<WallControlMessage>) =>
    wall.until(
      () => {
        const last = told(wall).at(-1) as WallControlMessage | undefined;
        return (
          last !== undefined &&
          Object.entries(expected).every(([name, value]) => last[name as 'scene'] === value)
        );
      },
      `a wall told ${JSON.stringify(expected)}`,
      PATIENCE_MS,
    );
  const snapshotOf = (ack: Record<string, unknown>) => ack.snapshot as Snapshot;

  it('a change of the remote control reaches every wall of the event once, and no wall of another event', async () => {
    const [event, other] = [await newEvent(), await newEvent()];
    const { wall } = await watch({ eventId: event.slug, snapshot: true });
    const { wall: second } = await watch({ eventId: event.id, snapshot: true });
    const { wall: foreign } = await watch({ eventId: other.slug, snapshot: true });
    await control(event, { scene: 'qr' });
    await untilTold(wall, { scene: 'qr' });
    await control(event, { scene: 'qr' });
    await admin.patch(`/events/${event.slug}/settings`, { live: { theme: 'gala' } }).expect(200);
    await book.give(event.id, { name: 'Ada', amount: 500 });
    await wall.until(({ created }) => created.length === 1, 'a donation', PATIENCE_MS);
    await control(event, { scene: null, notice: '  Dinner is served  ', paused: true });
    await untilTold(wall, { paused: true });
    await untilTold(second, { paused: true });
    const expected = [
      { eventId: event.id, ...USUAL, scene: 'qr' },
      { eventId: event.id, scene: 'wall', notice: 'Dinner is served', paused: true },
    ];
    expect(told(wall)).toEqual(expected);
    expect(told(second)).toEqual(expected);
    expect(told(foreign)).toEqual([]);
  });

  it('the remote control is in the snapshot and the page, and is sent before missed messages', async () => {
    const event = await newEvent();
    const first = await watch({ eventId: event.slug, snapshot: true });
    expect(snapshotOf(first.ack).wall).toEqual(USUAL);
    expect(snapshotOf(first.ack)).not.toHaveProperty('held');
    await control(event, { notice: 'Back at 21:00 <b>&amp;', scene: 'qr' });
    await untilTold(first.wall, { scene: 'qr' });
    const second = await watch({ eventId: event.slug, snapshot: true });
    expect(snapshotOf(second.ack).wall).toEqual({
      scene: 'qr',
      notice: 'Back at 21:00 <b>&amp;',
      paused: false,
    });
    const page = await app.http.get(`/wall/${event.slug}`).set('accept', 'text/html').expect(200);
    expect(page.text).toContain('>Back at 21:00 &lt;b&gt;&amp;amp;</p>');
    expect(page.text).toContain('&quot;scene&quot;:&quot;qr&quot;');

    first.wall.close();
    await control(event, { scene: 'wall', notice: null, paused: true });
    await book.give(event.id, { name: 'Grace', amount: 700 });
    await second.wall.until(({ created }) => created.length === 1, 'a donation', PATIENCE_MS);
    const { wall } = await watch({ eventId: event.slug, since: first.ack.sequence });
    expect(wall.received[0]?.topic).toBe('wall.control');
    expect(wall.created).toHaveLength(1);
    // The wall may get the message twice: as its own answer, and from a check that sends to the room at this
    // moment.
    expect(new Set(told(wall).map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ eventId: event.id, ...USUAL, paused: true })]),
    );
  });

  it('a joining wall gets no control message if the remote control is not used', async () => {
    const event = await newEvent();
    const { ack, wall: first } = await watch({ eventId: event.slug, snapshot: true });
    await book.give(event.id, { name: 'Ada', amount: 500 });
    await first.until(({ created }) => created.length === 1, 'a donation', PATIENCE_MS);
    const { wall } = await watch({ eventId: event.slug, since: ack.sequence });
    expect(wall.created).toHaveLength(1);
    expect(told(wall)).toEqual([]);
  });

  it('a new wall gets the ids of the donations that a pause holds back, also after a long pause', async () => {
    const event = await newEvent();
    const { wall } = await watch({ eventId: event.slug, snapshot: true });
    const give = async (name: string) => {
      const id = await book.give(event.id, { name, amount: 500 });
      await wall.until(({ created }) => created.some(({ body }) => body.id === id), name, PATIENCE_MS);
      await sql(app, 'UPDATE donation SET completed_at = now() WHERE id = $1', [id]);
      return id;
    };
    const before = await give('Ada');
    await control(event, { paused: true, pausedAt: '2001-01-01T00:00:00Z' });
    await untilTold(wall, { paused: true });
    const since = await give('Grace');
    // This donation started before the pause, like a checkout, and was completed during the pause.
    const late = await give('Maria');
    await sql(app, "UPDATE donation SET created_at = created_at - interval '1 hour' WHERE id = $1", [late]);
    await control(event, { notice: 'A minute of silence' });
    const { ack } = await watch({ eventId: event.slug, snapshot: true });
    const { donations, held } = snapshotOf(ack);
    expect(donations.map(({ id }) => id).sort()).toEqual([before, since, late].sort());
    expect([...(held ?? [])].sort()).toEqual([since, late].sort());
    await control(event, { paused: false });
    await untilTold(wall, { paused: false });
    const again = await watch({ eventId: event.slug, snapshot: true });
    expect(snapshotOf(again.ack)).not.toHaveProperty('held');
    const settings = await app.http.get(`/events/${event.slug}/settings`).expect(200);
    expect((settings.body as { live: { wall: object } }).live.wall).toEqual({
      scene: 'wall',
      notice: 'A minute of silence',
      paused: false,
      nextGoal: null,
      sound: false,
      pausedAt: null,
    });
  });

  it('the remote control reaches walls of other processes without Redis', async () => {
    const event = await newEvent();
    const other = await startApp({}, {}, app.databaseUrl);
    try {
      const { wall, ack } = await watch({ eventId: event.slug, snapshot: true }, other.url);
      expect(snapshotOf(ack).wall).toEqual(USUAL);
      await control(event, { notice: 'To the bar, please' });
      await untilTold(wall, { notice: 'To the bar, please' });
      await control(event, { notice: null });
      await untilTold(wall, { notice: '' });
      expect(told(wall)).toHaveLength(2);
    } finally {
      await other.close();
    }
  });

  it('the remote control uses the settings of the organization until the event has its own', async () => {
    const event = await newEvent();
    const { wall } = await watch({ eventId: event.slug, snapshot: true });
    await admin
      .patch('/settings/global', { live: { wall: { notice: 'All venues: thank you' } } })
      .expect(200);
    await untilTold(wall, { notice: 'All venues: thank you' });
    await control(event, { notice: 'Not here', paused: true });
    await untilTold(wall, { notice: 'Not here', paused: true });
    await admin.delete(`/events/${event.slug}/branding`).expect(200);
    await untilTold(wall, { notice: 'All venues: thank you', paused: false });
    await admin.patch('/settings/global', { live: { wall: null } }).expect(200);
    await untilTold(wall, { notice: '' });
  });

  it('only admins may use the remote control; its text is one short line, and the audit records the change', async () => {
    const event = await newEvent();
    const staff = await createStaff(app, await adminToken(app), event.id);
    const path = `/events/${event.slug}/settings`;
    const body = { live: { wall: { paused: true } } };
    await app.http.patch(path).send(body).expect(401);
    await as(app, staff.token).patch(path, body).expect(403);
    for (const [wall, problem] of [
      [{ notice: 'x'.repeat(141) }, 'live.wall.notice must be at most 140 characters'],
      [{ notice: 'two\nlines' }, 'live.wall.notice must be one line'],
      [{ notice: 'turned \u202e around' }, 'live.wall.notice must not contain text direction overrides'],
      [{ scene: 'fireworks' }, 'live.wall.scene must be one of wall, qr, board'],
      [{ paused: 'yes' }, 'live.wall.paused must be a boolean'],
    ] as const)
      expect((await admin.patch(path, { live: { wall } }).expect(400)).body).toMatchObject({
        message: problem,
      });
    await control(event, { notice: 'x'.repeat(140), paused: true });
    const [entry] = await sql<{ detail: Record<string, Record<string, unknown>> }>(
      app,
      "SELECT detail FROM audit_entry WHERE action = 'event.settings' AND subject_id = $1",
      [event.id],
    );
    expect(entry?.detail).toMatchObject({
      fields: ['live.wall.notice', 'live.wall.paused'],
      before: { 'live.wall.paused': null },
      after: { 'live.wall.paused': true },
    });
  });
});
