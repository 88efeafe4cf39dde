import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import pg from 'pg';

// Typed here because only the browser's type library declares it.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, unknown>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

interface EngineBindings {
  SchemaEngine: typeof SchemaEngine;
  __wbg_set_wasm(exports: Record<string, unknown>): void;
}

const INTERNAL_CHAR = 18;
const INTERNAL_CHAR_ARRAY = 1002;

class SchemaEngineAdapter extends PrismaPg {
  override async connect() {
    const connection = await super.connect();
    const queryRaw = connection.queryRaw.bind(connection);
    connection.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const columnTypes = result.columnTypes.map((type) =>
        type === ColumnTypeEnum.CharacterArray ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    // A migration is one script: split at its semicolons, a function body or a string would be torn apart.
    connection.executeScript = async (sql) => {
      await connection.executeRaw({ sql, args: [], argTypes: [] });
    };
    return connection;
  }
}

/**
 * The engine reads `"char"` columns of the catalogue, a type that the adapter knows in arrays only: they
 * pass through it as such, and `SchemaEngineAdapter` names them rightly again.
 */
function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    idleTimeoutMillis: 0,
    application_name: 'migrations',
  });
  const query = pool.query.bind(pool) as (config: pg.QueryConfig) => Promise<pg.QueryResult>;
  const readable = async (config: pg.QueryConfig) => {
    const result = await query(config);
    // Of a script with several statements, pg answers an array of results.
    for (const field of Array.isArray(result) ? [] : result.fields) {
      if (field.dataTypeID === INTERNAL_CHAR) field.dataTypeID = INTERNAL_CHAR_ARRAY;
    }
    return result;
  };
  return Object.assign(pool, { query: readable });
}

let bindings: Promise<EngineBindings> | undefined;

async function loadBindings(): Promise<EngineBindings> {
  // The package's own entry imports the .wasm file as a module, which Node 20 cannot.
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const folder = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));
  const bytes = await readFile(join(folder, 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': withIdleTimers(glue),
  });
  const loaded = glue as unknown as EngineBindings;
  // Where the engine, if it ever panics, leaves the reason.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (message: string) => process.stderr.write(`Prisma schema engine: ${message}\n`),
    },
  });
  loaded.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return loaded;
}

/** The engine leaves a ten-second timer behind, which must not hold up the end of the process. */
function withIdleTimers(glue: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const timers = Object.entries(glue).filter(([name]) => name.startsWith('__wbg_setTimeout_'));
  const unreferenced = timers.map(([name, start]) => [
    name,
    (...args: unknown[]) => (start as (...args: unknown[]) => NodeJS.Timeout)(...args).unref(),
  ]);
  return { ...glue, ...(Object.fromEntries(unreferenced) as Record<string, unknown>) };
}

/**
 * Runs `work` with Prisma's schema engine (as WebAssembly, so nothing is downloaded) connected to one
 * database, and closes the connection afterwards.
 *
 * @param datamodels path and text of each Prisma schema file; at least one, or the engine panics
 */
export async function withSchemaEngine<T>(
  databaseUrl: string,
  datamodels: [string, string][],
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  bindings ??= loadBindings();
  const { SchemaEngine: Engine } = await bindings;
  // One connection: the engine takes session locks of its own.
  const pool = openPool(databaseUrl);
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new SchemaEngineAdapter(pool));
    const engine = await Engine.new({ datamodels }, () => undefined, adapter);
    try {
      return await work(engine);
    } finally {
      engine.free();
    }
  } finally {
    await pool.end();
  }
}
