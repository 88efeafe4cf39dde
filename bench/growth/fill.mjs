// Fills a migrated, empty database with several years of donations: `fillBooks(client, donations)`. As a program:
//   DATABASE_URL=… node bench/growth/fill.mjs 10000000
// All values follow from the donation's number, so two runs give the same books.
import pg from 'pg';

/** Rows per transaction: small transactions show progress. */
const BATCH = 500_000;
const YEARS_MS = 5 * 365 * 24 * 3_600_000;

/** Tables that grow with the donations. Their indexes are built after the rows, because this is faster. */
export const GROWING = [
  'donation',
  'donation_history',
  'refund',
  'dispute',
  'outbox',
  'event_donor',
  'webhook_event',
  'idempotency_key',
  'receipt',
  'audit_entry',
  'checkout',
  'provider_request',
];

/**
 * @param {pg.Client} client as a superuser, so that references are not checked row by row
 * @param {number} donations one event gets a twentieth of them, the others the same number each
 * @param {{ events?: number, say?: (line: string) => void }} [options] default: 2000 events, as for ten million
 *   donations
 */
export async function fillBooks(client, donations, { events = 2_000, say = () => undefined } = {}) {
  const now = Date.now();
  const step = YEARS_MS / donations;
  await client.query('SET session_replication_role = replica');
  await client.query('SET synchronous_commit = off');
  await client.query("SET maintenance_work_mem = '512MB'");
  // This function makes all statements shorter. It exists until the connection ends.
  await client.query(`CREATE OR REPLACE FUNCTION pg_temp.id_of(kind text, number bigint, ms bigint) RETURNS uuid
    LANGUAGE sql IMMUTABLE AS $$ SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(kind || number::text), 1, 3) || '8'
      || substr(md5(kind || number::text), 4, 15))::uuid $$`);
  const timed = async (what, work) => {
    const from = Date.now();
    await work();
    say(`${what}: ${((Date.now() - from) / 1_000).toFixed(1)} s`);
  };

  const indexes = await dropIndexes(client);
  await client.query(
    `INSERT INTO event (id, slug, name, goal_amount, currency, created_at)
     SELECT pg_temp.id_of('event', n, 1600000000000), 'gala-' || n, 'Gala ' || n, 1000000, 'eur', to_timestamp(1600000000 + n)
       FROM generate_series(0, $1::int - 1) n`,
    [events],
  );
  await client.query(
    `INSERT INTO staff_member (id, name, pin_digest, pin_sealed)
     SELECT pg_temp.id_of('staff', n, 1600000000000), 'Member ' || n, decode(md5('pin' || n), 'hex'), '\\x00'
       FROM generate_series(0, $1::int - 1) n`,
    [events],
  );
  for (let from = 0; from < donations; from += BATCH) {
    const to = Math.min(from + BATCH, donations);
    await timed(`donations ${from + 1} to ${to}`, () =>
      client.query(DONATIONS, [from, to - 1, events, now - YEARS_MS, step, donations]),
    );
  }
  for (const [what, statement] of Object.entries(FOLLOWING)) await timed(what, () => client.query(statement));
  await client.query('SET session_replication_role = origin');
  for (const index of indexes) await timed(index.split(' ON ')[0], () => client.query(index));
  await timed('statistics', () => client.query('VACUUM ANALYZE'));
}

async function dropIndexes(client) {
  const { rows } = await client.query(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS made FROM pg_index
      WHERE indrelid = ANY ($1::regclass[]) AND NOT indisprimary
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [GROWING],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return rows.map(({ made }) => made);
}

/**
 * Parameters: number of the first and of the last donation to insert, number of events, time of donation 0, milliseconds
 * between two donations, number of donations after all inserts.
 */
const DONATIONS = `WITH numbered AS (
    SELECT n, ($4::float8 + n * $5::float8)::bigint AS ms, n % 100 AS kind,
           CASE WHEN n % 20 = 0 THEN 0 ELSE 1 + n % ($3::int - 1) END AS event,
           -- The newest thousandth of the donations is recent, so some of their payments are pending.
           n > $6::bigint * 0.999 AS recent
      FROM generate_series($1::bigint, $2::bigint) n
  ), typed AS (
    SELECT *, to_timestamp(ms / 1000.0) AS at,
           CASE WHEN kind < 30 THEN 'cash' WHEN kind < 40 THEN 'card_terminal' WHEN kind < 45 THEN 'check'
                WHEN kind < 85 THEN 'card' ELSE 'wallet' END AS type,
           CASE WHEN kind >= 45 AND recent AND n % 5 = 0 THEN 'PENDING'
                WHEN n % 50 = 1 THEN 'REFUNDED' WHEN n % 50 = 2 THEN 'CANCELLED'
                WHEN n % 50 = 3 AND kind >= 45 AND recent THEN 'FAILED' ELSE 'COMPLETED' END AS status
      FROM numbered,
           LATERAL (SELECT (ARRAY['Ada', 'Alan', 'Grace', 'Edsger', 'Barbara', 'Donald', 'Frances', 'Niklaus', 'Radia',
             'Vint', 'Margaret', 'Tim', 'Karen', 'John', 'Adele', 'Ken'])[1 + n % 16]
             AS first,
             -- About 700,000 different names made of shared syllables, similar to real names.
             (ARRAY['Ba', 'Do', 'Fi', 'Gu', 'Ha', 'Ko', 'Le', 'Mi', 'No', 'Pe', 'Ri', 'Sa', 'Tu', 'We', 'Za'])[1 + n % 15]
             || (ARRAY['ber', 'lan', 'mer', 'nik', 'ran', 'ster', 'ton', 'var', 'well', 'zel'])[1 + n / 15 % 10]
             || (ARRAY['ini', 'man', 'off', 'sen', 'ski', 'son', 'stein', 'vic'])[1 + n / 150 % 8]
             || '-' || n % 577 AS last) names
  )
  INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, donor_email, is_anonymous, message,
    donor_key, staff_id, staff_name, provider, payment_id, capture_id, expected_amount, expected_currency,
    refunded_amount, paid_at, next_check_at, receipt_number, created_at, updated_at, completed_at)
  SELECT pg_temp.id_of('donation', n, ms), pg_temp.id_of('event', event, 1600000000000), 100 + n % 50000, 'eur',
    type::donation_type, status::donation_status,
    CASE WHEN n % 3 > 0 THEN first || ' ' || last END,
    CASE WHEN n % 3 > 0 THEN lower(first || '.' || last) || '@example.org' END,
    n % 3 = 0, CASE WHEN n % 4 = 0 THEN 'With all our best wishes' END,
    CASE WHEN n % 3 > 0 THEN decode(md5((n % 700000)::text), 'hex') END,
    CASE WHEN kind < 45 THEN pg_temp.id_of('staff', event, 1600000000000) END, CASE WHEN kind < 45 THEN 'Member ' || event END,
    CASE WHEN type = 'card' THEN 'stripe' WHEN type = 'wallet' THEN 'paypal' END,
    CASE WHEN kind >= 45 THEN 'pi_' || md5(n::text) END,
    CASE WHEN kind >= 45 AND status IN ('COMPLETED', 'REFUNDED') THEN 'ch_' || md5(n::text) END,
    CASE WHEN kind >= 45 THEN 100 + n % 50000 END, CASE WHEN kind >= 45 THEN 'eur' END,
    CASE WHEN status = 'REFUNDED' THEN 100 + n % 50000 ELSE 0 END,
    CASE WHEN kind >= 45 AND status IN ('COMPLETED', 'REFUNDED') THEN at END,
    CASE WHEN kind >= 45 AND status IN ('COMPLETED', 'REFUNDED')
      THEN CASE WHEN at > now() - interval '180 days' THEN now() + interval '1 day' * (1 + n % 30) ELSE 'infinity' END END,
    CASE WHEN n % 3 = 1 AND status = 'COMPLETED' THEN '2026-' || n END,
    at, at, CASE WHEN status IN ('COMPLETED', 'REFUNDED') THEN at END
  FROM typed`;

/** Statements that insert the rows of related tables from the donations. */
const FOLLOWING = {
  history: `INSERT INTO donation_history (id, donation_id, from_status, to_status, actor_kind, created_at)
    SELECT gen_random_uuid(),
      d.id, CASE WHEN step = 1 THEN 'PENDING'::donation_status END,
      CASE WHEN step = 0 AND provider IS NOT NULL THEN 'PENDING' ELSE d.status END, 'system', d.created_at
      FROM donation d CROSS JOIN generate_series(0, 1) step
     WHERE step = 0 OR (provider IS NOT NULL AND d.status <> 'PENDING')`,
  refunds: `INSERT INTO refund (id, donation_id, provider, payment_id, provider_refund_id, amount, currency, status, actor_kind,
      created_at, updated_at)
    SELECT id, id, provider, payment_id, 're_' || id, amount, currency, 'succeeded', 'system', created_at, created_at
      FROM donation WHERE status = 'REFUNDED' AND provider IS NOT NULL`,
  disputes: `INSERT INTO dispute (id, donation_id, provider, payment_id, provider_dispute_id, amount, currency, status,
      created_at, updated_at)
    SELECT id, id, provider, payment_id, 'du_' || id, amount, currency, 'won', created_at, created_at
      FROM donation WHERE provider IS NOT NULL AND amount % 1000 = 50`,
  checkouts: `INSERT INTO checkout (donation_id, key)
    SELECT id, md5(id::text) FROM donation WHERE provider IS NOT NULL AND amount % 10 = 5`,
  donors: `INSERT INTO event_donor (event_id, currency, donor_key, donations)
    SELECT event_id, currency, donor_key, count(*) FROM donation
     WHERE status = 'COMPLETED' AND donor_key IS NOT NULL GROUP BY 1, 2, 3`,
  totals: `INSERT INTO event_total (event_id, currency, shard, total_raised, donor_count)
    SELECT event_id, currency, 0, sum(amount - refunded_amount),
      count(DISTINCT donor_key) + count(*) FILTER (WHERE donor_key IS NULL)
      FROM donation WHERE status = 'COMPLETED' GROUP BY 1, 2`,
  'webhook events': `INSERT INTO webhook_event (provider, webhook_event_id, kind, outcome, donation_id, received_at)
    SELECT provider, 'evt_' || id, 'payment_intent.succeeded', 'booked', id, created_at FROM donation
     WHERE provider IS NOT NULL AND created_at > now() - interval '90 days'`,
  'kept requests': `INSERT INTO provider_request (provider, key, body, created_at)
    SELECT provider, 'intent:' || id, '{}', created_at FROM donation
     WHERE provider IS NOT NULL AND created_at > now() - interval '90 days'`,
  'idempotency keys': `INSERT INTO idempotency_key (scope, key, request_digest, donation_id, answer, created_at, answered_at)
    SELECT 'record', id::text, decode(md5(id::text), 'hex'), id, '{}', created_at, created_at FROM donation
     WHERE created_at > now() - interval '3 days'`,
  outbox: `INSERT INTO outbox (event_id, topic, donation_id, sequence, created_at)
    SELECT event_id, 'donation.created', id, row_number() OVER (PARTITION BY event_id ORDER BY id), created_at
      FROM donation WHERE created_at > now() - interval '48 hours' AND status = 'COMPLETED'`,
  feeds: `INSERT INTO event_feed (event_id, last_sequence, published_sequence)
    SELECT event_id, max(sequence), max(sequence) FROM outbox GROUP BY 1`,
  receipts: `INSERT INTO receipt (donation_id, year, number, issued_at)
    SELECT id, 2026, split_part(receipt_number, '-', 2)::int + 1, created_at FROM donation WHERE receipt_number IS NOT NULL`,
  'receipt counter': `INSERT INTO receipt_counter (year, last_number) SELECT 2026, max(number) FROM receipt HAVING count(*) > 0`,
  audit: `INSERT INTO audit_entry (id, actor_kind, action, subject_id, created_at)
    SELECT id, 'system', 'donation.correct', id::text, created_at FROM donation WHERE amount % 20 = 1`,
};

if (process.argv[1] && import.meta.url === new URL(process.argv[1], 'file:').href) {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await fillBooks(client, Number(process.argv[2] ?? 10_000_000), { say: console.log });
  await client.end();
}
