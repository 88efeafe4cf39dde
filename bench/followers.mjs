// Measures what the followers of the feed cost the recording of donations, and how late they are.
//   node bench/followers.mjs     after `npm run build`; BENCH_ROUNDS (9), BENCH_SECONDS (2)
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn, load, median } from './measure.mjs';
import { assertBooks, openSetting, prepare } from './setting.mjs';

const CONNECTIONS = 64;
const RATE = 500;
const LATENCY_SECONDS = 20;
const TEAMS = 60;
const scale = {
  rounds: Number(process.env.BENCH_ROUNDS ?? 9),
  seconds: Number(process.env.BENCH_SECONDS ?? 2),
  pick: median,
};

const settings = [];
try {
  // Each service has its own database, so that no service handles the messages of another.
  const [without, withFollowers] = [await evening('none'), await evening('as usual')];
  for (const kind of ['idle', 'busy']) {
    const side = (one) => async () => {
      const figure = await load(one.service, one.records(kind), { ...scale, connections: CONNECTIONS });
      await caughtUp(one);
      return figure;
    };
    const { ratio, ours, bare } = await inTurn(side(withFollowers), side(without), scale);
    console.log(
      `${kind}: ratio ${ratio}; ${ours.perSecond} a second with followers, ${bare.perSecond} without`,
    );
  }
  // The follower that measures writes a row for each message, so it is not part of the rounds.
  const timed = await evening('timed');
  for (const kind of ['idle', 'busy']) console.log(`${kind} at ${RATE} a second:`, await delays(timed, kind));
  for (const { setting } of [without, withFollowers, timed]) await assertBooks(setting);
} finally {
  for (const setting of settings) await setting.close();
}

/** Starts a service with one event for idle followers, and one with a pool, teams and milestones. */
async function evening(followers) {
  const setting = await openSetting();
  settings.push(setting);
  await setting.sql('CREATE TABLE bench_delay (delay interval)');
  const { service, event, newEvent, staffAt, asAdmin, asStaff } = await prepare(setting, 0, {
    BENCH_FOLLOWERS: followers,
  });
  const gala = await newEvent('bench-gala');
  const post = async (path, body) => {
    const headers = { 'content-type': 'application/json', ...asAdmin };
    const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const cap = 900_000_000_000;
  const pool = await post('/match-pools', { eventId: gala.id, name: 'Pool', cap, remainder: 'not_given' });
  await post(`/match-pools/${pool.id}/open`, {});
  const { data: teams } = await post(`/events/${gala.id}/teams/tables`, { count: TEAMS, name: 'Table' });
  for (let number = 1; number <= 24; number++)
    await post(`/events/${gala.id}/milestones`, { amount: number * 100_000_000, title: `Step ${number}` });
  const json = { 'content-type': 'application/json' };
  const headers = { idle: { ...json, ...asStaff }, busy: { ...json, ...(await staffAt(gala)) } };
  const body = (kind, number) => ({
    amount: 2500,
    type: 'cash',
    donorName: randomBytes(4).toString('hex'),
    ...(kind === 'busy' && { teamId: teams[number % TEAMS].id }),
  });
  let made = 0;
  const next = (kind) => ({
    method: 'POST',
    path: '/donations',
    headers: headers[kind],
    body: JSON.stringify(body(kind, made++)),
  });
  return {
    setting,
    service,
    event,
    next,
    records: (kind) => ({ path: '/donations', next: () => next(kind) }),
  };
}

/** Waits until all messages are broadcast and handled. */
async function caughtUp({ setting }) {
  for (;;) {
    const [row] = await setting.sql(`SELECT 1 WHERE EXISTS (SELECT FROM outbox WHERE sequence IS NULL)
        OR EXISTS (SELECT FROM event_feed WHERE published_sequence < last_sequence)
        OR EXISTS (SELECT FROM follower_position p JOIN event_feed f USING (event_id) WHERE p.sequence < f.last_sequence)`);
    if (!row) return;
    await sleep(50);
  }
}

/** Records at a fixed rate, and returns the time from the record to the followers in ms. */
async function delays(one, kind) {
  await one.setting.sql('TRUNCATE bench_delay');
  const began = performance.now();
  const sent = [];
  for (let number = 0; number < RATE * LATENCY_SECONDS; number++) {
    const wait = began + (number * 1_000) / RATE - performance.now();
    if (wait > 1) await sleep(wait);
    const { path, ...request } = one.next(kind);
    sent.push(
      fetch(one.service.url + path, request).then(async (response) => {
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`${path}: ${response.status}`);
      }),
    );
  }
  await Promise.all(sent);
  const rate = Math.round((RATE * LATENCY_SECONDS * 1_000) / (performance.now() - began));
  await caughtUp(one);
  const [row] = await one.setting.sql(`SELECT count(*)::int AS messages,
      percentile_cont(ARRAY[0.5, 0.99, 1]) WITHIN GROUP (ORDER BY extract(epoch FROM delay) * 1000) AS ms FROM bench_delay`);
  const [p50, p99, most] = row.ms.map((ms) => Math.round(ms));
  return { recordedPerSecond: rate, messages: row.messages, p50, p99, most };
}
