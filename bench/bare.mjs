// The minimal programs for comparison: node:http with all answers in memory, or one statement on the same tables. No framework,
// checks, limits or history of idempotency keys.
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 12 });
const EVENT = process.env.BENCH_EVENT;
const LARGE_EVENT = process.env.BENCH_LARGE_EVENT;
const STAFF = process.env.BENCH_STAFF;
const SECRET = process.env.STRIPE_WEBHOOK_SECRET;
/** Bytes of the service's answers, by path. The parent process sends them. */
const bytes = new Map();

const list = {
  name: 'list',
  text: 'SELECT * FROM donation WHERE event_id = $1 AND type = $2 ORDER BY id DESC LIMIT 51',
};
const count = {
  name: 'count',
  text: 'SELECT count(*)::int FROM (SELECT 1 FROM donation WHERE event_id = $1 AND type = $2 LIMIT 10001) AS counted',
};
const record = {
  name: 'record',
  text: `WITH input AS (SELECT * FROM json_to_recordset($1) AS r (id uuid, amount bigint, name text, history uuid)),
    donation AS (
      INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, staff_id, created_at, updated_at, completed_at)
      SELECT id, $2, amount, 'eur', 'cash', 'COMPLETED', name, $3, now(), now(), now() FROM input RETURNING *
    ), history AS (
      INSERT INTO donation_history (id, donation_id, to_status, actor_kind, created_at) SELECT history, id, 'COMPLETED', 'staff', now() FROM input
    ), total AS (
      INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count) SELECT $2, 'eur', $4, sum(amount), count(*) FROM donation
      ON CONFLICT (event_id, currency, shard) DO UPDATE
        SET total_raised = event_total.total_raised + excluded.total_raised, donor_count = event_total.donor_count + excluded.donor_count
    ), message AS (
      INSERT INTO outbox (event_id, topic, donation_id) SELECT event_id, 'donation.created', id FROM donation
    ) SELECT * FROM donation`,
};
const paid = {
  name: 'paid',
  text: `WITH claim AS (
      INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome) VALUES ('stripe', $1, 'payment_intent.succeeded', 'booked')
      ON CONFLICT DO NOTHING RETURNING 1
    ), donation AS (
      UPDATE donation SET status = 'COMPLETED', amount = $3, capture_id = $4, paid_at = now(), completed_at = now(), updated_at = now()
      WHERE provider = 'stripe' AND payment_id = $2 AND status = 'PENDING' AND EXISTS (SELECT 1 FROM claim) RETURNING *
    ), history AS (
      INSERT INTO donation_history (id, donation_id, from_status, to_status, actor_kind, created_at) SELECT $5, id, 'PENDING', 'COMPLETED', 'provider', now() FROM donation
    ), total AS (
      INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count) SELECT event_id, 'eur', $6, amount, 1 FROM donation
      ON CONFLICT (event_id, currency, shard) DO UPDATE
        SET total_raised = event_total.total_raised + excluded.total_raised, donor_count = event_total.donor_count + 1
    ), message AS (
      INSERT INTO outbox (event_id, topic, donation_id) SELECT event_id, 'donation.created', id FROM donation
    ) SELECT id FROM donation`,
};

// Returns an id in order of time, like ids of the service. The database would need more time to index random ids.
const id = () => {
  const time = Date.now().toString(16).padStart(12, '0');
  const rest = randomBytes(10).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
};
const anyShard = () => Math.floor(Math.random() * 16);

let waiting = [];
let isWriting = false;
/** Runs one statement at a time. Records that arrive meanwhile share the next statement. */
async function write() {
  isWriting = true;
  while (waiting.length > 0) {
    const batch = waiting.splice(0, 64);
    const rows = batch.map(({ amount, name }) => ({ id: id(), amount, name, history: id() }));
    try {
      const found = await pool.query({ ...record, values: [JSON.stringify(rows), EVENT, STAFF, anyShard()] });
      const byId = new Map(found.rows.map((row) => [row.id, row]));
      batch.forEach(({ resolve }, index) => resolve(byId.get(rows[index].id)));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
  isWriting = false;
}

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function book(request) {
  const raw = await body(request);
  const [, time, given] = /^t=(\d+),v1=(\w+)$/.exec(request.headers['stripe-signature']);
  const right = createHmac('sha256', SECRET).update(`${time}.`).update(raw).digest();
  if (!timingSafeEqual(right, Buffer.from(given, 'hex'))) throw new Error('signature');
  const { id: event, data } = JSON.parse(raw);
  const { id: payment, amount_received: amount, latest_charge: charge } = data.object;
  await pool.query({ ...paid, values: [event, payment, amount, charge, randomUUID(), anyShard()] });
  return { received: true };
}

async function answer(request) {
  if (request.url.endsWith('/webhook')) return await book(request);
  if (request.method === 'POST') {
    const { amount, donorName: name } = JSON.parse(await body(request));
    return await new Promise((resolve, reject) => {
      waiting.push({ amount, name, resolve, reject });
      if (!isWriting) void write();
    });
  }
  const [{ rows }, { rows: counted }] = await Promise.all([
    pool.query({ ...list, values: [LARGE_EVENT, 'cash'] }),
    pool.query({ ...count, values: [LARGE_EVENT, 'cash'] }),
  ]);
  return { data: rows, total: counted[0].count };
}

const server = createServer((request, response) => {
  const kept = bytes.get(request.url);
  if (kept) {
    response.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': kept.length,
    });
    response.end(kept);
    return;
  }
  answer(request).then(
    (found) => {
      response.setHeader('Content-Type', 'application/json');
      response.statusCode = request.method === 'POST' ? 201 : 200;
      response.end(JSON.stringify(found));
    },
    (error) => {
      response.statusCode = 500;
      response.end(String(error));
    },
  );
});
process.on('message', ({ path, text }) => {
  bytes.set(path, Buffer.from(text));
  process.send({ kept: path });
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
