import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ConnectionPool } from './connections.js';

/** Parts of PostgreSQL's protocol: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const message = (type: string, ...parts: (string | number[])[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const AUTHENTICATED = message('R', [0, 0, 0, 0]);
const READY = message('Z', 'I');
const ENDED = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** Starts a server that accepts every session and ends it in the same packet. */
async function endingServer(): Promise<string> {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, ENDED])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `postgresql://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
}

describe('a connection that the server ends immediately', () => {
  it('fails the statement, not the process', async () => {
    const pool = new ConnectionPool(await endingServer(), 2);
    pool.on('error', () => undefined);
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', onUncaught);
    try {
      const ask = async (text: string): Promise<unknown> => pool.query(text);
      const asked = await Promise.allSettled([ask('SELECT 1'), ask('SELECT 2')]);
      expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(uncaught).toEqual([]);
    } finally {
      process.off('uncaughtException', onUncaught);
      await pool.end();
    }
  });
});
