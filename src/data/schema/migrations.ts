import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT_FOLDER } from '../../common/root-folder.js';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('prisma/migrations', ROOT_FOLDER));

/** A migration could not be applied, or the schema does not fit this release. The message explains how to solve the problem. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** One folder of `prisma/migrations`. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of `migration.sql`, as computed by the Prisma tools. */
  readonly checksum: string;
}

/** A row of `_prisma_migrations` that was not rolled back. */
export interface AppliedMigration {
  readonly id: string;
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
}

/** Reads the migration history. Fails with error 42P01 if no migration was ever applied. */
export const APPLIED_MIGRATIONS = `SELECT id, migration_name, checksum, finished_at FROM _prisma_migrations
   WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`;

/**
 * Returns the migrations of a folder, oldest first.
 * @throws MigrationError if the folder or the script of a migration does not exist
 */
export async function readMigrations(folder = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const names = await migrationNames(folder);
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8').catch(() => {
        throw new MigrationError(`The migration ${name} has no migration.sql.`);
      });
      return { name, sql, checksum: sha256(sql) };
    }),
  );
}

/** Returns the names of the migrations, oldest first. */
export async function migrationNames(folder = MIGRATIONS_FOLDER): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw new MigrationError(`The migrations folder ${folder} does not exist.`);
  });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** True if the text of a migration equals the applied text, apart from line endings. */
export function isUnedited({ sql, checksum }: Migration, applied: AppliedMigration): boolean {
  if (checksum === applied.checksum) return true;
  // Git on Windows may turn LF into CRLF. Prisma accepts both.
  const lf = sql.replaceAll('\r\n', '\n');
  return [sha256(lf), sha256(lf.replaceAll('\n', '\r\n'))].includes(applied.checksum);
}

/** Maximum number of names of migrations in a message. For the others, the message contains only their number. */
const NAMED = 5;

/**
 * Returns the problem of a schema that this release cannot use, in one line; undefined if the schema fits. A newer migration
 * with a name `<time>_expand_…` only adds objects that earlier releases can ignore, so that the old and the new release run
 * together during an upgrade. Any other unknown migration makes the schema too new.
 */
export function schemaProblem(
  known: readonly string[],
  applied: readonly Pick<AppliedMigration, 'migration_name' | 'finished_at'>[],
): string | undefined {
  const finished = applied.filter(({ finished_at }) => finished_at !== null);
  const names = new Set(finished.map(({ migration_name }) => migration_name));
  const missing = known.filter((name) => !names.has(name));
  const unknown = unknownMigrations(known, applied).filter((name) => !isExpansion(name));
  if (unknown.length > 0) return schemaTooNew(unknown);
  if (missing.length > 0) {
    return `The database schema is older than this release: missing ${inBrief(missing, known)}. Run "npm run migrate".`;
  }
  return undefined;
}

/** The message for a schema with migrations that this release does not contain. */
export const schemaTooNew = (unknown: readonly string[]): string =>
  `The database schema is newer than this release. This release does not contain: ${unknown.join(', ')}. Run the newer release.`;

function inBrief(missing: readonly string[], known: readonly string[]): string {
  if (missing.length === known.length) return `all ${known.length} migrations`;
  const [named, more] = [missing.slice(0, NAMED), missing.length - NAMED];
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}

export function unknownMigrations(
  known: readonly string[],
  applied: readonly Pick<AppliedMigration, 'migration_name'>[],
): string[] {
  return applied.map(({ migration_name }) => migration_name).filter((name) => !known.includes(name));
}

export const isExpansion = (name: string): boolean => /^\d+_expand_/.test(name);

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
