// Many sockets in one room: how long all of them need to join, and how long one donation needs to the last of them, beside
// plain `ws` that is asked the same (`live/bare-server.mjs`), with the same clients.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gather } from './live/crowd.mjs';
import { round } from './measure.mjs';
import { openSetting, prepare } from './setting.mjs';

const ONE = 'one donation to 5,000 sockets';
const JOINS = '5,000 joins';
const DONATIONS = 15;
const BETWEEN_MS = 200;
/** In which a server forgets the crowd that left. */
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
    const joins = { bare: [], ours: [] };
    const arrivals = { bare: [], ours: [] };
    // In turn, so that whatever else the machine does meets both; the first round is for the compiler.
    for (let number = 0; number <= rounds; number++)
      for (const [side, target] of Object.entries(targets)) {
        const crowd = await gather(sockets);
        const joined = await crowd.join(target);
        const reached = [];
        for (let count = 0; wanted(ONE) && count < DONATIONS; count++) {
          reached.push(await crowd.reach(target.give));
          await sleep(BETWEEN_MS);
        }
        crowd.leave();
        await sleep(LEAVE_MS);
        if (number === 0) continue;
        joins[side].push(joined);
        arrivals[side].push(...reached);
      }
    const compare = (figures) => {
      // Times of which less is better.
      const [ours, plain] = [figures.ours, figures.bare].map((list) => -pick(list.map((ms) => -ms)));
      console.log(`${sockets} sockets: ours ${round(ours)} ms, plain ws ${round(plain)} ms`);
      return { 'times plain ws': round(ours / plain, 2) };
    };
    return {
      ...(wanted(ONE) && { [ONE]: compare(arrivals) }),
      ...(wanted(JOINS) && { [JOINS]: compare(joins) }),
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
