// A database with events and donations, and the programs that run on it.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createEmptyDatabase, dropDatabases, scratchServer } from '../scripts/scratch-server.mjs';
import { applyMigrations } from '../dist/data/schema/migrate.js';
import { seedAdmin } from '../dist/operator/admin-seed.js';

export const WEBHOOK_SECRET = 'whsec_bench_Zk3v9Qm1xT7bL5nR2cW8';
const PREFIX = 'donations_bench_';

/**
 * A migrated database, and how to get rid of all that was started on it: the one that `filled` names, which stays, or an empty
 * one, which goes.
 */
export async function openSetting(filled) {
  const { adminUrl, stop } = filled ? {} : await scratchServer();
  const databaseUrl = filled ?? (await createEmptyDatabase(adminUrl, `${PREFIX}${process.pid}`));
  await applyMigrations(databaseUrl);
  const children = [];
  return {
    databaseUrl,
    start: (file, environment = {}) => start(children, databaseUrl, file, environment),
    sql: async (text, values = []) => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      try {
        return (await client.query(text, values)).rows;
      } finally {
        await client.end();
      }
    },
    close: async () => {
      for (const { child } of children) child.kill('SIGTERM');
      await Promise.all(
        children.map(({ child }) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))),
      );
      if (!filled) await dropDatabases(adminUrl, `${PREFIX}${process.pid}`);
      await stop?.();
    },
  };
}

/** Starts a program of this folder; resolves to its address and process id once it listens. */
async function start(children, databaseUrl, file, environment) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: (process.env.BENCH_NODE ?? '').split(' ').filter(Boolean),
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      DATABASE_URL: databaseUrl,
      JWT_SECRET: 'bench-7Qm2Zx9Lk4Vt1Rb8Nc5Wd3Yf6Hg0Js',
      PIN_SECRET: 'bench-Pz6Xv3Bn9Mq1Lw4Ke7Jr2Ht5Gy8Fu',
      STRIPE_SECRET_KEY: 'sk_live_bench',
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      PUBLIC_URL: 'https://give.example.org',
      ...environment,
    },
  });
  const program = await new Promise((resolve, reject) => {
    child.once('message', ({ url }) => resolve({ child, url, pid: child.pid }));
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  children.push(program);
  return program;
}

/** Sends a program something and waits until it has it. */
export async function tell({ child }, message) {
  const kept = new Promise((resolve) => child.once('message', resolve));
  child.send(message);
  await kept;
}

/**
 * Events, one with a staff member signed in, and donations with totals that equal them.
 * @param donations how many are made; none where the database is filled already
 */
export async function prepare(setting, { events, donations }) {
  const run = Date.now().toString(36);
  const { email, password } = await seedAdmin({
    databaseUrl: setting.databaseUrl,
    email: 'bench@example.org',
  });
  const service = await setting.start('service.mjs');
  const call = async (path, body, token) => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: body && JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const { accessToken } = await call('/auth/login', { email, password });
  let event;
  for (let i = 0; i < events; i++)
    event = await call(
      '/events',
      {
        name: `Gala ${i}`,
        slug: `bench-${run}-${i}`,
        goalAmount: 1_000_000,
        description: 'Dinner and auction',
      },
      accessToken,
    );
  const member = await call('/staff', { name: 'Grace' }, accessToken);
  await call(`/events/${event.id}/staff/${member.id}`, undefined, accessToken);
  const staff = await call('/auth/staff/login', { code: member.code, eventId: event.id });
  if (donations > 0) await fill(setting, donations);
  return {
    service,
    event,
    staffId: member.id,
    asAdmin: { authorization: `Bearer ${accessToken}` },
    asStaff: { authorization: `Bearer ${staff.accessToken}` },
  };
}

/** Donations of the last weeks, over all events and in each event over all types, each with its place in the totals. */
async function fill(setting, count) {
  const began = Date.now() - count - 10_000;
  for (let from = 0; from < count; from += 1_000_000)
    await setting.sql(
      `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, message,
         completed_at, created_at, updated_at)
       SELECT (lpad(to_hex($3::bigint + i), 12, '0') || '70008' || lpad(to_hex(i), 15, '0'))::uuid,
         e.ids[1 + i % e.count], 100 + i % 99999, 'eur',
         (ARRAY['cash', 'check', 'card_terminal', 'bank_transfer']::donation_type[])[1 + i / e.count % 4], 'COMPLETED',
         'Donor Number ' || i, 'donor' || i || '@example.org',
         CASE WHEN i / e.count % 3 = 0 THEN 'Keep up the good work, from all of us!' END,
         to_timestamp(($3::bigint + i) / 1000.0), to_timestamp(($3::bigint + i) / 1000.0), now()
       FROM generate_series($1::int, $2::int - 1) AS i,
         (SELECT array_agg(id ORDER BY id) AS ids, count(*)::int AS count FROM event) AS e`,
      [from, Math.min(count, from + 1_000_000), began],
    );
  await setting.sql(
    `INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count)
     SELECT event_id, currency, 0, sum(amount), count(*) FROM donation GROUP BY 1, 2`,
  );
  await setting.sql('VACUUM ANALYZE donation');
}

/** Speed that loses money is none: totals must equal a recount. */
export async function assertBooks(setting) {
  const [{ recount, kept, donations }] = await setting.sql(`SELECT
    (SELECT coalesce(sum(amount - refunded_amount), 0) FROM donation WHERE status = 'COMPLETED') AS recount,
    (SELECT coalesce(sum(total_raised), 0) FROM event_total) AS kept, (SELECT count(*) FROM donation) AS donations`);
  if (recount !== kept) throw new Error(`totals are wrong: ${kept} kept, ${recount} counted`);
  return { donations: Number(donations), total: kept };
}
