// Measures exports as a client downloads them. Compares the CSV with a bare COPY of the same rows, which the
// bench discards. Draws receipts into a ZIP, and packs a spreadsheet, while other clients read the public
// list. The peak memory is the peak of the service process.
import { writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { donationsCopy } from '../dist/export/donations-csv.sql.js';
import { median, memoryOf, round } from './measure.mjs';
import { openSetting, prepare } from './setting.mjs';

const CSV = 'CSV of 500,000 rows';
const SHEET = 'spreadsheet of 500,000 rows';
const ZIP = 'ZIP of 10,000 receipts';
const ZIP_RECEIPTS = 10_000;
const OTHERS_MS = 5;

export async function measureExports(scale, wanted) {
  if (![CSV, SHEET, ZIP].some(wanted)) return {};
  const setting = await openSetting();
  try {
    const { service, event, newEvent, asAdmin } = await prepare(setting);
    const context = { setting, service, asAdmin, scale };
    const measured = {};
    if (wanted(CSV) || wanted(SHEET)) await fill(setting, event.id, scale.rows, 0);
    if (wanted(CSV)) measured[CSV] = await csv(context, event.id);
    if (wanted(SHEET)) measured[SHEET] = await sheet(context, event.id);
    if (wanted(ZIP)) {
      const { id } = await newEvent('bench-zip');
      await fill(setting, id, scale.receipts, 9_000_000);
      measured[ZIP] = await zip(context, id);
    }
    return measured;
  } finally {
    await setting.close();
  }
}

async function csv({ setting, service, asAdmin, scale }, eventId) {
  const idle = await rest(service, scale);
  const statement = donationsCopy({ where: 'event_id = $1', values: [eventId] });
  const pairs = [];
  // The first round warms up both programs.
  for (let number = 0; number <= scale.rounds; number++) {
    const bare = await timed(() => copy(setting.databaseUrl, statement));
    const ours = await timed(() => download(service, `/donations/export?eventId=${eventId}`, asAdmin));
    if (number > 0) pairs.push({ bare, ours });
  }
  const figure = {
    ratio: round(scale.pick(pairs.map(({ bare, ours }) => bare / ours)), 2),
    'MB over idle': memoryOf(service.pid).peak - idle,
  };
  const rowsPerSecond = Math.round(scale.rows / median(pairs.map(({ ours }) => ours)));
  console.log(CSV, JSON.stringify({ ...figure, rowsPerSecond, idle }));
  return figure;
}

async function sheet({ service, asAdmin, scale }, eventId) {
  const path = `/donations/export?format=xlsx&eventId=${eventId}`;
  // The download of an empty file starts the thread and compiles the code.
  await download(service, `${path}&type=other`, asAdmin);
  const idle = await rest(service, scale);
  const others = otherRequests(service);
  const seconds = await timed(() => download(service, path, asAdmin));
  const waits = await others.end();
  const figure = {
    'MB over idle': memoryOf(service.pid).peak - idle,
    'others wait (p99), ms': waits[Math.floor((waits.length - 1) * 0.99)],
  };
  console.log(SHEET, JSON.stringify({ ...figure, seconds: round(seconds, 1), idle }));
  return figure;
}

async function zip({ service, asAdmin, scale }, eventId) {
  const path = `/export/receipts/zip?eventId=${eventId}`;
  // A first download assigns the receipt numbers and compiles the code. Later downloads print copies, which cost the same.
  await download(service, path, asAdmin);
  const idle = await rest(service, scale);
  const others = otherRequests(service);
  const seconds = await timed(() => download(service, path, asAdmin));
  const waits = await others.end();
  const figure = {
    seconds: round((seconds * ZIP_RECEIPTS) / scale.receipts, 1),
    'MB over idle': memoryOf(service.pid).peak - idle,
    'others wait (p99), ms': waits[Math.floor((waits.length - 1) * 0.99)],
  };
  console.log(ZIP, JSON.stringify({ ...figure, longest: waits.at(-1), idle }));
  return figure;
}

/** Reads the public list repeatedly. `end` resolves to the sorted waits in ms. */
function otherRequests({ url }) {
  const waits = [];
  let going = true;
  const done = (async () => {
    while (going) {
      const began = performance.now();
      await (await fetch(`${url}/events/public`)).arrayBuffer();
      waits.push(round(performance.now() - began, 1));
      await sleep(OTHERS_MS);
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

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Runs a COPY and discards its rows. */
async function copy(connectionString, statement) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await pipeline(client.query(copyTo(statement)), nowhere());
  await client.end();
}

/** Reads an answer to its end and discards it. */
async function download({ url }, path, headers) {
  const response = await fetch(url + path, { headers: { ...headers, connection: 'close' } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await pipeline(response.body, nowhere());
}

/** Returns the duration of `work` in seconds. */
async function timed(work) {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

/** Returns the memory of the process at rest, in MB. The peak is measured from this value. */
async function rest({ pid }, { restMs }) {
  await sleep(restMs);
  // Resets the peak memory that Linux records for the process.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return memoryOf(pid).now;
}

async function fill({ sql }, eventId, count, from) {
  await sql(
    `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, message,
       completed_at, created_at, updated_at)
     SELECT (lpad(to_hex(1760000000000 + i), 12, '0') || '70008' || lpad(to_hex(i), 15, '0'))::uuid, $1, 100 + i % 99999,
       'eur', 'cash', 'COMPLETED', 'Donor Number ' || i, 'donor' || i || '@example.org',
       CASE WHEN i % 4 = 0 THEN 'Keep up the good work, from all of us!' END, now(), now(), now()
     FROM generate_series($2::int + 1, $2::int + $3::int) AS i`,
    [eventId, from, count],
  );
  await sql('VACUUM ANALYZE donation');
}
