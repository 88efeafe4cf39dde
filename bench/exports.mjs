// The exports as a client downloads them, each against something simpler measured in the same run: the CSV against a bare
// COPY of the table and against its own COPY thrown away by the reader, receipts in a ZIP against PDFKit parsing its fonts
// for each document. Peak memory is that of the service process. `npm run build && node bench/exports.mjs`
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import PDFDocument from 'pdfkit';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { createEmptyDatabase, dropDatabases, scratchServer } from '../scripts/scratch-server.mjs';
import { applyMigrations } from '../dist/data/schema/migrate.js';
import { donationsCopy } from '../dist/export/donations-csv.sql.js';
import { seedAdmin } from '../dist/operator/admin-seed.js';
import { memoryOf } from './measure.mjs';

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000);
const RECEIPTS = Number(process.env.BENCH_RECEIPTS ?? 10_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** After which a process counts as idle. */
const REST_MS = Number(process.env.BENCH_REST_SECONDS ?? 10) * 1_000;
const PREFIX = 'donations_exports_bench_';
const FONTS = new URL('../assets/fonts/', import.meta.url);

const { adminUrl, stop } = await scratchServer();
await dropDatabases(adminUrl, PREFIX);
const databaseUrl = await createEmptyDatabase(adminUrl, `${PREFIX}${process.pid}`);
let service;
try {
  await applyMigrations(databaseUrl);
  const { email, password } = await seedAdmin({ databaseUrl, email: 'bench@example.org' });
  service = await startService();
  const { accessToken } = await post('/auth/login', { email, password });
  const event = await post('/events', { name: 'Gala', slug: 'gala', goalAmount: 1_000_000 }, accessToken);
  const small = await post('/events', { name: 'Fair', slug: 'fair', goalAmount: 1_000_000 }, accessToken);
  await fill(event.id, ROWS, 0);
  await fill(small.id, RECEIPTS, 9_000_000);

  await csv(accessToken, event.id);
  await zip(accessToken, small.id);
} finally {
  service?.child.kill('SIGTERM');
  if (service) await new Promise((resolve) => service.child.once('exit', resolve));
  await dropDatabases(adminUrl, PREFIX);
  await stop?.();
}

async function csv(token, eventId) {
  const idle = await service.rest();
  const pairs = [];
  let bytes = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const bare = await timed(() =>
      copy(
        `COPY (SELECT * FROM donation WHERE event_id = ${pg.escapeLiteral(eventId)}) TO STDOUT WITH (FORMAT csv)`,
      ),
    );
    const guarded = await timed(() => copy(donationsCopy({ where: 'event_id = $1', values: [eventId] })));
    const ours = await timed(
      async () => (bytes = await download(`/donations/export?eventId=${eventId}`, token)),
    );
    // The first round warms both up.
    if (round > 0) pairs.push({ bare, guarded, ours, ratio: guarded / ours });
  }
  const { bare, guarded, ours, ratio } = pairs.sort((a, b) => a.ratio - b.ratio)[
    Math.floor(pairs.length / 2)
  ];
  console.table({
    [`CSV, ${ROWS} rows`]: {
      'rows/s': Math.round(ROWS / ours),
      MB: Math.round(bytes / 1e6),
      'bare COPY rows/s': Math.round(ROWS / bare),
      'its own COPY rows/s': Math.round(ROWS / guarded),
      'ratio to that': Number(ratio.toFixed(2)),
      'idle MB': idle,
      'peak over it': service.peak() - idle,
    },
  });
}

async function zip(token, eventId) {
  // Numbers given and code warm before it counts; what is measured are copies, which cost the same to draw.
  await download(`/export/receipts/zip?eventId=${eventId}`, token, 2_000_000);
  const idle = await service.rest();
  let bytes = 0;
  const sample = Math.min(500, RECEIPTS);
  const parsing =
    (await timed(async () => {
      for (let i = 0; i < sample; i++) await naiveReceipt(i);
    })) / sample;
  await service.loopHeld();
  const others = otherRequests();
  const ours =
    (await timed(async () => (bytes = await download(`/export/receipts/zip?eventId=${eventId}`, token)))) /
    RECEIPTS;
  const waits = await others.end();
  const loop = await service.loopHeld();
  console.table({
    [`ZIP, ${RECEIPTS} receipts`]: {
      'receipts/s': Math.round(1 / ours),
      MB: Math.round(bytes / 1e6),
      'fonts parsed each time, receipts/s': Math.round(1 / parsing),
      ratio: Number((parsing / ours).toFixed(2)),
      'idle MB': idle,
      'peak over it': service.peak() - idle,
      'beside it, ms, p50': waits.at(waits.length * 0.5),
      p99: waits.at(waits.length * 0.99),
      max: waits.at(-1),
      'loop held, ms': loop.loopMs,
      'at work in one go, ms': loop.atWorkMs,
    },
  });
}

/** What somebody else waits for meanwhile: the public list of events, asked for every 5 ms. Milliseconds, sorted. */
function otherRequests() {
  const waits = [];
  let going = true;
  const done = (async () => {
    while (going) {
      const start = performance.now();
      await (await fetch(`${service.url}/events/public`)).arrayBuffer();
      waits.push(Number((performance.now() - start).toFixed(1)));
      await setTimeout(5);
    }
  })();
  return {
    async end() {
      going = false;
      await done;
      return waits.sort((a, b) => a - b);
    },
  };
}

/** Runs a COPY and throws its rows away. */
async function copy(statement) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await pipeline(
    client.query(copyTo(statement)),
    new Writable({ write: (_chunk, _encoding, done) => done() }),
  );
  await client.end();
}

/** About the text of a receipt, by PDFKit as its manual shows it. */
async function naiveReceipt(number) {
  const doc = new PDFDocument({ size: 'A4' });
  const regular = fileURLToPath(new URL('NotoSans-Regular.ttf', FONTS));
  const bold = fileURLToPath(new URL('NotoSans-Bold.ttf', FONTS));
  doc
    .font(bold)
    .fontSize(20)
    .text('Donation receipt')
    .fontSize(25)
    .text(`€${number}.00`)
    .text(`Donor ${number}`);
  doc.font(regular).fontSize(10);
  for (let line = 0; line < 14; line++)
    doc.text(`A label and its value, number ${line} of receipt ${number}`);
  doc.end();
  await pipeline(doc, new Writable({ write: (_chunk, _encoding, done) => done() }));
}

/** Reads an answer to its end, or until `enough` bytes, and throws it away. Returns the bytes read. */
async function download(path, token, enough = Infinity) {
  // A kept connection may have been closed while this process was busy drawing.
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  const response = await fetch(service.url + path, { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > enough) break;
  }
  return bytes;
}

/** Seconds that some work takes. */
async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function fill(eventId, count, from) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, message,
       completed_at, created_at, updated_at)
     SELECT (lpad(to_hex(1760000000000 + i), 12, '0') || '70008' || lpad(to_hex(i), 15, '0'))::uuid, $1, 100 + i % 99999,
       'eur', 'cash', 'COMPLETED', 'Donor Number ' || i, 'donor' || i || '@example.org',
       CASE WHEN i % 4 = 0 THEN 'Keep up the good work, from all of us!' END, now(), now(), now()
     FROM generate_series($2::int + 1, $2::int + $3::int) AS i`,
    [eventId, from, count],
  );
  await client.query('VACUUM ANALYZE donation');
  await client.end();
}

async function startService() {
  const child = fork(fileURLToPath(new URL('service.mjs', import.meta.url)), {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      BENCH_LOOP: '1',
      DATABASE_URL: databaseUrl,
      JWT_SECRET: 'bench-7Qm2Zx9Lk4Vt1Rb8Nc5Wd3Yf6Hg0Js',
      PIN_SECRET: 'bench-Pz6Xv3Bn9Mq1Lw4Ke7Jr2Ht5Gy8Fu',
    },
  });
  const url = await new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message.url));
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return {
    child,
    url,
    peak: () => memoryOf(child.pid).peak,
    /**
     * For how long its event loop was held at the most since this was asked last, and how long it worked in one go, in
     * milliseconds. The rest of a hold is time in which others had the processors.
     */
    async loopHeld() {
      const answer = once(child, 'message');
      child.send('loop');
      const [{ loopMs, atWorkMs }] = await answer;
      return { loopMs: Number(loopMs.toFixed(1)), atWorkMs: Number(atWorkMs.toFixed(1)) };
    },
    async rest() {
      await setTimeout(REST_MS);
      // Linux forgets the most that it saw.
      writeFileSync(`/proc/${child.pid}/clear_refs`, '5');
      return memoryOf(child.pid).now;
    },
  };
}

async function post(path, body, token) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    });
    if (response.ok) return await response.json();
    if (response.status < 500 || attempt === 3)
      throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await setTimeout(500);
  }
}
