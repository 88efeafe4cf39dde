import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { errorBody } from '../support/bearer.js';
import { connections } from '../support/database.js';
import { createEvent, sql } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';
import { until } from '../support/until.js';

const { app, admin } = withEvent();

const REQUESTS: Record<string, (eventId: string) => ReturnType<typeof admin.post>> = {
  'a donation': (eventId) => admin.post('/donations', { eventId, amount: 500, type: 'cash' }),
  'a pledge round': (eventId) => admin.post('/pledge-rounds', { eventId, amount: 500 }),
  'a guest': (eventId) => admin.post(`/events/${eventId}/guests`, { name: 'Ada' }),
  'a walk-in': (eventId) => admin.post(`/events/${eventId}/guests/walk-ins`, { id: newId(), name: 'Ada' }),
  'an uploaded list': (eventId) =>
    admin
      .post(`/events/${eventId}/imports?fileName=guests.csv`)
      .set('Content-Type', 'application/octet-stream')
      .send(Buffer.from('Name\nAda\n')),
  'a code for a terminal': (eventId) => admin.post('/terminals/codes', { name: 'Door', eventId }),
};

describe('an event that another admin deletes at the same moment', () => {
  it.each(Object.keys(REQUESTS))('answers 404 to %s', async (name) => {
    const event = await createEvent(app, admin.token);
    const other = await connections(app.databaseUrl).connect();
    try {
      await other.query('BEGIN');
      await other.query('DELETE FROM event_total WHERE event_id = $1', [event.id]);
      await other.query('DELETE FROM event WHERE id = $1', [event.id]);
      const answer = REQUESTS[name]?.(event.id).then((response) => response);
      await until(async () => {
        const waiting =
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        return (await sql(app, waiting)).length > 0;
      }, 'the request waits for the end of the deletion');
      await other.query('COMMIT');
      expect((await answer)?.body).toEqual(errorBody(404, 'Not Found', 'EVENT_NOT_FOUND'));
    } finally {
      other.release();
    }
  });
});
