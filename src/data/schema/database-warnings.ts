import { connectClient } from '../connect.js';

interface ServerSettings {
  readonly encoding: string;
  readonly fsync: string;
  readonly synchronous_commit: string;
}

const READ = `SELECT current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS synchronous_commit`;

/** How a database is made that holds every name. */
export const MAKE_UTF8 = 'bash scripts/database/create.sh';

const WARNINGS: readonly (readonly [when: (settings: ServerSettings) => boolean, says: string])[] = [
  [
    ({ encoding }) => encoding !== 'UTF8',
    `The database is not encoded in UTF-8: names that it cannot hold are lost. Move it to one made with ${MAKE_UTF8}`,
  ],
  [
    ({ synchronous_commit }) => synchronous_commit === 'off',
    'synchronous_commit is off: when the database server crashes, donations that were answered are lost',
  ],
  [({ fsync }) => fsync === 'off', 'fsync is off: a power cut can destroy the whole database'],
];

/**
 * What is wrong with a database that can be used all the same, a line each. Said, not refused: an evening goes on.
 * @throws DatabaseUnusableError when it cannot be asked
 */
export async function databaseWarnings(databaseUrl: string): Promise<string[]> {
  const client = await connectClient(databaseUrl, 'donations-start');
  try {
    const [settings] = (await client.query<ServerSettings>(READ)).rows;
    return settings ? WARNINGS.filter(([when]) => when(settings)).map(([, says]) => says) : [];
  } finally {
    await client.end();
  }
}
