import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { startRelay } from '../../test/support/relay.js';
import { Wakeup } from './relay-session.js';

describe('the relay while the database is away', () => {
  it('tries about once a second, however many donations wait, and stops when it is stopped', async () => {
    let attempts = 0;
    const server = createServer((socket) => {
      attempts++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const started = performance.now();
    const relay = startRelay(`postgresql://nobody@127.0.0.1:${port}/none`, async () => undefined);
    for (let count = 0; count < 130; count++) {
      relay.raise();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(attempts).toBeGreaterThanOrEqual(1);
    // 1.3 seconds where nothing else is at work.
    expect(attempts).toBeLessThanOrEqual(2 + (performance.now() - started) / 1_000);
    const began = performance.now();
    await relay.beforeApplicationShutdown();
    expect(performance.now() - began).toBeLessThan(500);
    server.close();
  });
});

describe('a loop that sleeps', () => {
  const elapsed = async (work: Promise<void>) => {
    const began = performance.now();
    await work;
    return performance.now() - began;
  };

  it('wakes at the call, not at the end of the time', async () => {
    const wakeup = new Wakeup();
    setTimeout(() => {
      wakeup.raise();
    }, 10);
    expect(await elapsed(wakeup.wait(5_000))).toBeLessThan(1_000);
  });

  it('does not sleep when it was called while awake, and sleeps again after that', async () => {
    const wakeup = new Wakeup();
    wakeup.raise();
    wakeup.raise();
    expect(await elapsed(wakeup.wait(5_000))).toBeLessThan(1_000);
    expect(await elapsed(wakeup.wait(30))).toBeGreaterThanOrEqual(25);
  });
});
