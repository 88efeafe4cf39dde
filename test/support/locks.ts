import { Client } from 'pg';
import type { TestApp } from './app.js';
import { sql } from './fixtures.js';
import { until } from './until.js';

const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Waits until the given number of statements on this database wait for a lock. */
export const untilBlocked = (app: Pick<TestApp, 'databaseUrl'>, statements = 1): Promise<void> =>
  until(
    async () => (await sql(app, WAITING)).length >= statements,
    statements === 1 ? 'a statement that waits for a lock' : `${statements} statements that wait for locks`,
  );

/** The gate of `pausedAtOutbox`, an advisory lock that only these tests use. */
const GATE = 390_000_001;

/**
 * Stops the transaction that announces a donation at its outbox row, with all its locks, until `release` is called. The
 * outbox is written near the end of a transaction, so its reads and decisions are complete.
 */
export async function pausedAtOutbox(
  app: Pick<TestApp, 'databaseUrl'>,
  donationId: string,
): Promise<{ release(): Promise<void> }> {
  const gate = new Client({ connectionString: app.databaseUrl });
  await gate.connect();
  await gate.query(`SELECT pg_advisory_lock(${GATE})`);
  await sql(
    app,
    `CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN NEW; END $$;
     CREATE TRIGGER pause BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.donation_id = '${donationId}')
       EXECUTE FUNCTION pause()`,
  );
  return {
    release: async () => {
      // Ends the session and with it the lock.
      await gate.end();
      await sql(app, 'DROP TRIGGER pause ON outbox; DROP FUNCTION pause()');
    },
  };
}
