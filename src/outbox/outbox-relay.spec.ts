import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { startRelay } from '../../test/support/relay.js';
import { Wakeup } from './relay-session.js';

describe('the relay during a database outage', () => {
  it('retries about once a second for any number of waiting donations, and stops on request', async () => {
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
    // Takes 1.3 seconds on an idle machine.
    expect(attempts).toBeLessThanOrEqual(2 + (performance.now() - started) / 1_000);
    const began = performance.now();
    await relay.beforeApplicationShutdown();
    expect(performance.now() - began).toBeLessThan(500);
    server.close();
  });
});

describe('a sleeping loop', () => {
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

  it('does not sleep after a call while awake, and sleeps again after that', async () => {
    const wakeup = new Wakeup();
    wakeup.raise();
    wakeup.raise();
    expect(await elapsed(wakeup.wait(5_000))).toBeLessThan(1_000);
    expect(await elapsed(wakeup.wait(30))).toBeGreaterThanOrEqual(25);
  });
});
