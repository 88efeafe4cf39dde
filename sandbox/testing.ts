import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import type { DeliveryOptions } from './deliveries.js';
import { readBody } from './http.js';
import { startSandbox, type Sandbox, type SandboxOptions } from './server.js';

/** A webhook message as it arrived. */
export interface Received {
  path: string;
  headers: Record<string, string | undefined>;
  body: string;
}

/** A webhook receiver that keeps what it gets and answers as told. */
export class Receiver {
  readonly messages: Received[] = [];
  /** Statuses of the next answers; 200 when empty. */
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

export function startTestSandbox(
  webhookUrl?: string,
  delivery: Partial<DeliveryOptions> = {},
  more: Partial<SandboxOptions> = {},
): Promise<Sandbox> {
  const urls = webhookUrl === undefined ? {} : { webhookUrl };
  return startSandbox({
    stripe: { secretKey: 'sk_test_1', webhookSecret: 'whsec_test', ...urls },
    paypal: { clientId: 'client', clientSecret: 'secret', webhookId: 'WEBHOOK-1', ...urls },
    delivery: { retryDelaysMs: [10, 20, 30], timeoutMs: 1000, ...delivery },
    ...more,
  });
}

export function stripeClient(sandbox: Sandbox, options: Partial<Stripe.StripeConfig> = {}): Stripe {
  const { hostname, port } = new URL(sandbox.url);
  return new Stripe('sk_test_1', {
    host: hostname,
    port,
    protocol: 'http',
    timeout: 2000,
    maxNetworkRetries: 0,
    telemetry: false,
    ...options,
  });
}

export interface PayPalReply {
  status: number;
  body: Record<string, unknown>;
}

/** The few lines of a PayPal client that the specs need. */
export class PayPalClient {
  private token = '';

  constructor(
    private readonly url: string,
    private readonly clientId = 'client',
    private readonly clientSecret = 'secret',
  ) {}

  async signIn(): Promise<void> {
    const credentials = Buffer.from(`${this.clientId}:${this.clientSecret}`).toString('base64');
    const response = await fetch(`${this.url}/v1/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    if (!response.ok) throw new Error(String(response.status));
    this.token = ((await response.json()) as { access_token: string }).access_token;
  }

  get(path: string): Promise<PayPalReply> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<PayPalReply> {
    return this.send('POST', path, JSON.stringify(body), headers);
  }

  private async send(method: string, path: string, body?: string, headers = {}): Promise<PayPalReply> {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
}
