import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readBody } from '../calls/http.js';

/** A received webhook message. */
export interface Received {
  path: string;
  headers: Record<string, string | undefined>;
  body: string;
}

/** A webhook receiver that stores its messages and sends the configured answers. */
export class Receiver {
  readonly messages: Received[] = [];
  /** Statuses of the next answers; 200 if empty. */
  answers: number[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      void readBody(request).then((body) => {
        receiver.messages.push({ path: request.url ?? '', headers: single(request.headers), body });
        response.writeHead(receiver.answers.shift() ?? 200).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  types(): string[] {
    return this.messages.map(({ body }) => {
      const event = JSON.parse(body) as { type?: string; event_type?: string };
      return event.type ?? event.event_type ?? '';
    });
  }

  /** The last message of a type. */
  find(type: string): Received {
    const index = this.types().lastIndexOf(type);
    const message = this.messages[index];
    if (!message) throw new Error(`No ${type} arrived, only ${this.types().join(', ')}`);
    return message;
  }

  reset(): void {
    this.messages.length = 0;
    this.answers = [];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function single(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
