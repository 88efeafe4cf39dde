// What the same work costs with node:http and pg alone: the same queries, no framework, no checks.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 12 });
const EVENT = process.env.BENCH_EVENT;
const STAFF = process.env.BENCH_STAFF;

const publicList = {
  name: 'public',
  text: `SELECT e.slug, e.name, e.goal_amount, t.currency, sum(t.total_raised) AS raised, sum(t.donor_count) AS donors
    FROM event e LEFT JOIN event_total t ON t.event_id = e.id WHERE e.status = 'active' GROUP BY e.id, t.currency ORDER BY e.id`,
};
const list = {
  name: 'list',
  text: 'SELECT * FROM donation WHERE event_id = $1 AND staff_id = $2 ORDER BY id DESC LIMIT 51',
};
const record = {
  name: 'record',
  text: `WITH donation AS (
      INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, staff_id, created_at, updated_at, completed_at)
      VALUES ($1, $2, $3, 'eur', 'cash', 'COMPLETED', $4, $5, now(), now(), now()) RETURNING *
    ), history AS (
      INSERT INTO donation_history (id, donation_id, to_status, actor_kind, created_at) SELECT $6, id, status, 'staff', now() FROM donation
    ), total AS (
      INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count) SELECT event_id, currency, $7, amount, 1 FROM donation
      ON CONFLICT (event_id, currency, shard) DO UPDATE
        SET total_raised = event_total.total_raised + excluded.total_raised, donor_count = event_total.donor_count + 1
    ), message AS (
      INSERT INTO outbox (event_id, topic, donation_id) SELECT event_id, 'donation.created', id FROM donation
    ) SELECT * FROM donation`,
};

// Time-ordered, as the service's ids are: random keys would be slower to index.
const id = () => {
  const time = Date.now().toString(16).padStart(12, '0');
  const rest = randomBytes(10).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
};

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

async function answer(request) {
  if (request.url === '/events/public') return (await pool.query(publicList)).rows;
  if (request.method === 'GET') return (await pool.query({ ...list, values: [EVENT, STAFF] })).rows;
  const { amount, donorName } = await body(request);
  const values = [id(), EVENT, amount, donorName, STAFF, randomUUID(), Math.floor(Math.random() * 16)];
  return (await pool.query({ ...record, values })).rows[0];
}

const server = createServer((request, response) => {
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
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
