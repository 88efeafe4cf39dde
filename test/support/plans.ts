import pg from 'pg';
import { REHEARSAL_DIGITS } from '../../src/common/crypto/rehearsal-ids.js';
import { GROWING } from '../../bench/growth/fill.mjs';

/** A statement that the service sent, or that its code defines. */
export interface Sent {
  readonly text: string;
  /** Name of the statement. PostgreSQL may keep the plan of a named statement. */
  readonly name?: string;
  readonly values?: readonly unknown[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Captures every statement that any connection of this process sends from now on. */
export function captureStatements(): { readonly sent: Map<string, Sent>; stop(): void } {
  const sent = new Map<string, Sent>();
  const { prototype } = pg.Client;

  const original = prototype.query as (...given: unknown[]) => unknown;
  prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [first, second] = given;
    const text = typeof first === 'string' ? first : (first as { text?: string } | null)?.text;
    const name = typeof first === 'object' ? (first as { name?: string } | null)?.name : undefined;
    const own = typeof first === 'object' ? (first as { values?: unknown[] } | null)?.values : undefined;
    const values = Array.isArray(second) ? (second as unknown[]) : own;
    if (typeof text === 'string') sent.set(text, { text, ...(name && { name }), ...(values && { values }) });
    return original.apply(this, given);
  } as typeof prototype.query;
  return {
    sent,
    stop: () => {
      prototype.query = original as typeof prototype.query;
    },
  };
}

const SPEAKS_OF = new RegExp(`\\b(?:${GROWING.join('|')})\\b`);

/** True if the statement reads or changes a table that grows with the donations. */
export const isAboutBooks = ({ text }: Sent): boolean =>
  /^\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE)\b/i.test(text) && SPEAKS_OF.test(text);

/**
 * Returns the places where a statement would read a growing table completely; empty if there are none. Reading the first rows
 * with a limit is allowed.
 */
export async function wholeReads(client: pg.Client, { text, values }: Sent): Promise<string[]> {
  const explained = await (values ? custom(client, text, values) : generic(client, text));
  return readsIn(
    explained,
    { partial: await partialIndexes(client), large: await largeTables(client) },
    false,
  );
}

interface Known {
  readonly partial: ReadonlySet<string>;
  readonly large: ReadonlySet<string>;
}

/** PostgreSQL reads a table of a few pages faster as a whole than with an index. */
const SMALL = 10_000;

async function largeTables(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT relname AS name FROM pg_class WHERE oid = ANY ($1::regclass[]) AND reltuples >= $2',
    [GROWING, SMALL],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Returns the indexes that contain only unfinished work. They are nearly empty for any number of donations. */
async function partialIndexes(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indpred IS NOT NULL',
  );
  return new Set(rows.map(({ name }) => name));
}

async function custom(client: pg.Client, text: string, values: readonly unknown[]): Promise<PlanNode> {
  const { rows } = await client.query<Explained>(`EXPLAIN (FORMAT JSON) ${text}`, [...values]);
  return planOf(rows);
}

/** Returns the generic plan, which PostgreSQL uses for a named statement from its sixth execution on. */
async function generic(client: pg.Client, text: string): Promise<PlanNode> {
  await client.query('SET plan_cache_mode = force_generic_plan');
  await client.query(`PREPARE looked_at AS ${text}`);
  try {
    const { rows: types } = await client.query<{ count: number }>(
      `SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'looked_at'`,
    );
    const count = types[0]?.count ?? 0;
    const nulls = count > 0 ? `(${Array.from({ length: count }, () => 'NULL').join(', ')})` : '';
    const { rows } = await client.query<Explained>(`EXPLAIN (FORMAT JSON) EXECUTE looked_at${nulls}`);
    return planOf(rows);
  } finally {
    await client.query('DEALLOCATE looked_at');
    await client.query('RESET plan_cache_mode');
  }
}

/** A row that `EXPLAIN` returns in JSON. */
export interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }];
}

/** Prefix for a statement. PostgreSQL then runs the statement and returns the input of `pagesTouched`. */
export const EXPLAIN_PAGES = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)';

/** Returns the number of pages that PostgreSQL read or changed for a statement. */
export function pagesTouched(rows: readonly Explained[]): number {
  const plan = planOf(rows);
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

function planOf(rows: readonly Explained[]): PlanNode {
  const [plan] = rows;
  if (!plan) throw new Error('the plan is missing');
  return plan['QUERY PLAN'][0].Plan;
}

/** A limited read with only this filter stops early: it passes over the rows of rehearsals, which are few and are deleted. */
const NO_REHEARSAL = `("right"((event_id)::text, ${REHEARSAL_DIGITS.length}) <> '${REHEARSAL_DIGITS}'::text)`;

function readsIn(node: PlanNode, known: Known, isLimited: boolean): string[] {
  const type = node['Node Type'];
  const below = isLimited ? !/^(?:Sort|Aggregate|Hash|HashAggregate)$/.test(type) : type === 'Limit';
  const deeper = (node.Plans ?? []).flatMap((one) => readsIn(one, known, below));
  const relation = node['Relation Name'];
  if (relation === undefined || !known.large.has(relation)) return deeper;
  const isSequential = type === 'Seq Scan';
  const isWhole = isSequential
    ? !isLimited || (node.Filter !== undefined && node.Filter !== NO_REHEARSAL)
    : /^Index (?:Only )?Scan$/.test(type) &&
      node['Index Cond'] === undefined &&
      !known.partial.has(node['Index Name'] ?? '') &&
      !isLimited;
  return isWhole
    ? [...deeper, `${type} on ${relation}${node.Filter ? ` where ${node.Filter}` : ''}`]
    : deeper;
}

/**
 * Makes the planner believe that each growing table and its indexes have `factor` times as many rows. The distribution of
 * values stays as measured. The number of pages stays small, so reading a whole table seems cheaper than in reality. If the
 * planner avoids it here, it also avoids it in reality.
 */
export async function pretendToBe(client: pg.Client, factor: number): Promise<void> {
  for (const table of GROWING) await client.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  await client.query(
    `UPDATE pg_class SET reltuples = reltuples * $2
      WHERE reltuples > 0 AND (oid = ANY ($1::regclass[]) OR oid IN
        (SELECT indexrelid FROM pg_index WHERE indrelid = ANY ($1::regclass[]) AND indpred IS NULL))`,
    [GROWING, factor],
  );
}
