import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PreparedExpressAdapter } from './prepared-express.adapter.js';

const SILENCE_MS = 300;
/** Size of an answer that does not fit into the buffers at both ends of a connection. */
const LARGE = 64 * 1024 * 1024;

let server: Server;
let port: number;
let clients: Socket[];

beforeEach(async () => {
  const adapter = new PreparedExpressAdapter();
  adapter.initHttpServer();
  server = adapter.getHttpServer();
  adapter.get('/large', (_request: unknown, response: { end: (body: Buffer) => void }) => {
    response.end(Buffer.alloc(LARGE));
  });
  adapter.get('/late', (_request: unknown, response: { end: (body: string) => void }) => {
    setTimeout(() => {
      response.end('late');
    }, SILENCE_MS * 4);
  });
  clients = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function ask(path: string): Promise<Socket> {
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  clients.push(client);
  await once(client, 'connect');
  client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return client;
}
const openConnections = async (): Promise<number> =>
  await new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });

describe('a client', () => {
  it('may stop reading its answer for a minute', () => {
    expect(server.timeout).toBe(60_000);
  });

  it('that stops reading for longer is disconnected', async () => {
    server.timeout = SILENCE_MS;
    const client = await ask('/large');
    client.pause();
    await pause(SILENCE_MS * 5);
    expect(await openConnections()).toBe(0);
  });

  it('that reads slowly gets the whole answer', async () => {
    server.timeout = 1_500;
    const begun = performance.now();
    const client = await ask('/large');
    let received = 0;
    client.on('data', (part) => {
      received += part.length;
      client.pause();
      setTimeout(() => client.resume(), 3);
    });
    while (received < LARGE && !client.destroyed) await pause(50);
    expect(received).toBeGreaterThanOrEqual(LARGE);
    expect(performance.now() - begun).toBeGreaterThan(2 * server.timeout);
  }, 30_000);

  it('that waits for a slow answer gets it', async () => {
    server.timeout = SILENCE_MS;
    const client = await ask('/late');
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toContain('late');
  });

  it('that sends no request is disconnected after the keep-alive time', async () => {
    server.timeout = SILENCE_MS;
    server.keepAliveTimeout = SILENCE_MS;
    const client = await ask('/late');
    await once(client, 'data');
    await once(client, 'close');
    expect(await openConnections()).toBe(0);
  });
});
