import type pg from 'pg';
import { newId } from '../../src/common/crypto/ids.js';
import type { TestApp } from './app.js';
import { connections } from './database.js';
import { insertDonation } from './donation-rows.js';
import { sql } from './fixtures.js';

export interface DonationFields {
  readonly amount?: number;
  readonly currency?: string;
  readonly name?: string | null;
  readonly message?: string | null;
  readonly messageState?: 'visible' | 'held' | 'hidden';
  readonly anonymous?: boolean;
}

type Topic = 'donation.created' | 'donation.updated' | 'donation.retracted';

/**
 * Inserts donations directly into the database, as another instance would do: row, totals and outbox in one transaction, then
 * the notification. For tests of the live channel, not of recording.
 */
export class DonationBook {
  constructor(private readonly app: Pick<TestApp, 'databaseUrl'>) {}

  async event(fields: Record<string, unknown> = {}): Promise<{ id: string; slug: string }> {
    const id = newId();
    const row: Record<string, unknown> = {
      id,
      slug: `event-${id.slice(-12)}`,
      name: 'Summer Gala',
      goal_amount: 1_000_000,
      currency: 'eur',
      ...fields,
    };
    const names = Object.keys(row);
    await sql(
      this.app,
      `INSERT INTO event (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(row),
    );
    return { id, slug: String(row.slug) };
  }

  /** Commits one completed donation. Returns its id. */
  async give(eventId: string, fields: DonationFields = {}): Promise<string> {
    const { amount = 2500, currency = 'eur', name = 'Ada Lovelace', message = null } = fields;
    let id = '';
    await this.inTransaction(async (client) => {
      id = await insertDonation(client, eventId, {
        amount,
        currency,
        donorName: name,
        donorEmail: null,
        isAnonymous: fields.anonymous ?? false,
        message,
        messageState: fields.messageState ?? 'visible',
      });
      await client.query(
        `INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count) VALUES ($1, $2, 0, $3, 1)
         ON CONFLICT (event_id, currency, shard) DO UPDATE
           SET total_raised = event_total.total_raised + excluded.total_raised,
               donor_count = event_total.donor_count + 1`,
        [eventId, currency, amount],
      );
      await append(client, 'donation.created', id);
    });
    await this.wake();
    return id;
  }

  /** Changes columns of a donation, and announces the change to the walls. */
  async change(id: string, topic: Topic, columns: Record<string, unknown> = {}): Promise<void> {
    await this.inTransaction(async (client) => {
      const names = Object.keys(columns);
      if (names.length > 0)
        await client.query(
          `UPDATE donation SET ${names.map((name, index) => `${name} = $${index + 2}`).join(', ')} WHERE id = $1`,
          [id, ...Object.values(columns)],
        );
      await append(client, topic, id);
    });
    await this.wake();
  }

  query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return sql<Row>(this.app, text, values);
  }

  private async wake(): Promise<void> {
    await sql(this.app, "SELECT pg_notify('donations_outbox', '')");
  }

  private async inTransaction(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    const client = await connections(this.app.databaseUrl).connect();
    try {
      await client.query('BEGIN');
      await work(client);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  }
}

async function append(client: pg.PoolClient, topic: Topic, donationId: string): Promise<void> {
  await client.query(
    'INSERT INTO outbox (event_id, topic, donation_id) SELECT event_id, $1, id FROM donation WHERE id = $2',
    [topic, donationId],
  );
}
