import type { TestApp } from './app.js';
import { sql } from './fixtures.js';
import { until } from './until.js';

const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Waits until a statement on this database waits for a lock. */
export const untilBlocked = (app: Pick<TestApp, 'databaseUrl'>): Promise<void> =>
  until(async () => (await sql(app, WAITING)).length > 0, 'a statement that waits for a lock');
