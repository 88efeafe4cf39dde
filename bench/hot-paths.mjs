// Measures frequent requests. Each is compared with a minimal program (`bare.mjs`, `bare-nest.mjs`), in turn.
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn, load, median, round } from './measure.mjs';
import { assertBooks, openSetting, prepare, tell, WEBHOOK_SECRET } from './setting.mjs';

const CONNECTIONS = 64;
/** Number of payments to prepare for each second of a round. No machine has answered more. */
const MOST_WEBHOOKS = 8_000;
const GUESTS = 'pledge of one of 5,000 guests';
const GUEST_COUNT = 5_000;
const SEARCHES = ['ada.be', 'grace', 'barbara.do', 'turing', 'love'];
const SEARCH_TIMES = 6;

export async function measureHotPaths(scale, wanted) {
  const { seconds, donations } = scale;
  const works = [
    'public list',
    'event by slug',
    'settings of an event',
    'guarded route through the whole frame',
    'record a donation',
    GUESTS,
    'webhook of a paid card',
    'page of 50 of a million',
    'search in a million',
  ].filter(wanted);
  if (works.length === 0) return {};
  const setting = await openSetting();
  try {
    const { service, event, newEvent, staffAt, staffId, asAdmin, asStaff } = await prepare(
      setting,
      donations,
    );
    const gala = await newEvent('bench-guests');
    await addGuests(setting, gala.id);
    // This event has a twentieth of all donations.
    const [large] = await setting.sql("SELECT id FROM event WHERE slug = 'gala-0'");
    const bare = await setting.start('bare.mjs', {
      BENCH_EVENT: event.id,
      BENCH_LARGE_EVENT: large.id,
      BENCH_STAFF: staffId,
    });
    const nest = await setting.start('bare-nest.mjs');
    const json = { 'content-type': 'application/json' };
    const textOf = async (path, headers = {}) => await (await fetch(service.url + path, { headers })).text();
    const publicPaths = {
      'public list': '/events/public',
      'event by slug': `/events/${event.slug}`,
      'settings of an event': `/events/${event.slug}/settings`,
    };
    for (const path of Object.values(publicPaths)) await tell(bare, { path, text: await textOf(path) });
    await tell(nest, { text: await textOf('/settings/global', asAdmin) });

    const read = (path) => ({ against: bare, ours: { path }, bare: { path } });
    const paired = {
      ...Object.fromEntries(Object.entries(publicPaths).map(([work, path]) => [work, read(path)])),
      'guarded route through the whole frame': {
        against: nest,
        // With a session, all guards run. Their data is in memory.
        ours: { path: '/settings/global', headers: asAdmin },
        bare: { path: '/hello' },
      },
      'record a donation': {
        against: bare,
        ours: records({ ...asStaff, ...json }),
        bare: records(json),
      },
      // Both are our service: the same pledges at an event with guests, and at one without.
      [GUESTS]: {
        against: service,
        ours: paddles({ ...(await staffAt(gala)), ...json }),
        bare: paddles({ ...asStaff, ...json }),
      },
      'webhook of a paid card': {
        against: bare,
        prepared: (length) => pendingPayments(setting, event.id, length),
        ours: { path: '/donations/cardprocessor/webhook' },
        bare: { path: '/webhook' },
      },
      'page of 50 of a million': {
        against: bare,
        ours: { path: `/donations?eventId=${large.id}&type=cash`, headers: asAdmin },
        bare: { path: '/list' },
      },
    };
    const measured = {};
    for (const work of works) {
      if (work === 'search in a million') {
        measured[work] = { 'median, ms': await search(service, asAdmin, scale) };
        continue;
      }
      const { against, ours, bare: theirs, prepared } = paired[work];
      const side = (program, request) => async () => {
        const sent = prepared ? webhooks(request, await prepared(seconds)) : request;
        const figure = await load(program, sent, { seconds, connections: CONNECTIONS });
        await relayed(setting);
        return figure;
      };
      const figure = await inTurn(side(service, ours), side(against, theirs), scale);
      console.log(work, JSON.stringify(figure));
      measured[work] = { ratio: figure.ratio, 'a second': figure.ours.perSecond };
    }
    const books = await assertBooks(setting);
    console.log(`${books.donations} donations; totals equal the recount (${books.total}).`);
    return measured;
  } finally {
    await setting.close();
  }
}

/**
 * Returns the duration of a search over all donations in ms: for each text the median or best of several tries, and then the
 * median of these.
 */
async function search({ url }, headers, { pick }) {
  const took = new Map(SEARCHES.map((words) => [words, []]));
  for (let time = 0; time <= SEARCH_TIMES; time++)
    for (const words of SEARCHES) {
      const began = performance.now();
      const response = await fetch(`${url}/donations?search=${words}&limit=50`, { headers });
      if (!response.ok) throw new Error(`search: ${response.status} ${await response.text()}`);
      await response.text();
      // The value is negative, so that a higher value is better, as for the other figures.
      if (time > 0) took.get(words).push(began - performance.now());
    }
  return round(median([...took.values()].map((list) => -pick(list))), 1);
}

/** Waits until the service has broadcast all records. The service also broadcasts the records that
 * `bare.mjs` put into the outbox. Without this wait, that work would slow the next round. */
async function relayed({ sql }) {
  for (const until = Date.now() + 60_000; ; await sleep(50)) {
    const [row] = await sql(`SELECT 1 WHERE EXISTS (SELECT FROM outbox WHERE sequence IS NULL)
        OR EXISTS (SELECT FROM event_feed WHERE published_sequence < last_sequence)`);
    if (!row) return;
    if (Date.now() > until) throw new Error('The outbox was not broadcast in time');
  }
}

/**
 * Generates records with different donor names. If all records had the same name, the search index would have almost nothing
 * to sort.
 */
function records(headers) {
  const path = '/donations';
  const next = () => {
    const body = JSON.stringify({ amount: 2500, type: 'cash', donorName: `${word()} ${word()}` });
    return { method: 'POST', path, headers, body };
  };
  return { path, next };
}

/** Generates pledges by paddle. */
function paddles(headers) {
  const path = '/donations';
  const next = () => {
    const paddle = String(1 + Math.floor(Math.random() * GUEST_COUNT));
    return { method: 'POST', path, headers, body: JSON.stringify({ amount: 2500, type: 'pledge', paddle }) };
  };
  return { path, next };
}

/** Adds guests with the paddles 1 to 5,000. */
const addGuests = ({ sql }, eventId) =>
  sql(
    `INSERT INTO guest (id, event_id, name, email, paddle, paddle_given_at, updated_at)
      SELECT gen_random_uuid(), $1, 'Guest ' || number, 'guest' || number || '@example.org', number, now(), now()
      FROM generate_series(1, $2::int) AS number`,
    [eventId, GUEST_COUNT],
  );

/** Returns a random pronounceable word of four to eight letters. Some hundred thousand words are possible. */
function word() {
  const any = (letters) => letters[Math.floor(Math.random() * letters.length)];
  const syllable = () => any('bdfghklmnprstvwz') + any('aeiou');
  return Array.from({ length: 2 + Math.floor(Math.random() * 3) }, syllable).join('');
}

/** Creates as many pending payments as one round may use. Returns their number and the prefix of their ids. */
async function pendingPayments({ sql }, eventId, seconds) {
  const run = randomUUID().slice(0, 8);
  const count = MOST_WEBHOOKS * seconds;
  await sql(
    `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, provider, payment_id,
       expected_amount, expected_currency, created_at, updated_at)
     SELECT (lpad(to_hex($3::bigint + i), 12, '0') || '7' || substr(md5($2 || i), 1, 3) || '8' || substr(md5($2 || i), 4, 15))::uuid,
       $1, 2500, 'eur', 'card', 'PENDING', 'Ada Lovelace', 'stripe', 'pi_' || $2 || '_' || i, 2500, 'eur', now(), now()
     FROM generate_series(0, $4::int - 1) AS i`,
    [eventId, run, Date.now() - count, count],
  );
  // Without ANALYZE, the planner expects almost no pending payments, and scans all of them for each request.
  await sql('ANALYZE donation');
  return { run, count };
}

/** Every request is another signed event, about another payment. */
function webhooks({ path }, { run, count }) {
  let made = 0;
  const next = () => {
    const number = made++;
    if (number >= count) throw new Error('The round needs more payments than were prepared');
    const time = Math.floor(Date.now() / 1000);
    const body = JSON.stringify({
      id: `evt_${run}_${number}`,
      object: 'event',
      type: 'payment_intent.succeeded',
      created: time,
      data: {
        object: {
          id: `pi_${run}_${number}`,
          object: 'payment_intent',
          status: 'succeeded',
          amount: 2500,
          amount_received: 2500,
          currency: 'eur',
          latest_charge: `ch_${run}_${number}`,
          metadata: {},
        },
      },
    });
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${time}.${body}`).digest('hex');
    const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` };
    return { method: 'POST', path, headers, body };
  };
  return { path, next };
}
