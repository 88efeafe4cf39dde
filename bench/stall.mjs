// Measures the longest wait for public reads while the database does not answer for three seconds. Records are in progress when
// this time begins. A proxy in front of the database holds every byte back.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSetting, prepare } from './setting.mjs';

const WORK = 'public reads while the database stalls';
const STALL_MS = 3_000;
const AROUND_MS = 1_500;
const READERS = 8;
const TILLS = 4;
const PAUSE_MS = 5;

export async function measureStall(_scale, wanted) {
  if (!wanted(WORK)) return {};
  const setting = await openSetting();
  const proxy = await startProxy(setting.databaseUrl);
  try {
    const { service, event, give } = await prepare(setting, 0, { DATABASE_URL: proxy.url });
    const paths = ['/events/public', `/events/${event.slug}`, `/events/${event.slug}/settings`];
    let [isOpen, longest, failed] = [true, 0, 0];
    const read = async (index) => {
      for (let turn = index; isOpen; turn++) {
        const began = performance.now();
        const response = await fetch(service.url + paths[turn % paths.length]).catch(() => undefined);
        await response?.arrayBuffer();
        if (!response?.ok) failed++;
        longest = Math.max(longest, performance.now() - began);
        await sleep(PAUSE_MS);
      }
    };
    const record = async () => {
      while (isOpen) {
        // During the stall, the service may answer a record with 503. A till would send the record again.
        await give().catch(() => undefined);
        await sleep(PAUSE_MS);
      }
    };
    const lines = [
      ...Array.from({ length: READERS }, (_, index) => read(index)),
      ...Array.from({ length: TILLS }, record),
    ];
    await sleep(AROUND_MS);
    const quiet = Math.round(longest);
    longest = 0;
    proxy.hold();
    await sleep(STALL_MS);
    proxy.release();
    await sleep(AROUND_MS);
    isOpen = false;
    await Promise.all(lines);
    console.log(`${WORK}: longest ${Math.round(longest)} ms, before it ${quiet} ms, ${failed} failed`);
    return { [WORK]: { 'longest wait, ms': Math.round(longest), failed } };
  } finally {
    await setting.close();
    proxy.close();
  }
}

/** Starts a proxy to a database. The proxy can hold all bytes back without losing any. */
async function startProxy(target) {
  const url = new URL(target);
  const [host, port] = [url.hostname, Number(url.port || 5432)];
  const sockets = new Set();
  let isHeld = false;
  const server = createServer((inner) => {
    const outer = connect(port, host);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ]) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (bytes) => to.write(bytes));
      if (isHeld) from.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.hostname = '127.0.0.1';
  url.port = String(server.address().port);
  return {
    url: url.href,
    hold: () => {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    release: () => {
      isHeld = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
