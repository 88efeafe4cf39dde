import { describe, expect, it } from '@jest/globals';
import type { WebSocket } from 'ws';
import { startApp } from '../support/app.js';
import { DonationBook } from '../support/donations.js';
import { WallClient } from '../support/wall-client.js';
import { insertManyDonations } from '../support/donation-rows.js';
import { withService } from '../support/setup.js';

describe('a socket that reads nothing', () => {
  const app = withService();
  const book = new DonationBook(app);

  it('a socket with a full queue is disconnected, delays no other socket and gets all messages when it returns', async () => {
    const event = await book.event();
    const [slow, fast] = [await WallClient.connect(app.url), await WallClient.connect(app.url)];
    for (const wall of [slow, fast]) await wall.join(event.id);
    const { transport } = slow.socket.io.engine as unknown as { transport: { ws: WebSocket } };
    transport.ws.pause();

    // Large messages fill the buffers of both kernels. So later messages wait in the server.
    const donations = 4_000;
    await insertManyDonations(app, event.id, donations, {
      donor_name: "repeat('n', 200)",
      message: "repeat('€', 1900)",
    });
    const all = await book.query<{ id: string }>('SELECT id FROM donation WHERE event_id = $1', [event.id]);
    for (let from = 0; from < donations; from += 20) {
      await book.query(
        `INSERT INTO outbox (event_id, topic, donation_id) SELECT $1, 'donation.created', unnest($2::uuid[])`,
        [event.id, all.slice(from, from + 20).map(({ id }) => id)],
      );
      await book.query("SELECT pg_notify('donations_outbox', '')");
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await fast.until(() => fast.created.length === donations, 'all donations', 30_000);
    expect(fast.created.map(({ body }) => body.sequence)).toEqual(
      Array.from({ length: donations }, (_, index) => index + 1),
    );

    const cut = new Promise((resolve) => slow.socket.once('disconnect', resolve));
    transport.ws.resume();
    expect(await cut).toMatch(/transport/);
    const last = slow.created.at(-1)?.body.sequence ?? 0;
    expect(last).toBeLessThan(donations);
    const back = await WallClient.connect(app.url);
    expect(await back.join({ eventId: event.id, since: last })).toMatchObject({
      joined: true,
      sequence: donations,
    });
    for (const wall of [back, fast]) wall.close();
  }, 60_000);

  it('a socket that reads nothing does not prevent the server from stopping', async () => {
    const other = await startApp();
    const ledger = new DonationBook(other);
    const event = await ledger.event();
    const wall = await WallClient.connect(other.url);
    await wall.join(event.id);
    const { transport } = wall.socket.io.engine as unknown as { transport: { ws: WebSocket } };
    transport.ws.pause();
    const began = performance.now();
    await other.close();
    expect(performance.now() - began).toBeLessThan(8_000);
    wall.close();
  }, 60_000);
});
