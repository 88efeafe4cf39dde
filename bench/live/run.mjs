// What the live channel does under load, and what plain `ws` does in the same run on the same machine.
//
//   DATABASE_URL=postgresql://… node bench/live/run.mjs [--sockets 5000] [--donations 200] [--minutes 1] [--only name]
//     [--rounds 3, of joins]//     [--processes 1, of the service; more need REDIS_URL]
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { crowd, gather } from './crowd.mjs';
import { pause, startBare, startService } from './service.mjs';

const { values } = parseArgs({
  options: {
    sockets: { type: 'string', default: '5000' },
    donations: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '1' },
    slow: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    processes: { type: 'string', default: '1' },
  },
});
const SOCKETS = Number(values.sockets);
const DONATIONS = Number(values.donations);
const MINUTES = Number(values.minutes);
const ROUNDS = Number(values.rounds);
const now = () => performance.timeOrigin + performance.now();
const wanted = (name) => values.only === undefined || values.only === name;
const ms = (value) => `${value.toFixed(0)} ms`;

if (!process.env.DATABASE_URL)
  throw new Error('DATABASE_URL must name a PostgreSQL server to make a database on');

/** Gives `count` donations over a time and yields when each reached the sockets, measured from the request. */
async function measure(target, walls, count, overMilliseconds) {
  await walls.ask({ kind: 'expect', count, timeout: 120_000 });
  const heard = Promise.all(walls.children.map(async (child) => (await once(child, 'message'))[0]));
  const begin = now();
  const requests = [];
  for (let index = 0; index < count; index++) {
    await pause(Math.max(0, begin + (index * overMilliseconds) / count - now()));
    requests.push(target.give());
  }
  await Promise.all(requests);
  const given = now();
  const answers = await heard;
  const merged = new Map();
  for (const { arrivals } of answers)
    for (const [sequence, [first, last, sum, number]] of arrivals) {
      const entry = merged.get(sequence) ?? [Infinity, 0, 0, 0];
      merged.set(sequence, [
        Math.min(entry[0], first),
        Math.max(entry[1], last),
        entry[2] + sum,
        entry[3] + number,
      ]);
    }
  const total = (pick) => answers.reduce((sum, answer) => sum + pick(answer), 0);
  return {
    begin,
    given,
    end: Math.max(...[...merged.values()].map(([, last]) => last)),
    merged,
    complete: total((answer) => answer.complete),
    sockets: total((answer) => answer.sockets),
    disorder: total((answer) => answer.disorder),
    deliveries: [...merged.values()].reduce((sum, [, , , number]) => sum + number, 0),
  };
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function oneByOne(target, walls, times) {
  const first = [];
  const mean = [];
  const last = [];
  for (let count = 0; count < times; count++) {
    const { begin, merged } = await measure(target, walls, 1, 0);
    const [[, [one, all, sum, number]]] = merged;
    first.push(one - begin);
    mean.push(sum / number - begin);
    last.push(all - begin);
    await pause(200);
  }
  return { first: median(first), mean: median(mean), last: median(last) };
}

function tellBurst(name, result) {
  const rate = result.deliveries / ((result.end - result.begin) / 1_000);
  console.log(
    `${name}: ${DONATIONS} donations offered in 1 s, accepted in ${ms(result.given - result.begin)}, at the last socket after ` +
      `${ms(result.end - result.begin)}; ${Math.round(rate)} deliveries/s; ` +
      `complete at ${result.complete} of ${result.sockets} sockets, ${result.disorder} out of order or twice`,
  );
  return result.end - result.begin;
}

const service = await startService(Number(values.processes));
const bare = wanted('memory') && values.only ? undefined : await startBare();
try {
  console.log(
    `${SOCKETS} sockets in one room, ${values.processes} process(es) of the service; ${process.version}\n`,
  );

  if (wanted('joins')) {
    // In turn, so that whatever else the machine does meets all of them.
    const ways = new Map([
      ['bare', { name: 'plain ws, joined', target: bare, rounds: [] }],
      ['asked', { name: 'joinEvent', target: service, rounds: [] }],
      ['at connect', { name: 'joined as it connects', target: service, rounds: [] }],
    ]);
    // The first round is for the compiler.
    for (let round = 0; round <= ROUNDS; round++)
      for (const [way, { target, rounds }] of ways) {
        const walls = await gather(target, SOCKETS, way);
        const [begin, cpu] = [now(), target.cpu()];
        await walls.join();
        if (round > 0) rounds.push({ wall: now() - begin, cpu: (target.cpu() - cpu) / SOCKETS });
        walls.leave();
        await pause(1_500);
      }
    const raw = ways.get('bare').rounds;
    for (const { name, rounds } of ways.values()) {
      const of = (list, pick) => median(list.map(pick));
      const [wall, cpu] = [of(rounds, (one) => one.wall), of(rounds, (one) => one.cpu)];
      console.log(
        `${name}: ${SOCKETS} joined in ${ms(wall)} (${rounds.map((one) => one.wall.toFixed(0)).join(', ')}), ` +
          `${(wall / of(raw, (one) => one.wall)).toFixed(2)} times; ${cpu.toFixed(3)} ms of the server's CPU each ` +
          `(${rounds.map((one) => one.cpu.toFixed(3)).join(', ')}), ${(cpu / of(raw, (one) => one.cpu)).toFixed(2)} times`,
      );
    }
    console.log();
  }

  if (wanted('one') || wanted('burst')) {
    const crowds = [
      ['plain ws', bare, 'bare'],
      ['live channel', service, 'asked'],
    ];
    const results = [];
    for (const [name, target, way] of crowds) {
      const begin = now();
      const walls = await crowd(target, SOCKETS, way);
      const joined = now() - begin;
      const one = await oneByOne(target, walls, 15);
      console.log(`${name}: all joined in ${ms(joined)}, ${target.memory()?.toFixed(0)} MB`);
      console.log(
        `${name}: one donation, median of 15: first socket ${ms(one.first)}, mean ${ms(one.mean)}, last ${ms(one.last)}`,
      );
      const burst = tellBurst(name, await measure(target, walls, DONATIONS, 1_000));
      console.log(`${name}: ${target.memory()?.toFixed(0)} MB after the burst\n`);
      results.push({ one: one.last, burst });
      walls.leave();
      await pause(1_500);
    }
    const [raw, ours] = results;
    console.log(
      `ratio, one donation to the last socket: ${(ours.one / raw.one).toFixed(2)}; burst: ${(ours.burst / raw.burst).toFixed(2)}\n`,
    );
  }

  if (wanted('slow')) {
    const fast = await crowd(service, 1_000, 'asked');
    const before = await measure(service, fast, DONATIONS, 1_000);
    const slow = await crowd(service, Number(values.slow), 'asked', 1);
    await slow.ask({ kind: 'sleep' });
    const memory = service.memory();
    // Enough that the kernel's buffers are full and the service has to keep what comes.
    const rounds = [];
    for (let round = 0; round < 12; round++) rounds.push(await measure(service, fast, DONATIONS, 500));
    const { rows } = await service.database.query('SELECT max(last_sequence) AS sequence FROM event_feed');
    console.log(`1,000 sockets without slow ones: ${ms(before.end - before.begin)} for the burst`);
    console.log(
      `with ${values.slow} that take nothing: median ${ms(median(rounds.map((round) => round.end - round.begin)))} for the same in half the time, ` +
        `complete ${rounds.every((round) => round.complete === round.sockets)}, disorder ${rounds.reduce((sum, round) => sum + round.disorder, 0)}`,
    );
    const [{ open }] = await slow.ask({ kind: 'count' });
    console.log(
      `memory ${memory?.toFixed(0)} MB before, ${service.memory()?.toFixed(0)} MB after ${rows[0].sequence} messages; slow sockets that know they are cut: ${values.slow - open}\n`,
    );
    fast.leave();
    slow.leave();
    await pause(1_000);
  }

  if (wanted('memory')) {
    const walls = await crowd(service, SOCKETS, 'asked');
    const samples = [];
    const end = now() + MINUTES * 60_000;
    let donations = 0;
    let wrong = 0;
    while (now() < end) {
      const result = await measure(service, walls, 5, 5_000);
      donations += 5;
      if (result.complete !== result.sockets || result.disorder > 0) wrong++;
      samples.push(service.memory() ?? NaN);
    }
    const third = Math.floor(samples.length / 3);
    const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
    console.log(
      `memory over ${MINUTES} min, ${SOCKETS} sockets, ${donations} donations, ${wrong} rounds incomplete: first third ` +
        `${mean(samples.slice(0, third)).toFixed(0)} MB, middle ${mean(samples.slice(third, 2 * third)).toFixed(0)} MB, ` +
        `last ${mean(samples.slice(2 * third)).toFixed(0)} MB, highest ${Math.max(...samples).toFixed(0)} MB`,
    );
    walls.leave();
  }
} finally {
  await bare?.stop();
  await service.stop();
}
