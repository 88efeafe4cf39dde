import { describe, expect, it } from '@jest/globals';
import type { RehearsalDto } from '../../src/rehearsal/dto/rehearsal.dto.js';
import { sql } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';
import { until } from '../support/until.js';

const { app, admin, event } = withEvent();
const DONATIONS = 20_000;
const MOST_MS = 60_000;

describe('a rehearsal of 20,000 donations', () => {
  it('20,000 donations of a rehearsal are deleted in at most a minute, while the real event takes records', async () => {
    const { body } = await admin
      .post(`/events/${event.id}/rehearsal`, { withNames: false, mailTo: [] })
      .expect(201);
    const { eventId } = body as RehearsalDto;
    await sql(
      app,
      `WITH given AS (
         INSERT INTO donation (id, event_id, amount, currency, type, status, created_at, updated_at, completed_at)
         SELECT gen_random_uuid(), $1, 500, 'eur', 'cash', 'COMPLETED', now(), now(), now() FROM generate_series(1, $2)
         RETURNING id)
       INSERT INTO donation_history (id, donation_id, to_status, actor_kind, created_at)
       SELECT gen_random_uuid(), id, 'COMPLETED', 'system', now() FROM given`,
      [eventId, DONATIONS],
    );
    const began = performance.now();
    await admin.delete(`/events/${event.id}/rehearsal`).expect(202);
    const waits: number[] = [];
    await until(
      async () => {
        const asked = performance.now();
        await admin.post('/donations', { type: 'cash', amount: 100, eventId: event.id }).expect(201);
        waits.push(performance.now() - asked);
        return (await admin.get(`/events/${event.id}/rehearsal`)).status === 404;
      },
      'the deletion',
      { everyMs: 50, timeoutMs: MOST_MS },
    );
    expect(performance.now() - began).toBeLessThan(MOST_MS);
    expect(Math.max(...waits)).toBeLessThan(1_000);
    expect(await sql(app, 'SELECT 1 FROM donation WHERE event_id = $1', [eventId])).toEqual([]);
  });
});
