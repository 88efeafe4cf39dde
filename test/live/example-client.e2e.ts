import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Socket } from 'socket.io-client';
import { newId } from '../../src/common/crypto/ids.js';
import { startBalancer } from '../support/balancer.js';
import { DonationBook } from '../support/donations.js';
import { withOpened, withService } from '../support/setup.js';
import { until } from '../support/until.js';

interface Donation {
  id: string;
  sequence: number;
}
interface Wall {
  start(snapshot: { donations: Donation[]; totalRaised: number }): void;
  show(topic: string, donation: Donation): void;
  totals(totals: { totalRaised: number }): void;
}
type Watch = (url: string, event: string, wall: Wall) => Socket;

describe('the client in docs/live.md', () => {
  const folder = resolve('node_modules/.cache');
  const file = `${folder}/live-client-${newId()}.mjs`;
  let source: string;
  let watch: Watch;
  const app = withService();
  const book = new DonationBook(app);
  const network = withOpened(() => startBalancer([app.url]));

  beforeAll(async () => {
    source = /```js\n([\s\S]*?)```/.exec(readFileSync('docs/live.md', 'utf8'))?.[1] ?? '';
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, source);
    ({ watch } = (await import(pathToFileURL(file).href)) as { watch: Watch });
  });
  afterAll(() => {
    rmSync(file, { force: true });
  });

  it('the example client is short', () => {
    expect(source.trim().split('\n').length).toBeLessThan(40);
  });

  it('the example client shows every donation once, in order, over an unreliable network', async () => {
    const event = await book.event();
    const first = await book.give(event.id);
    const shown: string[] = [];
    const places: number[] = [];
    let total = 0;
    const socket = watch(network.url, event.slug, {
      start: ({ donations, totalRaised }) => {
        shown.splice(0, Infinity, ...donations.map(({ id }) => id).reverse());
        total = totalRaised;
      },
      show: (topic, { id, sequence }) => {
        expect(topic).toBe('donation.created');
        if (!shown.includes(id)) shown.push(id);
        places.push(sequence);
      },
      totals: ({ totalRaised }) => (total = totalRaised),
    });
    socket.io.reconnectionDelay(100);
    socket.io.reconnectionDelayMax(300);
    await until(() => shown.length === 1);

    const given = [first];
    for (let count = 0; count < 120; count++) {
      given.push(await book.give(event.id, { amount: 100 }));
      if (count % 30 === 10) {
        network.open = false;
        network.cut();
      }
      if (count % 30 === 20) network.open = true;
      await new Promise((done) => setTimeout(done, 10));
    }
    await until(() => shown.length === given.length && total === 2_500 + 12_000);
    expect(shown).toEqual(given);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Set(places).size).toBe(places.length);
    socket.disconnect();
  });

  it('the example client notices a lost message by the heartbeat or the next message, and requests it', async () => {
    const event = await book.event();
    const shown: number[] = [];
    const socket = watch(app.url, event.id, {
      start: () => undefined,
      show: (_topic, { sequence }) => shown.push(sequence),
      totals: () => undefined,
    });
    await until(() => socket.connected);
    await new Promise((done) => setTimeout(done, 200));
    // Simulates messages lost between the servers: the client library never receives the first two.
    const deliver = (socket as unknown as { emitEvent(args: [string, Donation]): void }).emitEvent.bind(
      socket,
    );
    let losing = true;
    Object.assign(socket, {
      emitEvent: (args: [string, Donation]) => {
        if (!losing) deliver(args);
      },
    });
    await book.give(event.id);
    await book.give(event.id);
    await new Promise((done) => setTimeout(done, 200));
    losing = false;
    expect(shown).toEqual([]);
    await book.give(event.id);
    await until(() => shown.length === 3);
    expect(shown).toEqual([1, 2, 3]);
    socket.disconnect();
  });
});
