import { afterEach, describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { DonationBook } from '../support/donations.js';
import { withService } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';

describe('a wall that reconnects', () => {
  const app = withService();
  const book = new DonationBook(app);
  const open: WallClient[] = [];

  const connect = async () => {
    const client = await WallClient.connect(app.url);
    open.push(client);
    return client;
  };
  const published = async (eventId: string, count: number) => {
    for (;;) {
      const [row] = await book.query<{ last: string }>(
        'SELECT published_sequence AS last FROM event_feed WHERE event_id = $1',
        [eventId],
      );
      if (Number(row?.last) >= count) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const sequences = (wall: WallClient) => wall.donations.map(({ body }) => body.sequence);

  afterEach(() => {
    for (const client of open.splice(0)) client.close();
  });

  it('a reconnected wall gets its missed messages once, in order, before the answer', async () => {
    const event = await book.event();
    const first = await connect();
    await first.join(event.id);
    await book.give(event.id, { name: 'One' });
    await first.until(() => first.created.length === 1);
    first.close();
    const id = await book.give(event.id, { name: 'Two' });
    await book.give(event.id, { name: 'Three' });
    await book.change(id, 'donation.updated', { donor_name: 'Zwei' });
    await published(event.id, 4);

    const again = await connect();
    const heardAtAnswer = again
      .join({ eventId: event.id, since: 1 })
      .then((ack) => ({ ack, received: sequences(again) }));
    expect(await heardAtAnswer).toEqual({
      ack: { joined: true, eventId: event.id, sequence: 4 },
      received: [2, 3, 4],
    });
    expect(again.donations.map(({ topic }) => topic)).toEqual([
      'donation.created',
      'donation.created',
      'donation.updated',
    ]);
    await book.give(event.id);
    await again.until(() => sequences(again).at(-1) === 5);
    expect(sequences(again)).toEqual([2, 3, 4, 5]);
  });

  it('a replay never contains names or messages that were hidden, made anonymous or erased', async () => {
    const event = await book.event();
    const id = await book.give(event.id, { name: 'Secret Person', message: 'Secret words' });
    const other = await book.give(event.id, { name: 'Other Secret', message: 'Visible' });
    await published(event.id, 2);
    await book.query('UPDATE donation SET is_anonymous = true, message_state = $2 WHERE id = $1', [
      id,
      'hidden',
    ]);
    await book.query('UPDATE donation SET donor_name = NULL WHERE id = $1', [other]);
    const wall = await connect();
    await wall.join({ eventId: event.id, since: 0 });
    const { snapshot } = await (await connect()).join({ eventId: event.id, snapshot: true });
    expect(wall.created.map(({ body }) => [body.donorName, body.message])).toEqual([
      ['Anonymous', undefined],
      ['Anonymous', 'Visible'],
    ]);
    expect(JSON.stringify([wall.received, snapshot])).not.toContain('Secret');
  });

  it('a replay of a cancelled donation contains the donation and then its retraction', async () => {
    const event = await book.event();
    const id = await book.give(event.id);
    await book.change(id, 'donation.retracted', { status: 'REFUNDED', refunded_amount: 2500 });
    await published(event.id, 2);
    const wall = await connect();
    await wall.join({ eventId: event.id, since: 0 });
    expect(wall.donations.map(({ topic, body }) => [topic, body.id, body.reason])).toEqual([
      ['donation.created', id, undefined],
      ['donation.retracted', id, 'refunded'],
    ]);
  });

  it('a wall that asks for a snapshot gets totals and the newest donations first, but no open pledge', async () => {
    const event = await book.event();
    await book.give(event.id, { amount: 100, name: 'Older' });
    const id = await book.give(event.id, { amount: 200, name: 'Newer', message: 'Hi' });
    await book.give(event.id, { amount: 5_000, currency: 'usd' });
    const gone = await book.give(event.id, { amount: 1 });
    await book.change(gone, 'donation.retracted', { status: 'CANCELLED' });
    await book.query(
      "UPDATE event_total SET total_raised = total_raised - 1, donor_count = 2 WHERE event_id = $1 AND currency = 'eur'",
      [event.id],
    );
    await published(event.id, 5);
    const ack = await (await connect()).join({ eventId: event.slug, snapshot: true });
    expect(ack).toEqual({
      joined: true,
      eventId: event.id,
      sequence: 5,
      snapshot: {
        eventId: event.id,
        milestones: [],
        sequence: 5,
        currency: 'eur',
        goalAmount: 1_000_000,
        totalRaised: 300,
        donorCount: 2,
        totals: [
          { currency: 'eur', totalRaised: 300, donorCount: 2 },
          { currency: 'usd', totalRaised: 5_000, donorCount: 1 },
        ],
        donations: [
          expect.objectContaining({ currency: 'usd' }),
          {
            id,
            eventId: event.id,
            amount: 200,
            currency: 'eur',
            donorName: 'Newer',
            message: 'Hi',
            createdAt: expect.any(String),
          },
          expect.objectContaining({ donorName: 'Older' }),
        ],
        wall: { scene: 'wall', notice: '', paused: false },
      },
    });
  });

  it('a wall gets a snapshot if its missed messages are deleted, too many or from another database', async () => {
    const event = await book.event();
    for (let count = 0; count < 3; count++) await book.give(event.id);
    await published(event.id, 3);
    const wall = await connect();
    expect(await wall.join({ eventId: event.id, since: 99 })).toMatchObject({ resync: true, sequence: 3 });
    await book.query(
      "UPDATE outbox SET created_at = now() - interval '49 hours' WHERE event_id = $1 AND sequence = 1",
      [event.id],
    );
    const ack = await wall.join({ eventId: event.id, since: 0 });
    expect(ack).toMatchObject({
      joined: true,
      resync: true,
      sequence: 3,
      snapshot: { sequence: 3, totalRaised: 7500 },
    });
    expect(wall.donations).toEqual([]);
    expect(await wall.join({ eventId: event.id, since: 1 })).toEqual({
      joined: true,
      eventId: event.id,
      sequence: 3,
    });
    expect(sequences(wall)).toEqual([2, 3]);

    await book.query(
      `INSERT INTO outbox (event_id, topic, donation_id) SELECT event_id, topic, donation_id FROM outbox, generate_series(1, 600)
        WHERE event_id = $1 AND sequence = 3`,
      [event.id],
    );
    await published(event.id, 603);
    const late = await connect();
    expect(await late.join({ eventId: event.id, since: 3 })).toMatchObject({ resync: true, sequence: 603 });
    expect(await late.join({ eventId: event.id, since: 103 })).toEqual({
      joined: true,
      eventId: event.id,
      sequence: 603,
    });
    expect(sequences(late)).toHaveLength(500);
  });

  it('many walls that reconnect at once each get the messages after their own position', async () => {
    const event = await book.event();
    for (let count = 0; count < 20; count++) await book.give(event.id);
    await published(event.id, 20);
    const walls = await Promise.all(Array.from({ length: 20 }, connect));
    const acks = await Promise.all(walls.map((wall, since) => wall.join({ eventId: event.id, since })));
    walls.forEach((wall, since) => {
      expect(acks[since]).toEqual({ joined: true, eventId: event.id, sequence: 20 });
      expect(sequences(wall)).toEqual(Array.from({ length: 20 - since }, (_, index) => since + index + 1));
    });
  });

  it('a wall that joins repeatedly during donations loses nothing and receives nothing twice', async () => {
    const event = await book.event();
    const known = new Set<number>();
    let last = 0;
    const progress = { given: 0 };
    const donations = (async () => {
      for (; progress.given < 150; progress.given++) await book.give(event.id);
    })();
    while (progress.given < 150) {
      const wall = await connect();
      const ack = await wall.join({ eventId: event.id, since: last });
      await new Promise((resolve) => setTimeout(resolve, 20));
      wall.close();
      // Rules of the order: the wall ignores messages at or below its position, and keeps later messages until the gap is
      // filled.
      const ahead = new Map(wall.donations.map(({ body }) => [body.sequence, body]));
      while (ahead.has(last + 1)) {
        expect(known.has(++last)).toBe(false);
        known.add(last);
      }
      expect(last).toBeGreaterThanOrEqual(ack.sequence);
    }
    await donations;
    await published(event.id, 150);
    const wall = await connect();
    await wall.join({ eventId: event.id, since: last });
    for (const sequence of sequences(wall)) known.add(sequence);
    expect(known.size).toBe(150);
  });

  it('messages older than 48 hours are deleted, and the numbering continues', async () => {
    const database = await createTestDatabase();
    const ledger = new DonationBook({ databaseUrl: database.url });
    const event = await ledger.event();
    await ledger.give(event.id);
    await ledger.query("UPDATE outbox SET sequence = 1, created_at = now() - interval '49 hours'");
    await ledger.query(
      'INSERT INTO event_feed (event_id, last_sequence, published_sequence) VALUES ($1, 1, 1)',
      [event.id],
    );
    const later = await startApp({}, {}, database.url);
    try {
      while ((await ledger.query('SELECT 1 FROM outbox')).length > 0)
        await new Promise((resolve) => setTimeout(resolve, 20));
      const wall = await WallClient.connect(later.url);
      expect(await wall.join(event.id)).toMatchObject({ sequence: 1 });
      await ledger.give(event.id);
      await wall.until(() => wall.created.length === 1);
      expect(wall.created[0]?.body.sequence).toBe(2);
      wall.close();
    } finally {
      await later.close();
      await database.drop();
    }
  });
});
