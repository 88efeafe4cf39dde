// Prisma's schema engine as WebAssembly, so that nothing must be downloaded. For development only: the service itself applies
// its migrations without this engine (src/data/schema/migrate.ts).
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';

const INTERNAL_CHAR = 18;
const INTERNAL_CHAR_ARRAY = 1002;
const NO_FILTER = { externalTables: [], externalEnums: [] };
const EMPTY_SCHEMA = [['schema.prisma', 'datasource db { provider = "postgresql" }']];

class SchemaEngineAdapter extends PrismaPg {
  async connect() {
    const connection = await super.connect();
    const queryRaw = connection.queryRaw.bind(connection);
    connection.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const columnTypes = result.columnTypes.map((type) =>
        type === ColumnTypeEnum.CharacterArray ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    // Runs a migration as one script, because a split at semicolons would break function bodies and strings.
    connection.executeScript = async (sql) => {
      await connection.executeRaw({ sql, args: [], argTypes: [] });
    };
    return connection;
  }
}

/**
 * Opens a pool for the engine, which reads single `"char"` columns of the catalogue. The Prisma adapter knows this type only
 * in arrays. So the pool marks the columns as arrays, and `SchemaEngineAdapter` corrects their type.
 */
function openPool(connectionString) {
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    idleTimeoutMillis: 0,
    application_name: 'schema-engine',
  });
  const query = pool.query.bind(pool);
  const readable = async (config) => {
    const result = await query(config);
    // If a script has several statements, pg returns an array of results.
    for (const field of Array.isArray(result) ? [] : result.fields) {
      if (field.dataTypeID === INTERNAL_CHAR) field.dataTypeID = INTERNAL_CHAR_ARRAY;
    }
    return result;
  };
  return Object.assign(pool, { query: readable });
}

let bindings;

async function loadBindings() {
  // The package's own entry file imports the .wasm file as a module, which Node 20 cannot do.
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const folder = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));
  const bytes = await readFile(join(folder, 'schema_engine_bg.wasm'));
  const { instance } = await globalThis.WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': withIdleTimers(glue),
  });
  // If the engine panics, it writes the reason here.
  globalThis.PRISMA_WASM_PANIC_REGISTRY = {
    set_message: (message) => process.stderr.write(`Prisma schema engine: ${message}\n`),
  };
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return glue;
}

/** Changes the engine's timers so that they do not delay the end of the process. One of them takes ten seconds. */
function withIdleTimers(glue) {
  const timers = Object.entries(glue).filter(([name]) => name.startsWith('__wbg_setTimeout_'));
  const unreferenced = timers.map(([name, start]) => [name, (...args) => start(...args).unref()]);
  return { ...glue, ...Object.fromEntries(unreferenced) };
}

/** Runs `work` with the engine connected to one database, and then closes the connection. */
async function withSchemaEngine(databaseUrl, datamodels, work) {
  bindings ??= loadBindings();
  const { SchemaEngine } = await bindings;
  // The pool has one connection, because the engine uses session locks.
  const pool = openPool(databaseUrl);
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new SchemaEngineAdapter(pool));
    // The engine panics if it gets no data model.
    const engine = await SchemaEngine.new({ datamodels }, () => undefined, adapter);
    try {
      return await work(engine);
    } finally {
      engine.free();
    }
  } finally {
    await pool.end();
  }
}

/** Does the same as `prisma migrate deploy`, to compare with the service's own migration code. */
export async function deployAsPrisma(databaseUrl, migrations) {
  const migrationsList = {
    baseDir: '/migrations',
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
  return withSchemaEngine(databaseUrl, EMPTY_SCHEMA, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: NO_FILTER });
    return appliedMigrationNames;
  });
}

/**
 * Returns the statements that would make a migrated database match a Prisma schema.
 *
 * @returns SQL statements; empty if schema and migrations agree. It does not compare features that the Prisma language lacks
 * (check constraints, partial and expression indexes, triggers, storage settings).
 */
export async function schemaDrift(databaseUrl, schemaFile = 'prisma/schema.prisma') {
  const content = await readFile(schemaFile, 'utf8');
  return withSchemaEngine(databaseUrl, [[schemaFile, content]], async (engine) => {
    const { stdout } = await engine.diff({
      from: {
        tag: 'schemaDatasource',
        files: [{ path: schemaFile, content }],
        configDir: dirname(schemaFile),
      },
      to: { tag: 'schemaDatamodel', files: [{ path: schemaFile, content }] },
      script: true,
      exitCode: null,
      filters: NO_FILTER,
    });
    // A script with only comments has no statements.
    return (stdout ?? '').replace(/^--.*$/gm, '').trim();
  });
}
