import { createHash } from 'node:crypto';
import pg from 'pg';
import { AppConfig } from '../../config/app-config.js';
import { connectionOptions } from '../connections.js';

// Reads the identity from the server. A number stored in a table would also be in a restored copy, and the copy would then
// publish to the walls of the original.
const IDENTITY = `SELECT (SELECT system_identifier FROM pg_control_system())::text AS server,
    (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database`;

/**
 * Returns the configuration with the name that separates this installation from others in a shared Redis. By default, all
 * processes derive the same name from the database server and the database. `INSTALLATION` overrides this name.
 */
export async function withInstallation(config: AppConfig): Promise<AppConfig> {
  if (config.redisUrl === undefined || config.installation !== '') return config;
  const client = new pg.Client(connectionOptions(config.databaseUrl, 'donations-start'));
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ server: string; database: string }>(IDENTITY);
    const names = `${rows[0]?.server ?? ''}/${rows[0]?.database ?? ''}`;
    const installation = createHash('sha256').update(names).digest('base64url').slice(0, 12);
    return new AppConfig(Object.assign({}, config, { installation }));
  } finally {
    await client.end().catch(() => undefined);
  }
}
