// Sends requests without a break during an operation (a rolling restart, a migration, a failover), and then checks that
// nothing was lost. Use a separate drill event, never a real one.
//
// DRILL_EMAIL=admin@example.org DRILL_PASSWORD=… node scripts/drills/requests.mjs \
// --url https://give.example.org --event drill --seconds 120 [--per-minute 90] [--intents]
//
// It signs in, records cash, reads the list and the event's page, and with --intents opens card payments. Stop it
// early by SIGTERM or Ctrl-C. Exit code: 0 nothing failed and nothing is missing, 1 something failed or is missing, 2 it could not run.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { parseArgs } from 'node:util';

/** Number of donations per page of a list. */
const PAGE = 200;

const drill = {
  over: false,
  requests: 0,
  /** Number of failed answers of each kind. Successes and rate limits are not failures. */
  failed: new Map(),
  /** Donations that the service confirmed with 201, as a map from id to minor units. */
  recorded: new Map(),
  intents: 0,
};

try {
  const options = readOptions();
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => (drill.over = true));
  const token = await signIn(options);
  const event = await ask(options, token, 'GET', `/events/${options.event}`);
  const before = event.totalRaised;
  console.log(`begun: ${options.event} has raised ${before}`);
  setTimeout(() => (drill.over = true), options.seconds * 1_000).unref();
  const work = workOf(options, token, event.id);
  await Promise.all(work.map((one) => line(one, (60_000 * work.length) / options.perMinute)));
  process.exitCode = report(await findLost(options, token, event.id, before));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      event: { type: 'string' },
      seconds: { type: 'string', default: '60' },
      'per-minute': { type: 'string', default: '90' },
      intents: { type: 'boolean', default: false },
    },
  });
  const { DRILL_EMAIL: email, DRILL_PASSWORD: password } = process.env;
  const [seconds, perMinute] = [Number(values.seconds), Number(values['per-minute'])];
  if (!values.url || !values.event || !email || !password || !(seconds > 0) || !(perMinute > 0))
    throw new Error(
      'Usage: DRILL_EMAIL=… DRILL_PASSWORD=… … --url <url> --event <slug> [--seconds n] [--per-minute n]',
    );
  return {
    url: values.url,
    event: values.event,
    seconds,
    perMinute,
    intents: values.intents,
    email,
    password,
  };
}

/** Returns the requests of the drill. Each kind runs in its own loop, so that no request waits for another kind. */
function workOf(options, token, eventId) {
  const record = async () => {
    const amount = 100 + Math.floor(Math.random() * 900);
    const sent = { amount, type: 'cash', eventId };
    const answer = await send(options, token, 'POST', '/donations', sent, {
      'idempotency-key': randomUUID(),
    });
    if (answer) drill.recorded.set(answer.id, amount);
  };
  const intent = async () => {
    const sent = { amount: 700, currency: 'eur', metadata: { eventId } };
    if (await send(options, undefined, 'POST', '/donations/intent', sent)) drill.intents++;
  };
  return [
    record,
    record,
    () => send(options, token, 'GET', `/donations?eventId=${eventId}&limit=20`),
    () => send(options, undefined, 'GET', `/events/${options.event}`),
    ...(options.intents ? [intent] : []),
  ];
}

async function line(work, everyMs) {
  while (!drill.over) {
    const next = Date.now() + everyMs;
    await work();
    await sleep(Math.max(0, next - Date.now()));
  }
}

/** Sends one request. Returns undefined if it failed. */
async function send(options, token, method, path, body, headers = {}) {
  drill.requests++;
  let response;
  try {
    response = await fetch(`${options.url}${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (response.ok) return answer;
  } catch (error) {
    fail(`${method} ${path.split('?')[0]}: ${error.cause?.code ?? error.message}`);
    return undefined;
  }
  // A refusal by the rate limit is not a failure of the drill.
  if (response.status === 429) await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1));
  else fail(`${method} ${path.split('?')[0]}: ${response.status}`);
  return undefined;
}

function fail(what) {
  drill.failed.set(what, (drill.failed.get(what) ?? 0) + 1);
}

/** Like `send`, but throws an error if the request fails. */
async function ask(options, token, method, path, body) {
  const response = await fetch(`${options.url}${path}`, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
  return await response.json();
}

async function signIn(options) {
  const { email, password } = options;
  return (await ask(options, undefined, 'POST', '/auth/login', { email, password })).accessToken;
}

/** Returns the number of confirmed donations that are missing or have another amount, and the amount that the total lacks. */
async function findLost(options, token, eventId, before) {
  const kept = new Map();
  for (let cursor = ''; cursor !== null;) {
    const query = new URLSearchParams({
      eventId,
      type: 'cash',
      limit: String(PAGE),
      ...(cursor && { cursor }),
    });
    const page = await ask(options, token, 'GET', `/donations?${query}`);
    for (const { id, amount } of page.data) kept.set(id, amount);
    cursor = page.nextCursor;
  }
  const lost = [...drill.recorded].filter(([id, amount]) => kept.get(id) !== amount);
  const { totalRaised } = await ask(options, token, 'GET', `/events/${options.event}`);
  const sum = [...drill.recorded.values()].reduce((all, amount) => all + amount, 0);
  // If no request failed, `sum` contains all cash donations of the drill. The total may also contain paid intents.
  return { lost: lost.length, missing: Math.max(0, before + sum - totalRaised) };
}

function report({ lost, missing }) {
  const failed = [...drill.failed.values()].reduce((all, count) => all + count, 0);
  for (const [what, count] of drill.failed) console.log(`  ${count} × ${what}`);
  console.log(
    `Requests: ${drill.requests}, failed: ${failed}. Donations: ${drill.recorded.size} recorded, ${drill.intents} started online, ` +
      `${lost} lost. Missing from the event total (minor units): ${missing}.`,
  );
  return failed + lost + missing > 0 ? 1 : 0;
}
