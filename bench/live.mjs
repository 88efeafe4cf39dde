// Many sockets in one room. Measures the time until all sockets have joined, and until one donation reaches the last socket.
// Compares both with plain `ws` (`live/bare-server.mjs`) and the same clients.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gather } from './live/crowd.mjs';
import { median, round } from './measure.mjs';
import { openSetting, prepare } from './setting.mjs';

const ONE = 'one donation to 5,000 sockets';
const JOINS = '5,000 joins';
const DONATIONS = 15;
const BETWEEN_MS = 200;
/** Pause in which a server cleans up the clients that left. */
const LEAVE_MS = 1_500;

export async function measureLive({ sockets, rounds, pick }, wanted) {
  if (!wanted(ONE) && !wanted(JOINS)) return {};
  const setting = await openSetting();
  try {
    const { service, event, give } = await prepare(setting);
    const bare = await setting.start('live/bare-server.mjs');
    const targets = {
      bare: { url: bare.url, event: 'bench', give: () => giveBare(bare), isBare: true },
      ours: { url: service.url, event: event.id, give: () => give({ donorName: 'Ada Lovelace' }) },
    };
    const joins = [];
    const arrivals = [];
    // The programs run in turn, so that other work on the machine affects both. The first round warms up the compiler.
    for (let number = 0; number <= rounds; number++) {
      const crowds = { bare: await gather(sockets), ours: await gather(sockets) };
      const inTurn = async (work) => ({ bare: await work('bare'), ours: await work('ours') });
      const joined = await inTurn((side) => crowds[side].join(targets[side]));
      const reached = [];
      for (let count = 0; wanted(ONE) && count < DONATIONS; count++)
        reached.push(
          await inTurn(async (side) => {
            const took = await crowds[side].reach(targets[side].give);
            await sleep(BETWEEN_MS);
            return took;
          }),
        );
      for (const crowd of Object.values(crowds)) crowd.leave();
      await sleep(LEAVE_MS);
      if (number === 0) continue;
      joins.push(joined);
      arrivals.push(...reached);
    }
    /**
     * Compares neighbouring rounds in pairs, because the median of the pairs is stable. The best round of a
     * program varies from run to run.
     */
    const compare = (pairs, pickLeast) => {
      const of = (side) => round(median(pairs.map((pair) => pair[side])));
      console.log(`${sockets} sockets: ours ${of('ours')} ms, plain ws ${of('bare')} ms`);
      return { 'times plain ws': round(pickLeast(pairs.map(({ ours, bare }) => ours / bare)), 2) };
    };
    return {
      ...(wanted(ONE) && { [ONE]: compare(arrivals, median) }),
      ...(wanted(JOINS) && { [JOINS]: compare(joins, (ratios) => -pick(ratios.map((ratio) => -ratio))) }),
    };
  } finally {
    await setting.close();
  }
}

async function giveBare({ url }) {
  const donation = {
    id: randomUUID(),
    eventId: randomUUID(),
    amount: 2500,
    currency: 'eur',
    donorName: 'Ada Lovelace',
    createdAt: new Date().toISOString(),
    sequence: 1,
  };
  await fetch(url, { method: 'POST', body: `42${JSON.stringify(['donation.created', donation])}` });
}
