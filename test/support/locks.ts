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

/** The advisory lock of `pausedAtOutbox`. Only these tests use this number. */
const GATE = 390_000_001;

/**
 * Stops a transaction when it writes its outbox row, while it keeps all its locks, until `release` is called. A transaction
 * writes the outbox near its end, so its reads and decisions are complete.
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
      // The lock ends with its session.
      await gate.end();
      await sql(app, 'DROP TRIGGER pause ON outbox; DROP FUNCTION pause()');
    },
  };
}
