import { beforeEach, describe, expect, it } from '@jest/globals';
import { RehearsalEndings } from '../../src/rehearsal/rehearsal-endings.service.js';
import { sql } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';

const { app, admin, event } = withEvent({ each: true });
const DAY_MS = 86_400_000;
const after = (days: number) => app.app.get(RehearsalEndings).endIdle(Date.now() + days * DAY_MS);
const notices = () =>
  sql(
    app,
    "SELECT 1 FROM review_item WHERE kind = 'rehearsal_ending' AND subject = $1 AND resolved_at IS NULL",
    [`event:${event.id}`],
  );
const status = async () => (await admin.get(`/events/${event.id}/rehearsal`)).status;

beforeEach(async () => {
  await admin.post(`/events/${event.id}/rehearsal`, { withNames: false, mailTo: [] }).expect(201);
});

describe('a rehearsal without use', () => {
  it('a rehearsal without use is announced after 13 days and deleted after 14 days', async () => {
    await after(12);
    expect(await notices()).toHaveLength(0);
    await after(13.5);
    expect(await notices()).toHaveLength(1);
    expect(await status()).toBe(200);
    await after(14);
    await app.app.get(RehearsalEndings).resume();
    expect(await status()).toBe(404);
    expect(await notices()).toHaveLength(0);
  });

  it('a rehearsal stays after a new record, and the announcement is withdrawn', async () => {
    await after(13.5);
    const { body } = await admin.get(`/events/${event.id}/rehearsal`).expect(200);
    const { eventId } = body as { eventId: string };
    await sql(app, "UPDATE rehearsal SET started_at = started_at - interval '20 days' WHERE event_id = $1", [
      eventId,
    ]);
    await admin.post('/donations', { type: 'cash', amount: 500, eventId }).expect(201);
    await after(0);
    expect(await notices()).toHaveLength(0);
    expect(await status()).toBe(200);
  });
});
