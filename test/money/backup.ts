import pg from 'pg';
import { newId } from '../../src/common/crypto/ids.js';
import type { TestApp } from '../support/app.js';

const DEADLOCK = '40P01';

/**
 * A copy of every table at one moment. A restore deletes all later rows, as with a real backup. The tables come from
 * PostgreSQL's catalogue, so no new table is forgotten.
 */
export class Backup {
  private readonly schema = `backup_${newId().replaceAll('-', '')}`;

  private constructor(
    private readonly databaseUrl: string,
    private readonly tables: readonly Table[],
  ) {}

  static async take(app: Pick<TestApp, 'databaseUrl'>): Promise<Backup> {
    return await connected(app.databaseUrl, async (client) => {
      const { rows } = await client.query<Table>(TABLES);
      const backup = new Backup(app.databaseUrl, rows);
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await client.query(`CREATE SCHEMA ${backup.schema}`);
      for (const { name, columns } of rows)
        await client.query(`CREATE TABLE ${backup.schema}.${name} AS SELECT ${columns} FROM public.${name}`);
      await client.query('COMMIT');
      return backup;
    });
  }

  async restore(): Promise<void> {
    await connected(this.databaseUrl, async (client) => {
      for (let attempt = 0; ; attempt += 1)
        try {
          await this.putBack(client);
          return;
        } catch (error) {
          await client.query('ROLLBACK');
          if ((error as { code?: string }).code !== DEADLOCK || attempt === 5) throw error;
        }
    });
  }

  private async putBack(client: pg.Client): Promise<void> {
    await client.query('BEGIN');
    // The rows are valid only together, so PostgreSQL does not check foreign keys row by row. pg_restore does the same.
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(`TRUNCATE ${this.tables.map(({ name }) => `public.${name}`).join(', ')}`);
    for (const { name, columns } of this.tables)
      await client.query(
        `INSERT INTO public.${name} (${columns}) SELECT ${columns} FROM ${this.schema}.${name}`,
      );
    await client.query('COMMIT');
  }

  async drop(): Promise<void> {
    await connected(this.databaseUrl, (client) => client.query(`DROP SCHEMA ${this.schema} CASCADE`));
  }
}

interface Table {
  readonly name: string;
  readonly columns: string;
}

const TABLES = `SELECT quote_ident(t.table_name) AS name, string_agg(quote_ident(c.column_name), ', ') AS columns
   FROM information_schema.tables t JOIN information_schema.columns c USING (table_schema, table_name)
  WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND t.table_name <> '_prisma_migrations'
    AND c.is_generated = 'NEVER'
  GROUP BY 1 ORDER BY 1`;

async function connected<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
