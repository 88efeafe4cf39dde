import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { until } from './until.js';

export interface Received {
  readonly topic: string;
  readonly body: Record<string, unknown> & { id: string; sequence: number };
  /** Value of `performance.now()` when the message arrived. */
  readonly at: number;
}

export type Ack = Record<string, unknown> & {
  sequence: number;
  error?: { statusCode: number; message: string; error: string };
};

const TOPICS = ['donation.created', 'donation.updated', 'donation.retracted', 'event.totals'];

/** A plain Socket.IO client that records every message. */
export class WallClient {
  readonly received: Received[] = [];

  private constructor(readonly socket: Socket) {
    socket.onAny((topic: string, body: Received['body']) => {
      this.received.push({ topic, body, at: performance.now() });
    });
  }

  /** Connects. Rejects with the server's error if the server refuses the connection. */
  static async connect(
    url: string,
    options: Partial<ManagerOptions & SocketOptions> = {},
  ): Promise<WallClient> {
    const socket = io(url, { transports: ['websocket'], forceNew: true, reconnection: false, ...options });
    const client = new WallClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('connect_error', (error) => {
        socket.disconnect();
        reject(error);
      });
    });
    return client;
  }

  async ask(name: string, ...request: unknown[]): Promise<Ack> {
    return (await this.socket.timeout(20_000).emitWithAck(name, ...request)) as Ack;
  }

  async join(request: unknown): Promise<Ack> {
    return await this.ask('joinEvent', request);
  }

  /** Messages about donations, in the order of arrival. */
  get donations(): Received[] {
    return this.received.filter(({ topic }) => topic !== 'event.totals' && TOPICS.includes(topic));
  }

  get created(): Received[] {
    return this.received.filter(({ topic }) => topic === 'donation.created');
  }

  get totals(): Received[] {
    return this.received.filter(({ topic }) => topic === 'event.totals');
  }

  /** Waits until the messages received so far meet a condition. */
  async until(condition: (client: this) => boolean, what = 'messages', milliseconds = 5_000): Promise<void> {
    try {
      await until(() => condition(this), what, { timeoutMs: milliseconds, everyMs: 5 });
    } catch (error) {
      const received = this.received.map(({ topic, body }) => [topic, body.sequence]);
      throw new Error(`${(error as Error).message}; received: ${JSON.stringify(received)}`, { cause: error });
    }
  }

  close(): void {
    this.socket.disconnect();
  }
}
