// Measures records while three receivers of webhooks hang, against records without webhooks, in turn on one service.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn, load, median } from './measure.mjs';
import { assertBooks, openSetting, prepare } from './setting.mjs';

const ENDPOINTS = 3;
const CONNECTIONS = 64;

const BEHIND = `SELECT FROM outbox LEFT JOIN follower_position p ON p.event_id = outbox.event_id AND p.follower = 'webhooks'
  WHERE outbox.sequence IS NULL OR outbox.sequence > coalesce(p.sequence, 0) LIMIT 1`;

const SCALE = {
  rounds: Number(process.env.BENCH_ROUNDS ?? 9),
  seconds: Number(process.env.BENCH_SECONDS ?? 3),
  pick: median,
};

const { ours, bare, ratio } = await measure();
console.log(`without webhooks: ${bare.perSecond} records a second, ${bare.cpuMs} ms of the processor each`);
console.log(
  `three receivers hang: ${ours.perSecond} records a second, ${ours.cpuMs} ms of the processor each`,
);
console.log(`median ratio: ${ratio}`);
process.exit(0);

async function measure() {
  const sockets = new Set();
  // Accepts connections and never answers, so each attempt waits until its time limit.
  const hangs = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  }).listen(0, '127.0.0.1');
  await once(hangs, 'listening');
  const { port } = hangs.address();
  const setting = await openSetting();
  try {
    const { service, asAdmin, asStaff } = await prepare(setting, 0, {
      WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8',
      WEBHOOK_PORTS: String(port),
    });
    const ask = async (method, path, body) => {
      const headers = { ...asAdmin, 'content-type': 'application/json' };
      const response = await fetch(service.url + path, {
        method,
        headers,
        body: body && JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return await response.json();
    };
    const record = {
      method: 'POST',
      path: '/donations',
      headers: { ...asStaff, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 2500, type: 'cash' }),
    };
    const followed = async () => {
      while ((await setting.sql(BEHIND)).length > 0) await sleep(50);
    };
    const round = async () => {
      const figure = await load(service, record, { seconds: SCALE.seconds, connections: CONNECTIONS });
      await followed();
      return figure;
    };
    const withHanging = async () => {
      const made = [];
      for (let index = 0; index < ENDPOINTS; index++)
        made.push(await ask('POST', '/webhook-endpoints', { url: `https://127.0.0.1:${port}/${index}` }));
      const figure = await round();
      if (sockets.size < ENDPOINTS) throw new Error('No webhook was sent');
      for (const { id } of made) await ask('DELETE', `/webhook-endpoints/${id}`);
      return figure;
    };
    const figure = await inTurn(withHanging, round, SCALE);
    await assertBooks(setting);
    return figure;
  } finally {
    await setting.close();
    for (const socket of sockets) socket.destroy();
    hangs.close();
  }
}
