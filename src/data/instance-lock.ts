import type pg from 'pg';
import { INSTANCE_SEED } from './advisory-locks.js';
import { Borrowed } from './connections.js';

/**
 * Takes a lock that only one instance can hold, runs `work`, and returns its result. If another instance holds the lock,
 * returns undefined without running `work`. The lock ends with the connection, so a crash releases the lock.
 */
export async function withInstanceLock<Result>(
  pool: pg.Pool,
  name: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const borrowed = new Borrowed(await pool.connect());
  const { client } = borrowed;
  try {
    const { rows } = await client.query<{ held: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended($1, ${INSTANCE_SEED})) AS held`,
      [name],
    );
    if (!rows[0]?.held) return undefined;
    try {
      return await work();
    } finally {
      await client
        .query(`SELECT pg_advisory_unlock(hashtextextended($1, ${INSTANCE_SEED}))`, [name])
        .catch((error: unknown) => (borrowed.broken ??= error as Error));
    }
  } finally {
    borrowed.release();
  }
}
