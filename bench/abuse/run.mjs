// Attacks the built service while an admin, a till, donors and a wall work from other addresses. Prints their waits
// (99th percentile) and failures before, during and after each attack.
//   --short: under a minute
//   --only=<words>,<words>: the attacks with these words in their names
//   --attacker-nice=<0 to 19>: priority of the attacker (19); a real attacker does not use this machine's processors
//   --profile=<directory>: writes the service's CPU profile
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus, getPriority, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startCosts } from './cost.mjs';
import { honestPeople } from './honest.mjs';
import { pause, startEvening } from './service.mjs';

const SHORT = process.argv.includes('--short');
const given = (name) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const ONLY = (given('only') ?? '').split(',');
const ATTACKER_NICE = Number(given('attacker-nice') ?? 19);
const PHASES = SHORT
  ? { before: 900, during: 2_300, after: 900 }
  : { before: 3_000, during: 9_000, after: 4_000 };
const GOAL_MS = 1_000;

const evening = await startEvening({ profileDir: given('profile') });
// The command `nice` starts the process, so that all its threads have this priority.
const attacker = fork(fileURLToPath(new URL('./attacker.mjs', import.meta.url)), [], {
  execPath: 'nice',
  execArgv: ['-n', String(ATTACKER_NICE - getPriority()), process.execPath],
});
let people;
try {
  const { attacks: known, victim } = await asked({});
  const attacks = known.filter((attack) => ONLY.some((words) => attack.includes(words)));
  people = honestPeople(evening);
  const beginCosts = startCosts({ ...evening, attackerPid: attacker.pid });
  // The first requests compile code and fill caches, so they are not measured.
  await pause(2_000);
  const runs = [];
  for (const attack of attacks) {
    people.donorsSay(attack.includes('e-mail') ? victim : undefined);
    const from = performance.now();
    await pause(PHASES.before);
    const attacked = performance.now();
    const endCosts = await beginCosts();
    const { answers } = await asked({ evening: plain(evening), attack, until: Date.now() + PHASES.during });
    const over = performance.now();
    const costs = await endCosts();
    await pause(PHASES.after);
    runs.push({
      attack,
      answers,
      costs,
      bounds: { before: [from, attacked], during: [attacked, over], after: [over, performance.now()] },
    });
    process.stderr.write(`${attack}: ${JSON.stringify(answers)}\n`);
  }
  await people.stop();
  report(runs, people);
  await assertBooks();
} finally {
  attacker.disconnect();
  await people?.stop();
  await evening.stop();
}

async function asked(order) {
  attacker.send(order);
  const [answer] = await once(attacker, 'message');
  return answer;
}

/** Returns the fields that a message to another process can contain. */
function plain(given) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value !== 'function'));
}

function report(runs, { clients, samples }) {
  const cell = ([from, to], client) => {
    const of = samples.filter((one) => one.client === client && one.at >= from && one.at < to);
    const failed = of.filter(({ failure }) => failure !== undefined);
    const sorted = of.map(({ took }) => took).sort((a, b) => a - b);
    const p99 = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))];
    const failures =
      failed.length > 0
        ? ` (${failed.length} of ${of.length}: ${[...new Set(failed.map(({ failure }) => failure))].join(', ')})`
        : '';
    return { p99, failed: failed.length, text: p99 === undefined ? '–' : `${Math.round(p99)}${failures}` };
  };
  console.log(`| attack (answers) | ${clients.join(' | ')} |`);
  console.log(`| --- | ${clients.map(() => '---').join(' | ')} |`);
  const missed = [];
  for (const { attack, answers, bounds } of runs) {
    const row = clients.map((client) => {
      const cells = Object.values(bounds).map((bound) => cell(bound, client));
      if (cells.some(({ p99, failed }) => failed > 0 || p99 > GOAL_MS)) missed.push(`${attack}: ${client}`);
      return cells.map(({ text }) => text).join(' / ');
    });
    const answered = Object.entries(answers).map(([answer, count]) => `${answer}: ${count}`);
    console.log(`| ${attack} (${answered.join(', ')}) | ${row.join(' | ')} |`);
  }
  const [{ costs }] = runs;
  if (costs.percent) {
    const names = Object.keys(costs.percent);
    console.log(
      `\n| during the attack, % of a core | ${names.join(' | ')} | longest delay of the service | longest delay of other users |`,
    );
    console.log(`| --- |${' ---: |'.repeat(names.length + 2)}`);
  }
  for (const { attack, costs } of runs)
    if (costs.percent)
      console.log(
        `| ${attack} | ${[...Object.values(costs.percent), ...Object.values(costs.delays).map((ms) => `${ms} ms`)].join(' | ')} |`,
      );
  const load = loadavg()[0].toFixed(1);
  console.log(`\n99th percentile in ms, before / during / after; ${samples.length} honest requests.`);
  console.log(
    `${cpus().length} cores, load ${load} at the end, the attacker at nice ${ATTACKER_NICE}. Slow requests before an attack come from the machine.`,
  );
  console.log(
    missed.length === 0
      ? 'No honest client waited more than a second or was refused.'
      : `Honest clients waited more than a second, or failed: ${missed.join('; ')}.`,
  );
}

/** Checks that the totals equal a recount, because attacks must not lose money. */
async function assertBooks() {
  const client = new pg.Client({ connectionString: evening.databaseUrl });
  await client.connect();
  const { rows } = await client.query(`SELECT
    (SELECT sum(amount - refunded_amount) FROM donation WHERE status = 'COMPLETED') AS recount,
    (SELECT sum(total_raised) FROM event_total) AS kept`);
  await client.end();
  const [{ recount, kept }] = rows;
  if (recount !== kept) throw new Error(`The totals are wrong: ${kept} stored, ${recount} counted`);
  console.log(`The totals equal the recount (${kept}).`);
}
