import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';
import { until } from '../../test/support/until.js';
import type { Sendable } from './live-messages.js';
import type { LiveSocket } from './live-server.js';
import { bundle, inOneWrite, sendBundle } from './broadcasts.js';

const message = (sequence: number, text = ''): Sendable => [
  'donation.created',
  { id: 'a', eventId: 'b', amount: 1, currency: 'eur', donorName: text, createdAt: 'c', sequence },
];

/** The texts of unmasked websocket frames that stand one after the other. */
function readFrames(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    expect(bytes[at]).toBe(0x81);
    const short = bytes[at + 1] ?? 0;
    const [start, length] =
      short < 126
        ? [2, short]
        : short === 126
          ? [4, bytes.readUInt16BE(at + 2)]
          : [10, Number(bytes.readBigUInt64BE(at + 2))];
    texts.push(bytes.subarray(at + start, at + start + length).toString());
    at += start + length;
  }
  return texts;
}

function socketOn(transport: string, upgrading = false) {
  const written: { data: string; options: { wsPreEncodedFrame?: Buffer[] } }[] = [];
  const conn = {
    upgrading,
    transport: { name: transport },
    write: (data: string, options: { wsPreEncodedFrame?: Buffer[] }) => written.push({ data, options }),
  };
  return { socket: { conn } as unknown as LiveSocket, written };
}

describe('a bundle of messages', () => {
  it('is one frame for each message, of any length and any script', () => {
    const messages = [
      message(1),
      message(2, '€'.repeat(50)),
      message(3, 'é'.repeat(2_000)),
      message(4, 'x'.repeat(70_000)),
    ];
    const { packets, frames } = bundle(messages);
    expect(readFrames(frames)).toEqual(packets.map((packet) => `4${packet}`));
    expect(packets.map((packet) => JSON.parse(packet.slice(1)) as unknown)).toEqual(messages);
  });

  it('goes to a websocket as one packet', () => {
    const { socket, written } = socketOn('websocket');
    const bundled = bundle([message(1), message(2), message(3)]);
    sendBundle(socket, bundled);
    expect(written).toHaveLength(1);
    expect(written[0]?.options.wsPreEncodedFrame).toEqual([bundled.frames]);
  });

  it.each([
    ['polling', false],
    ['websocket', true],
  ])('goes message by message on %s (changing: %s)', (transport, upgrading) => {
    const { socket, written } = socketOn(transport, upgrading);
    const bundled = bundle([message(1), message(2)]);
    sendBundle(socket, bundled);
    expect(written.map(({ data }) => data)).toEqual(bundled.packets);
    expect(written.every(({ options }) => options.wsPreEncodedFrame === undefined)).toBe(true);
  });

  it('is nothing when there is nothing', () => {
    const { socket, written } = socketOn('websocket');
    sendBundle(socket, bundle([]));
    expect(written).toEqual([]);
  });
});

interface Written {
  _write: (...chunk: unknown[]) => void;
  _writev: (...chunks: unknown[]) => void;
}

/** How often the connection is written to from now on. */
function countWrites(connection: Socket): () => number {
  const written = connection as unknown as Written;
  let count = 0;
  for (const method of ['_write', '_writev'] as const) {
    const original = written[method].bind(connection);
    written[method] = (...chunks) => {
      count++;
      original(...chunks);
    };
  }
  return () => count;
}

describe('what is sent in one write', () => {
  it.each([
    ['websocket', 1],
    ['polling', undefined],
  ])('arrives in its order, an answer among it, by %s', async (transport, writes) => {
    const http = createServer();
    const server = new Server(http);
    let count: (() => number) | undefined;
    server.on('connection', (socket) => {
      socket.on('join', (ack: (answer: string) => void) => {
        count = countWrites(socket.request.socket);
        inOneWrite(socket as LiveSocket, [
          () => sendBundle(socket as LiveSocket, bundle([message(1), message(2)])),
          false,
          () => {
            ack('joined');
          },
          undefined,
          () => sendBundle(socket as LiveSocket, bundle([message(3)])),
        ]);
      });
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const client = io(`http://127.0.0.1:${String((http.address() as AddressInfo).port)}`, {
      transports: [transport],
    });
    try {
      const arrived: unknown[] = [];
      client.on('donation.created', ({ sequence }: { sequence: number }) => arrived.push(sequence));
      client.emit('join', (answer: string) => arrived.push(answer));
      await until(() => arrived.length === 4, 'everything');
      expect(arrived).toEqual([1, 2, 'joined', 3]);
      if (writes !== undefined) expect(count?.()).toBe(writes);
    } finally {
      client.disconnect();
      await server.close();
    }
  });

  it('leaves the connection as it was when one of them fails', () => {
    const calls: string[] = [];
    const connection = { cork: () => calls.push('cork'), uncork: () => calls.push('uncork') };
    const transport = { name: 'websocket', writable: true };
    const socket = { conn: { transport, request: { socket: connection } } } as unknown as LiveSocket;
    const fails = () => {
      throw new Error('no');
    };
    for (const sends of [
      [fails, () => undefined],
      [() => undefined, fails],
    ])
      expect(() => {
        inOneWrite(socket, sends);
      }).toThrow('no');
    expect(transport.writable).toBe(true);
    expect(calls).toEqual(['cork', 'uncork', 'cork', 'uncork']);
  });
});
