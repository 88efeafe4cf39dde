import { sql } from './fixtures.js';

/** Counts the rows of every table that contain one of the ids in any column. */
export async function rowsNaming(
  app: { readonly databaseUrl: string },
  ids: readonly string[],
): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }>(
    app,
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql<{ count: number }>(
      app,
      `SELECT count(*)::int AS count FROM "${name}" AS one WHERE one::text ~ $1`,
      [ids.join('|')],
    );
    if (row && row.count > 0) found[name] = row.count;
  }
  return found;
}
