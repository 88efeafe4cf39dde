// The hot paths of the service against the least that could do the same, in turn, in one run. Prints a table and, with
// BENCH_OUT, writes the figures as JSON (`bench/draw.mjs` draws them, `bench/guard.mjs` holds them against the committed ratios).
import { createHmac, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn, load, memoryOf } from './measure.mjs';
import { assertBooks, openSetting, prepare, tell, WEBHOOK_SECRET } from './setting.mjs';
import { measureStart } from './start.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** The first round, which does not count: code that is not compiled yet would be measured otherwise. */
const WARM_SECONDS = Number(process.env.BENCH_WARM_SECONDS ?? SECONDS);
const CLIENTS = (process.env.BENCH_CLIENTS ?? '64').split(',').map(Number);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 50);
const DONATIONS = Number(process.env.BENCH_DONATIONS ?? 50_000);
/** Payments that are prepared for each second of a round: more than any machine has answered. */
const MOST_WEBHOOKS = 8_000;
/** A database that `growth/fill.mjs` filled with as many. */
const FILLED = process.env.BENCH_FILLED;
const ONLY = process.env.BENCH_ONLY?.split(',');

const setting = await openSetting(FILLED);
const figures = [];
try {
  const { service, event, staffId, asAdmin, asStaff } = await prepare(setting, {
    events: EVENTS,
    donations: FILLED ? 0 : DONATIONS,
  });
  // The one that holds a twentieth of all, where they were there before.
  const [large] = FILLED ? await setting.sql("SELECT id FROM event WHERE slug = 'gala-0'") : [event];
  const bare = await setting.start('bare.mjs', {
    BENCH_EVENT: event.id,
    BENCH_LARGE_EVENT: large.id,
    BENCH_STAFF: staffId,
  });
  const nest = await setting.start('bare-nest.mjs');
  const json = { 'content-type': 'application/json' };
  const bytesOf = async (path, headers) =>
    await (await fetch(service.url + path, { headers: { ...headers } })).text();

  for (const path of [
    '/events/public',
    `/events/${event.slug}`,
    `/events/${event.slug}/settings`,
    '/settings/payments',
  ])
    await tell(bare, { path, text: await bytesOf(path) });
  await tell(nest, { text: await bytesOf('/settings/global', asAdmin) });
  const donationsPage = `/donations?eventId=${large.id}&type=cash`;
  const { data: donations } = JSON.parse(await bytesOf(donationsPage, asAdmin));
  if (donations.length !== 50)
    throw new Error(`a page of 50 has ${donations.length}: too few BENCH_DONATIONS`);

  const read = (name, path) => ({ name, against: bare, ours: { path }, bare: { path } });
  const paths = [
    read('public list', '/events/public'),
    read('event by slug', `/events/${event.slug}`),
    read('settings of an event', `/events/${event.slug}/settings`),
    read('ways to pay', '/settings/payments'),
    {
      // Whoever is signed in comes through the whole frame; what is behind it is in memory.
      name: 'hello through the frame',
      against: nest,
      ours: { path: '/settings/global', headers: asAdmin },
      bare: { path: '/hello' },
    },
    {
      name: 'donations, a page of 50',
      against: bare,
      ours: { path: donationsPage, headers: asAdmin },
      bare: { path: '/list' },
    },
    {
      name: 'record a donation',
      against: bare,
      ours: records({ ...asStaff, ...json }),
      bare: records(json),
    },
    {
      name: 'card webhook',
      against: bare,
      prepared: (seconds) => pendingPayments(event.id, seconds),
      ours: { path: '/donations/cardprocessor/webhook' },
      bare: { path: '/webhook' },
    },
  ].filter(({ name }) => !ONLY || ONLY.some((word) => name.includes(word)));

  for (const { name, against, ours, bare: theirs, prepared } of paths)
    for (const connections of CLIENTS) {
      const side = (program, request) => async (round) => {
        const seconds = round === 0 ? WARM_SECONDS : SECONDS;
        const sent = prepared ? webhooks(request, await prepared(seconds)) : request;
        const figure = await load(program, sent, { seconds, connections });
        await relayed();
        return figure;
      };
      const figure = await inTurn(side(service, ours), side(against, theirs), ROUNDS);
      figures.push({ name, connections, donations: DONATIONS, ...figure });
      console.log(JSON.stringify(figures.at(-1)));
    }
  const memory = memoryOf(service.pid);
  const books = await assertBooks(setting);
  console.log(
    `${books.donations} donations; totals equal the recount (${books.total}); ${memory.now} MB resident.`,
  );
  const starts = process.env.BENCH_STARTS !== '0' && (!ONLY || ONLY.includes('start'));
  const start = !starts ? undefined : await measureStart(setting.databaseUrl);
  console.table(
    figures.map(({ name, connections, ours, bare: theirs, requests, cpu }) => ({
      path: name,
      clients: connections,
      'ours/s': ours.perSecond,
      'bare/s': theirs.perSecond,
      ratio: requests,
      'ours CPU ms': ours.cpuMs,
      'bare CPU ms': theirs.cpuMs,
      'CPU ratio': cpu,
      'ours p99': ours.p99,
      'bare p99': theirs.p99,
    })),
  );
  if (start) console.table([start]);
  if (process.env.BENCH_OUT)
    writeFileSync(
      process.env.BENCH_OUT,
      `${JSON.stringify({ machine: machine(), donations: DONATIONS, events: EVENTS, figures, start }, null, 2)}\n`,
    );
} finally {
  await setting.close();
}

/** Waits until the service has handed on what was written: of what the bare one writes nothing is left for the next round. */
async function relayed() {
  const until = Date.now() + 30_000;
  for (;;) {
    const [row] = await setting.sql(`SELECT 1 WHERE EXISTS (SELECT FROM outbox WHERE sequence IS NULL)
        OR EXISTS (SELECT FROM event_feed WHERE published_sequence < last_sequence)`);
    if (!row) return;
    if (Date.now() > until) throw new Error('the outbox is not handed on');
    await sleep(50);
  }
}

/** Donors with names that differ: of one name for all, the index of the search would have next to nothing to sort. */
function records(headers) {
  const path = '/donations';
  const next = () => {
    const body = JSON.stringify({ amount: 2500, type: 'cash', donorName: `${word()} ${word()}` });
    return { method: 'POST', path, headers, body };
  };
  return { path, next };
}

/** Four to eight letters that can be pronounced, of some hundred thousand. */
function word() {
  const any = (letters) => letters[Math.floor(Math.random() * letters.length)];
  const syllable = () => any('bdfghklmnprstvwz') + any('aeiou');
  return Array.from({ length: 2 + Math.floor(Math.random() * 3) }, syllable).join('');
}

function machine() {
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model,
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** As many payments that wait as one round may use up, and the ids they have. */
async function pendingPayments(eventId, seconds) {
  const run = randomUUID().slice(0, 8);
  const count = MOST_WEBHOOKS * seconds;
  const began = Date.now() - count;
  await setting.sql(
    `INSERT INTO donation (id, event_id, amount, currency, type, status, donor_name, provider, payment_id,
       expected_amount, expected_currency, created_at, updated_at)
     SELECT (lpad(to_hex($3::bigint + i), 12, '0') || '7' || substr(md5($2 || i), 1, 3) || '8' || substr(md5($2 || i), 4, 15))::uuid,
       $1, 2500, 'eur', 'card', 'PENDING', 'Ada Lovelace', 'stripe', 'pi_' || $2 || '_' || i, 2500, 'eur', now(), now()
     FROM generate_series(0, $4::int - 1) AS i`,
    [eventId, run, began, count],
  );
  // Without it the planner believes that hardly any payment is pending, and goes through all of them for each.
  await setting.sql('ANALYZE donation');
  return { run, count };
}

/** Every request another signed event about another payment. */
function webhooks({ path }, { run, count }) {
  let made = 0;
  const next = () => {
    const number = made++;
    if (number >= count) throw new Error('more webhooks than payments were prepared');
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
