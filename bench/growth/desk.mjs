// What the desk asks for, at a million donations: the list with each filter and sort, its later pages, searches, the sums of a
// filter, an explained total and the lists beside it. Milliseconds until the answer is there, one request at a time.
//   node bench/growth/desk.mjs [donations, 1000000] [times, 9]
import os from 'node:os';
import pg from 'pg';
import { seedAdmin } from '../../dist/operator/admin-seed.js';
import { openSetting } from '../setting.mjs';
import { fillBooks } from './fill.mjs';

const DONATIONS = Number(process.argv[2] ?? 1_000_000);
const TIMES = Number(process.argv[3] ?? 9);
const LIMIT = 100;
const EVENING_DONATIONS = 20_000;
const EVENING = `WITH made AS (
    INSERT INTO event (id, slug, name, goal_amount, currency) VALUES (gen_random_uuid(), 'evening', 'Evening', 0, 'eur') RETURNING id
  ), given AS (
    SELECT n, now() - interval '8 hours' + n * interval '1 second' AS at FROM generate_series(1, $1::int) n
  )
  INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, is_anonymous, created_at, updated_at,
    completed_at)
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8'
      || substr(md5(n::text), 4, 15))::uuid, made.id, 100 + n % 5000, 'eur',
    (ARRAY['cash', 'check', 'card_terminal'])[1 + n % 3]::donation_type, 'COMPLETED', 'Guest ' || n, false, at, at, at
  FROM given, made`;

const setting = await openSetting();
try {
  const client = new pg.Client({ connectionString: setting.databaseUrl });
  await client.connect();
  // Dropped under it when something fails, which then says what.
  client.on('error', () => undefined);
  await fillBooks(client, DONATIONS, { say: console.error });
  // What is looked at the morning after: all at once, as ids and rows of one evening are.
  await client.query(EVENING, [EVENING_DONATIONS]);
  await client.query('VACUUM ANALYZE donation');
  const { email, password } = await seedAdmin({
    databaseUrl: setting.databaseUrl,
    email: 'bench@example.org',
  });
  const [large, small] = ['gala-0', 'gala-7'];
  const { rows: days } = await client.query(
    "SELECT min(created_at) + interval '4 years' AS from, min(created_at) + interval '4 years 30 days' AS to FROM donation",
  );
  const { rows: staff } = await client.query(
    'SELECT staff_id FROM donation WHERE staff_id IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
  );
  await client.end();
  const range = `from=${days[0].from.toISOString()}&to=${days[0].to.toISOString()}`;
  const service = await setting.start('service.mjs');
  const ask = async (path, init) => {
    const response = await fetch(service.url + path, init);
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const { accessToken } = await ask('/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const read = (path) => ask(path, { headers: { authorization: `Bearer ${accessToken}` } });

  /** What the desk's filters can be, alone and together. */
  const filters = {
    none: '',
    'event of 50,000': `eventId=${large}`,
    'event of 475': `eventId=${small}`,
    completed: 'status=COMPLETED',
    'refunded, cancelled': 'status=REFUNDED,CANCELLED',
    pending: 'status=PENDING',
    cash: 'type=cash',
    'event of 50,000, card, completed': `eventId=${large}&type=card&status=COMPLETED`,
    'one of the staff': `staffId=${staff[0].staff_id}`,
    'thirty days': range,
    'event of 50,000, thirty days': `eventId=${large}&${range}`,
    'refunded: true': 'refunded=true',
    'disputed: any': 'disputed=any',
    'search `ada`': 'search=ada',
    'search `ada.ber`': 'search=ada.ber',
    'event of 50,000, search `ada`': `eventId=${large}&search=ada`,
    'search, nobody': 'search=zzzzzz',
  };
  console.log(`${DONATIONS} donations, ${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)}\n`);
  console.log('| filter | page of 100 | next page | by amount | sums |\n| --- | --- | --- | --- | --- |');
  for (const [name, filter] of Object.entries(filters)) {
    const list = `/donations?limit=${LIMIT}&${filter}`;
    const { nextCursor } = await read(list);
    const cells = [
      await timed(list),
      nextCursor === null ? '' : await timed(`${list}&cursor=${encodeURIComponent(nextCursor)}`),
      await timed(`${list}&sort=-amount`),
      await timed(`/donations/totals?${filter}`),
    ];
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
  console.log('\n| request | ms |\n| --- | --- |');
  const donation = (await read('/donations?limit=1&status=REFUNDED&type=card')).data[0].id;
  for (const path of [
    '/donations?limit=100&cursor=' + encodeURIComponent(await farCursor()),
    '/donations?limit=100&offset=100000',
    '/events/evening/explain-total',
    '/events/evening/tonight',
    '/events/evening/summary',
    '/statistics?eventId=evening',
    `/statistics?eventId=evening&compareTo=${small}`,
    `/events/${large}/explain-total`,
    '/totals/explain',
    `/events/${large}/tonight`,
    `/events/${large}/summary`,
    `/statistics?eventId=${large}`,
    `/donations/${donation}/story`,
    '/donors?limit=100',
    '/donors?limit=100&search=ada',
    '/donors?limit=100&search=barbara.do',
    '/audit?limit=100',
    '/audit?limit=100&action=staff',
    '/emails?limit=100',
    '/events?limit=100',
    '/events?search=gala%2019',
    '/payouts',
    '/review-items/open?limit=100',
  ])
    console.log(
      `| \`${path.replaceAll(/cursor=[^&]+/g, 'cursor=…').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}/g, ':id')}\` | ${await timed(path).catch(({ message }) => message)} |`,
    );

  /** The quickest and the middle one. */
  async function timed(path) {
    await read(path);
    const took = [];
    for (let n = 0; n < TIMES; n++) {
      const from = performance.now();
      await read(path);
      took.push(performance.now() - from);
    }
    took.sort((a, b) => a - b);
    const short = (ms) => (ms < 10 ? ms.toFixed(1) : Math.round(ms));
    return `${short(took[0])} / ${short(took[TIMES >> 1])}`;
  }

  /** In the middle of all, as somebody reaches it who scrolled for a very long time. */
  async function farCursor() {
    const half = (await read(`/donations?limit=1&to=${days[0].from.toISOString()}`)).data[0].id;
    return Buffer.from(`-createdAt|${half}`).toString('base64url');
  }
} finally {
  await setting.close();
}
