import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyMigrations } from '../../src/data/schema/migrate.js';
import { requireSchema } from '../../src/data/schema/schema-check.js';
import { shell } from '../support/documented.js';
import { describeWithPostgresPrograms, startPostgresServer } from '../support/postgres-server.js';
import { withOpened } from '../support/setup.js';

const SCRIPTS = resolve('scripts/database');

describeWithPostgresPrograms('owner and privileges of the database', () => {
  const postgres = withOpened(() => startPostgresServer());
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "donations owner's-"));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  const as = (role: string, database: string) => postgres.url(database, role);
  const run = (command: string, more: NodeJS.ProcessEnv = {}) =>
    shell(command, { ...postgres.environment, ...more }, { cwd: folder });
  async function query<Row extends object>(database: string, text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: postgres.url(database) });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  it('the service refuses to migrate a database with another owner; one line names the owner and the command to run', async () => {
    await run('createuser service && createdb --encoding=UTF8 --template=template0 plain');
    const problem =
      'The role "service" may not create anything in the database "plain", which belongs to "postgres". ' +
      'Run as "postgres" or an administrator: bash scripts/database/create.sh plain service';
    await expect(applyMigrations(as('service', 'plain'))).rejects.toThrow(problem);
    await expect(requireSchema(as('service', 'plain'))).rejects.toThrow(problem);
    const [, command = ''] = /bash scripts\/database\/(.*)$/.exec(problem) ?? [];
    expect(await run(`bash ${SCRIPTS}/${command}`)).toEqual({ code: 0, output: '' });
    expect((await applyMigrations(as('service', 'plain'))).length).toBeGreaterThan(20);
    await requireSchema(as('service', 'plain'));
  });

  it('the service refuses to start on tables of another owner; one line names the owner', async () => {
    await run('createdb --encoding=UTF8 --template=template0 restored_by_hand');
    await applyMigrations(postgres.url('restored_by_hand'));
    await expect(requireSchema(as('service', 'restored_by_hand'))).rejects.toThrow(
      /^The role "service" may not use the tables of the database "restored_by_hand", which belong to "postgres"\. [^\n]*restore\.sh[^\n]*$/,
    );
  });

  it('the service starts next to foreign tables, and without the privilege to delete old records', async () => {
    await run('createdb --encoding=UTF8 --template=template0 shared_by_two');
    await applyMigrations(postgres.url('shared_by_two'));
    await query(
      'shared_by_two',
      `CREATE TABLE spatial_ref_sys (srid int);
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO service;
       REVOKE ALL ON spatial_ref_sys FROM service;
       REVOKE UPDATE, DELETE ON audit_entry, donation_history FROM service;
       REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM service`,
    );
    await requireSchema(as('service', 'shared_by_two'));
  });

  it('the service refuses to start without the privilege to record donations, and names that privilege', async () => {
    await run('createdb --encoding=UTF8 --template=template0 read_only');
    await applyMigrations(postgres.url('read_only'));
    await query('read_only', 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO service');
    await query('read_only', 'GRANT INSERT ON audit_entry TO service');
    const refused = requireSchema(as('service', 'read_only'));
    await expect(refused).rejects.toThrow(
      /^The role "service" lacks the privilege INSERT on the table "donation" of the database "read_only", which belongs to "postgres"\. Run as "postgres" or an administrator: GRANT INSERT ON "donation" TO "service"$/,
    );
  });

  it('create.sh creates role and database, also with names that need quoting, and can run again', async () => {
    const command = `bash ${SCRIPTS}/create.sh 'gala 2026' "winter's role"`;
    for (let time = 0; time < 2; time++)
      expect(await run(command, { ROLE_PASSWORD: `it's "secret"` })).toEqual({ code: 0, output: '' });
    const [made] = await query<object>(
      'gala 2026',
      `SELECT pg_get_userbyid(datdba) AS owner, pg_encoding_to_char(encoding) AS encoding, rolcanlogin AS logs_in,
              rolsuper AS is_super, rolpassword IS NOT NULL AS has_password
         FROM pg_database, pg_authid WHERE datname = current_database() AND rolname = 'winter''s role'`,
    );
    expect(made).toEqual({
      owner: "winter's role",
      encoding: 'UTF8',
      logs_in: true,
      is_super: false,
      has_password: true,
    });
  });

  it('backup.sh and restore.sh preserve content, owner and images', async () => {
    await run(`bash ${SCRIPTS}/create.sh donations donations`);
    const url = as('donations', 'donations');
    await applyMigrations(url);
    await query('donations', `INSERT INTO global_settings (id, value) VALUES (1, '{"kept": true}')`);
    const data = join(folder, 'data');
    mkdirSync(join(data, 'assets'), { recursive: true });
    writeFileSync(join(data, 'assets/logo.png'), 'a picture');

    const before = Date.now();
    const made = await run(`bash ${SCRIPTS}/backup.sh 'the backups'`, { DATABASE_URL: url, DATA_DIR: data });
    expect(made).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^backed up to the backups\/donations-\w+\.dump\n$/),
    });
    const [recorded] = await query<{ finished_at: Date; bytes: string }>(
      'donations',
      'SELECT * FROM last_backup',
    );
    expect(recorded?.finished_at.getTime()).toBeGreaterThanOrEqual(before - 1_000);
    const files = readdirSync(join(folder, 'the backups'));
    const dump = files.find((name) => name.endsWith('.dump')) ?? '';
    expect(files.sort()).toEqual([dump.replace('.dump', '.assets.tar'), dump].sort());

    rmSync(join(data, 'assets'), { recursive: true });
    const restored = await run(`bash ${SCRIPTS}/restore.sh 'the backups/${dump}'`, {
      DATABASE_URL: url,
      DATA_DIR: data,
    });
    expect(restored).toMatchObject({ code: 0 });
    expect(readFileSync(join(data, 'assets/logo.png'), 'utf8')).toBe('a picture');
    await requireSchema(as('donations', 'donations_restored'));
    expect(await applyMigrations(as('donations', 'donations_restored'))).toEqual([]);
    expect(await query('donations_restored', 'SELECT value FROM global_settings')).toEqual([
      { value: { kept: true } },
    ]);
    const owners = await query(
      'donations_restored',
      `SELECT DISTINCT pg_get_userbyid(relowner) AS owner FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
    );
    expect(owners).toEqual([{ owner: 'donations' }]);

    // A second restore into the same database would mix two backups. The script refuses it.
    expect(await run(`bash ${SCRIPTS}/restore.sh 'the backups/${dump}'`)).toMatchObject({
      code: 1,
      output: expect.stringContaining('The database donations_restored exists.'),
    });
  });

  it('a failed restore leaves no database, and a failed backup leaves no dump', async () => {
    writeFileSync(join(folder, 'broken.dump'), 'PGDMP and nothing more');
    expect((await run(`bash ${SCRIPTS}/restore.sh broken.dump never`)).code).not.toBe(0);
    expect(await query('postgres', "SELECT 1 FROM pg_database WHERE datname = 'never'")).toEqual([]);
    const failed = await run(`bash ${SCRIPTS}/backup.sh failed`, { DATABASE_URL: postgres.url('no_such') });
    expect(failed.code).not.toBe(0);
    expect(readdirSync(join(folder, 'failed')).filter((name) => name.endsWith('.dump'))).toEqual([]);
  });

  it('backup.sh works on a database without the table of backups', async () => {
    await run(`bash ${SCRIPTS}/create.sh older older`);
    expect(
      await run(`bash ${SCRIPTS}/backup.sh older`, { DATABASE_URL: as('older', 'older') }),
    ).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^backed up to older/),
    });
  });

  it('restore.sh refuses several files at once', async () => {
    for (const given of ['a.dump b.dump', 'a.dump b.dump c.dump restored', 'a.dump backups/restored'])
      expect(await run(`bash ${SCRIPTS}/restore.sh ${given}`)).toEqual({
        code: 1,
        output: 'Name one file, then the new database: restore.sh FILE.dump [DATABASE] [ROLE]\n',
      });
  });

  it('create.sh never removes the password of an existing role, which may be the administrator', async () => {
    await query('postgres', "CREATE ROLE keeper LOGIN SUPERUSER PASSWORD 'kept'");
    const environment = { PGUSER: 'keeper', ADMIN_BY_SOCKET_ONLY: 'true' };
    expect(await run(`bash ${SCRIPTS}/create.sh kept keeper`, environment)).toMatchObject({ code: 0 });
    const [role] = await query(
      'postgres',
      "SELECT rolpassword IS NOT NULL AS has_password FROM pg_authid WHERE rolname = 'keeper'",
    );
    expect(role).toEqual({ has_password: true });
  });
});
