import Stripe from 'stripe';
import { type Sandbox, type SandboxOptions, startSandbox } from '../server/sandbox.js';
import type { DeliveryOptions } from '../webhooks/deliveries.js';

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

/** A small PayPal client for the specs. */
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
