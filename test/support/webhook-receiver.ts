import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { WEBHOOK_TIMES, type WebhookTimes } from '../../src/config/webhook-times.js';
import type { AppConfig } from '../../src/config/app-config.js';

interface Verifier {
  /** @throws if no signature is valid, or the time is more than five minutes off */
  verify(body: string, headers: Readonly<Record<string, string>>): unknown;
}
/** The official library of Standard Webhooks. */
export const { Webhook } = createRequire(import.meta.url)('standardwebhooks') as {
  Webhook: new (secret: string) => Verifier;
};

export interface Received {
  readonly id: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: { type: string; timestamp: string; data: Record<string, unknown> };
}

/** How the receiver answers. */
export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

export const accepts: Behaviour = (response) => response.writeHead(204).end();
export const answers =
  (status: number, headers: Record<string, string> = {}, text = ''): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(text);
export const hangs: Behaviour = () => undefined;
export const resets: Behaviour = (_response, request) => request.socket.resetAndDestroy();

/** A system that gets webhooks, on this machine. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  connections = 0;
  behaviour: Behaviour = accepts;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      void this.take(request, response);
    });
    this.server.on('connection', () => this.connections++);
  }

  static async start(port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.server.listen(port, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  ofType(type: string): Received[] {
    return this.received.filter(({ body }) => body.type === type);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const headers = request.headers as Record<string, string>;
    this.received.push({
      id: headers['webhook-id'] ?? '',
      path: request.url ?? '',
      headers,
      text,
      body: JSON.parse(text) as Received['body'],
    });
    this.behaviour(response, request);
  }
}

/** Configuration with short times. */
export const withTimes = (times: Partial<WebhookTimes> = {}): Pick<AppConfig, 'webhooks'> => ({
  webhooks: {
    production: false,
    isOff: false,
    ports: [443, 8443],
    privateNetworks: [],
    times: {
      ...WEBHOOK_TIMES,
      answerMs: 500,
      leaseMs: 2_000,
      lookMs: 50,
      pledgeMs: 50,
      waitsMs: [0, 50, 50, 50, 50],
      replayMs: 1,
      ...times,
    },
  },
});
