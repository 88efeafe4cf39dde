import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';
import { until } from '../../test/support/until.js';
import { holdForThisTurn, isHeld } from './held-writes.js';
import type { DonationMessage, Sendable } from './live-messages.js';
import type { LiveSocket } from './live-socket.js';
import { answerInOneWrite, bundle, holdWrites, sendBundle } from './socket-writes.js';

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

/** How often the connection of a socket is written to from now on. */
function countWrites({ conn }: LiveSocket): () => number {
  const { transport } = conn as unknown as { transport: { socket?: { _socket: Written } } };
  const connection = transport.socket?._socket;
  let count = 0;
  if (connection)
    for (const method of ['_write', '_writev'] as const) {
      const original = connection[method].bind(connection);
      connection[method] = (...chunks) => {
        count++;
        original(...chunks);
      };
    }
  return () => count;
}

/** A server that does something when it is asked `go`, and what its client is sent then. */
async function exchange(
  transports: string[],
  asked: (socket: LiveSocket, ack: (answer: string) => void) => void,
  messages: number,
): Promise<{ arrived: unknown[]; writes: number }> {
  const http = createServer();
  const server = new Server(http);
  let count = (): number => NaN;
  server.on('connection', (socket) => {
    socket.on('go', (ack: (answer: string) => void) => {
      count = countWrites(socket as LiveSocket);
      asked(socket as LiveSocket, ack);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const client = io(`http://127.0.0.1:${String((http.address() as AddressInfo).port)}`, { transports });
  try {
    const arrived: unknown[] = [];
    client.on('donation.created', ({ sequence }: { sequence: number }) => arrived.push(sequence));
    await until(() => client.connected, 'the connection');
    await until(() => client.io.engine.transport.name === transports.at(-1), 'the last transport');
    client.emit('go', (answer: string) => arrived.push(answer));
    await until(() => arrived.length >= messages, 'everything');
    return { arrived, writes: count() };
  } finally {
    client.disconnect();
    await server.close();
  }
}

describe.each([[['websocket']], [['polling']], [['polling', 'websocket']]])('over %j', (transports) => {
  it('a bundle keeps its place among what else is sent', async () => {
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    const { arrived } = await exchange(
      transports,
      (socket) => {
        const send = (at: number): void => {
          for (const number of numbers.slice(at, at + 6))
            if (number % 3 === 1) sendBundle(socket, bundle([message(number)]));
            else socket.emit('donation.created', message(number)[1] as DonationMessage);
          if (at + 6 < numbers.length) setImmediate(send, at + 6);
        };
        send(0);
      },
      numbers.length,
    );
    expect(arrived).toEqual(numbers);
  });

  it('what is sent in one write arrives in its order, an answer among it', async () => {
    const { arrived, writes } = await exchange(
      transports,
      (socket, ack) => {
        holdWrites(socket);
        sendBundle(socket, bundle([message(1), message(2)]));
        ack('joined');
        sendBundle(socket, bundle([message(3)]));
      },
      4,
    );
    expect(arrived).toEqual([1, 2, 'joined', 3]);
    if (transports.includes('websocket')) expect(writes).toBe(1);
  });

  it('what Engine.IO keeps until the turn has ended is not overtaken', async () => {
    const { arrived } = await exchange(
      transports,
      (socket, ack) => {
        holdWrites(socket);
        ack('joined');
        socket.emit('donation.created', message(1)[1] as DonationMessage);
        sendBundle(socket, bundle([message(2), message(3)]));
        process.nextTick(() => {
          holdWrites(socket);
          sendBundle(socket, bundle([message(4)]));
        });
        setImmediate(() => {
          sendBundle(socket, bundle([message(5)]));
        });
      },
      6,
    );
    expect(arrived).toEqual(['joined', 1, 2, 3, 4, 5]);
  });
});

it.each([
  ['in one write with the answer to the connection', { joinEvent: 'gala' }, true],
  ['by itself where nothing was asked', {}, false],
])('what a connection is sent at once leaves %s', async (_, auth, isOne) => {
  const http = createServer();
  const server = new Server(http);
  let count = (): number => NaN;
  server.use((socket, next) => {
    count = countWrites(socket as LiveSocket);
    next();
  });
  server.use((socket, next) => {
    answerInOneWrite(socket as LiveSocket, next);
  });
  server.on('connection', (socket) => {
    sendBundle(socket as LiveSocket, bundle([message(1)]));
    sendBundle(socket as LiveSocket, bundle([message(2), message(3)]));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`;
  const client = io(url, { transports: ['websocket'], auth });
  try {
    const arrived: unknown[] = [];
    client.on('connect', () => arrived.push('connected'));
    client.on('donation.created', ({ sequence }: { sequence: number }) => arrived.push(sequence));
    await until(() => arrived.length === 4, 'everything');
    expect(arrived).toEqual(['connected', 1, 2, 3]);
    expect(count() === 1).toBe(isOne);
    // What is sent from now on takes the usual ways.
    for (const socket of server.sockets.sockets.values()) socket.emit('donation.created', message(4)[1]);
    await until(() => arrived.length === 5, 'one more');
  } finally {
    client.disconnect();
    await server.close();
  }
});

it('what many sockets are sent in one turn leaves at its end, each in one write', async () => {
  const left: string[] = [];
  const connectionOf = (name: string) => {
    const take = (text: string, done: () => void) => {
      left.push(`${name} ${text}`);
      done();
    };
    return new Duplex({
      read: () => undefined,
      write: (chunk, _, done) => {
        take(String(chunk), done);
      },
      writev: (chunks, done) => {
        take(chunks.map(({ chunk }) => String(chunk)).join(''), done);
      },
    });
  };
  const [one, other] = [connectionOf('one'), connectionOf('other')];
  for (const connection of [one, other, one]) holdForThisTurn(connection);
  for (const text of ['a', 'b']) for (const connection of [one, other]) connection.write(text);
  await Promise.resolve();
  other.destroy();
  expect([left, isHeld(one)]).toEqual([[], true]);
  await new Promise(setImmediate);
  expect([left, isHeld(one)]).toEqual([['one ab'], false]);
  one.write('c');
  expect(left).toEqual(['one ab', 'one c']);
});
