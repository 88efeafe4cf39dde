import { describe, expect, it } from '@jest/globals';
import { createEvent, sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const ROUNDS = 12;

const app = withService();
const admin = withAdmin(app);

const give = (eventId: string) => admin.post('/donations', { eventId, amount: 100, type: 'cash' });

describe('donations during a change of their event', () => {
  it('simultaneous donations have the currency of the event, before or after its change', async () => {
    const ends = new Set<number>();
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await createEvent(app, admin.token);
      const donations = Array.from({ length: round % 4 }, () => give(id));
      const change = admin.patch(`/events/${id}`, { currency: 'usd' });
      const [changed, ...given] = await Promise.all([change, ...donations, give(id)]);
      expect(given.map(({ status }) => status)).toEqual(given.map(() => 201));
      expect([200, 409]).toContain(changed.status);
      ends.add(changed.status);
      const rows = await sql(
        app,
        `SELECT 1 FROM donation JOIN event ON event.id = event_id
         WHERE event_id = $1 AND donation.currency <> event.currency`,
        [id],
      );
      expect(rows).toEqual([]);
    }
    expect(ends.size).toBeGreaterThan(0);
  });

  it('a simultaneous donation either prevents the deletion of its event or is refused', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await createEvent(app, admin.token);
      const [removed, given] = await Promise.all([admin.delete(`/events/${id}`), give(id)]);
      expect([
        [200, 404],
        [200, 409],
        [409, 201],
      ]).toContainEqual([removed.status, given.status]);
      const rows = await sql(app, 'SELECT 1 FROM event WHERE id = $1', [id]);
      expect(rows).toHaveLength(removed.status === 200 ? 0 : 1);
    }
  });
});
