import type { TestApp } from '../support/app.js';
import { keptTotals, recount } from '../support/books.js';
import { sql } from '../support/fixtures.js';

/** Control characters except the tab and the line breaks of multi-line text. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/;

const isClean = (text: string) =>
  text.isWellFormed() && text.normalize('NFC') === text && !CONTROL.test(text);

/** Returns every text of a JSON value, including field names. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsOf(inner)]);
}

/** Returns every stored text with forbidden characters, and the number of texts that it read. */
export async function uncleanTexts(app: TestApp): Promise<{ unclean: string[]; read: number }> {
  const columns = await sql<{ table: string; column: string }>(
    app,
    `SELECT c.table_name AS "table", c.column_name AS "column"
     FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
       AND c.data_type IN ('text', 'character varying', 'character', 'json', 'jsonb', 'ARRAY')`,
  );
  const unclean: string[] = [];
  let read = 0;
  for (const { table, column } of columns) {
    const rows = await sql<{ value: unknown }>(
      app,
      `SELECT DISTINCT to_jsonb("${column}") AS value FROM "${table}" WHERE "${column}" IS NOT NULL`,
    );
    for (const text of rows.flatMap(({ value }) => textsOf(value))) {
      read++;
      if (!isClean(text)) unclean.push(`${table}.${column}: ${JSON.stringify(text).slice(0, 200)}`);
    }
  }
  return { unclean, read };
}

/** Returns the running totals and a recount of the donations, both without zero totals. */
export async function books(app: TestApp): Promise<{ kept: unknown; counted: unknown }> {
  const counted = await recount(app);
  return {
    kept: await keptTotals(app),
    counted: counted.filter(({ totalRaised, donorCount }) => totalRaised !== '0' || donorCount !== '0'),
  };
}
