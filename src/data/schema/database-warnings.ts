import type pg from 'pg';
import { connectClient } from '../connect.js';

interface ServerSettings {
  readonly encoding: string;
  readonly fsync: string;
  readonly synchronous_commit: string;
}

const READ = `SELECT current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS synchronous_commit`;

/** Command that creates a database that can store names in all scripts. */
export const MAKE_UTF8 = 'bash scripts/database/create.sh';

const WARNINGS: readonly (readonly [
  setting: string,
  when: (settings: ServerSettings) => boolean,
  says: string,
])[] = [
  [
    'server_encoding',
    ({ encoding }) => encoding !== 'UTF8',
    `The database is not encoded in UTF-8: unsupported characters in names are lost. Move it to one made with ${MAKE_UTF8}`,
  ],
  [
    'synchronous_commit',
    ({ synchronous_commit }) => synchronous_commit === 'off',
    'synchronous_commit is off: if the database server crashes, confirmed donations are lost',
  ],
  ['fsync', ({ fsync }) => fsync === 'off', 'fsync is off: a power cut can destroy the whole database'],
];

/** Returns the wrong settings of a usable database, each with a line for the operator. */
export async function settingsProblems(
  client: pg.Client,
): Promise<{ readonly setting: string; readonly says: string }[]> {
  const [settings] = (await client.query<ServerSettings>(READ)).rows;
  if (!settings) return [];
  return WARNINGS.filter(([, when]) => when(settings)).map(([setting, , says]) => ({ setting, says }));
}

/**
 * Returns one line for each problem of a usable database. The server logs the problems and still starts, because a running
 * event is more important.
 * @throws DatabaseUnusableError if the database is unavailable
 */
export async function databaseWarnings(databaseUrl: string): Promise<string[]> {
  const client = await connectClient(databaseUrl, 'donations-start');
  try {
    return (await settingsProblems(client)).map(({ says }) => says);
  } finally {
    await client.end();
  }
}
