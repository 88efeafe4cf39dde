// Checks that prisma/schema.prisma and prisma/migrations describe the same tables: applies the migrations to an empty database
// and compares it with the schema. Only the migrations contain checks, partial indexes, expression indexes and triggers.
import { randomBytes } from 'node:crypto';
import { applyMigrations } from '../dist/data/schema/migrate.js';
import { schemaDrift } from './schema-engine.mjs';
import { createEmptyDatabase, dropDatabases, scratchServer } from './scratch-server.mjs';

const { adminUrl, stop } = await scratchServer();
const name = `donations_schema_${randomBytes(6).toString('hex')}`;
try {
  const url = await createEmptyDatabase(adminUrl, name);
  await applyMigrations(url);
  const drift = await schemaDrift(url);
  if (drift) {
    console.error('The migrations do not match prisma/schema.prisma. Missing from them:\n');
    console.error(drift);
    process.exitCode = 1;
  }
  if ((await applyMigrations(url)).length > 0) {
    console.error('A second run of the migrations applied a migration again.');
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await (stop ? stop() : dropDatabases(adminUrl, name));
}
