// A server for temporary databases: the one in DATABASE_URL, or an embedded one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres.mjs';

/**
 * @param {string} [folder] data folder of an embedded server
 * @returns {Promise<{ adminUrl: string, stop?: () => Promise<void> }>} `stop` only for an embedded server
 */
export async function scratchServer(folder = tmpdir()) {
  if (process.env.DATABASE_URL) return { adminUrl: process.env.DATABASE_URL };
  const dataDir = mkdtempSync(join(folder, 'donations-scratch-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  // If Ctrl-C skips `stop`, the server still ends with this process.
  process.once('exit', remove);
  const server = await startEmbeddedPostgres({ dataDir, throwaway: true, maxConnections: 300 });
  const stop = async () => {
    await server.stop();
    remove();
  };
  return { adminUrl: server.url, stop };
}

/** Runs `work` on a connection of the server's administrator. */
export async function asAdmin(adminUrl, work) {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** Creates an empty UTF-8 database. @returns {Promise<string>} its URL */
export async function createEmptyDatabase(adminUrl, name) {
  await asAdmin(adminUrl, async (admin) => {
    const create = `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`;
    try {
      await admin.query(create);
    } catch (error) {
      if (error.code !== '22023') throw error;
      // The default locale of this server does not support UTF-8.
      await admin.query(`${create} LOCALE 'C'`);
    }
  });
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Deletes all databases whose name begins with `prefix` and for which `which` returns true, even if they have open
 * connections.
 */
export async function dropDatabases(adminUrl, prefix, which = () => true) {
  await asAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query(
      'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    );
    for (const { name } of rows.filter((row) => which(row.name))) {
      await admin.query(`DROP DATABASE IF EXISTS ${admin.escapeIdentifier(name)} WITH (FORCE)`);
    }
  });
}
