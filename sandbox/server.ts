import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Clock } from './clock.js';
import { ControlApi } from './control.js';
import type { DeliveryOptions } from './deliveries.js';
import { dispatch, type ProviderApi } from './dispatch.js';
import { Faults, type Provider } from './faults.js';
import { readBody, send, type Call } from './http.js';
import { Pages } from './pages/pages.js';
import { signingMaterial } from './paypal/certificates.js';
import { PayPalSandbox, type PayPalSandboxOptions } from './paypal/sandbox.js';
import { CORS } from './stripe/browser.js';
import type { Referee } from './referee/referee.js';
import { Storage } from './storage.js';
import { StripeSandbox, type StripeSandboxOptions } from './stripe/sandbox.js';

export interface SandboxOptions {
  /** Default 0: any free one. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  stripe: StripeSandboxOptions;
  paypal: PayPalSandboxOptions;
  /** Where to keep the state between starts; default: nowhere. */
  dataFile?: string;
  /** Judge PayPal's calls by its published descriptions; see referee/README.md. Default false: it costs a second. */
  referee?: boolean;
  /** Default: retries after 100, 300, 1000 and 3000 ms; a receiver may take 10 s. */
  delivery?: Partial<DeliveryOptions>;
}

export interface WebhookUrls {
  stripe?: string | string[];
  paypal?: string | string[];
}

const DELIVERY: DeliveryOptions = { retryDelaysMs: [100, 300, 1000, 3000], timeoutMs: 10_000 };

/** A running sandbox. */
export class Sandbox {
  /** Its address, such as `http://127.0.0.1:4010`: the base of both providers' APIs. */
  url = '';
  private requests = 0;
  private readonly control: ControlApi;
  private readonly pages: Pages;
  private judge: Referee | undefined;

  constructor(
    readonly stripe: StripeSandbox,
    readonly paypal: PayPalSandbox,
    readonly faults: Faults,
    /** The time by which objects are dated. */
    readonly clock: Clock,
    private readonly server: Server,
    private readonly storage?: Storage,
  ) {
    this.control = new ControlApi(this);
    this.pages = new Pages(this, this.control);
    server.on('request', (request, response) => void this.answer(request, response));
  }

  /** PayPal's descriptions held against every call. A sandbox without one says so instead of finding nothing. */
  get referee(): Referee {
    if (!this.judge) throw new Error('The referee is off: start the sandbox with `referee: true`');
    return this.judge;
  }

  setReferee(referee: Referee): void {
    this.judge = referee;
  }

  /** Says where the webhooks go; a provider left out keeps its receivers. */
  setWebhookUrls(urls: WebhookUrls): void {
    if (urls.stripe !== undefined) this.stripe.setWebhookUrls(urls.stripe);
    if (urls.paypal !== undefined) this.paypal.setWebhookUrls(urls.paypal);
  }

  /** `manual`: webhooks wait for `deliver` or `flush` of `stripe.deliveries` and `paypal.deliveries`. */
  setDeliveryMode(mode: 'auto' | 'manual'): void {
    this.stripe.deliveries.mode = mode;
    this.paypal.deliveries.mode = mode;
  }

  /**
   * Resolves when no API call is being answered, no webhook is on its way and none waits for a retry.
   * Rejects after `timeoutMs`.
   */
  async settled(timeoutMs = 10_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    let calm = 0;
    while (calm < 2) {
      const idle = this.requests === 0 && this.stripe.deliveries.isIdle() && this.paypal.deliveries.isIdle();
      calm = idle ? calm + 1 : 0;
      if (calm >= 2) return;
      if (Date.now() > deadline) throw new Error('The sandbox did not come to rest');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** The operations that faults can name. */
  operations(): { stripe: string[]; paypal: string[] } {
    return { stripe: this.stripe.api.operations(), paypal: this.paypal.api.operations() };
  }

  async listen(port: number, host: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, resolve);
    });
    const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    this.url = `http://${name.includes(':') ? `[${name}]` : name}:${String((this.server.address() as AddressInfo).port)}`;
    this.stripe.setBaseUrl(this.url);
    this.paypal.setBaseUrl(this.url);
  }

  /** Cuts every connection and forgets retries. */
  async close(): Promise<void> {
    this.stripe.deliveries.close();
    this.paypal.deliveries.close();
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
    await this.storage?.save();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'http://sandbox');
      const call: Call = {
        method: request.method ?? 'GET',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: await readBody(request),
        params: {},
      };
      await this.route(call, response);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!response.headersSent) send(response, { status: 400, body: { error: { message } } });
    } finally {
      if (request.method !== 'GET') this.storage?.touch();
    }
  }

  private async serve(
    provider: Provider,
    api: ProviderApi,
    call: Call,
    response: ServerResponse,
  ): Promise<void> {
    this.requests += 1;
    response.setHeader('date', new Date(this.clock.now()).toUTCString());
    try {
      const sent = await dispatch(provider, api, this.faults, call, response);
      if (provider === 'paypal' && sent)
        this.judge?.judge({ ...call, status: sent.status, answer: sent.body });
    } finally {
      this.requests -= 1;
    }
  }

  private async route(call: Call, response: ServerResponse): Promise<void> {
    if (call.method === 'OPTIONS' && call.path.startsWith('/v1/')) {
      send(response, { status: 204, headers: CORS });
    } else if (/^\/(v2|v1\/(oauth2|notifications|customer|reporting))\//.test(call.path)) {
      await this.serve('paypal', this.paypal.api, call, response);
    } else if (call.path.startsWith('/v1/')) {
      await this.serve('stripe', this.stripe.api, call, response);
    } else if (call.path.startsWith('/sandbox/')) {
      send(response, await this.control.answer(call));
    } else {
      send(response, await this.pages.answer(call));
    }
  }
}

/** Starts a sandbox and resolves when it listens. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const delivery = { ...DELIVERY, ...options.delivery };
  const faults = new Faults();
  const clock = new Clock();
  const stripe = new StripeSandbox(options.stripe, faults, delivery, clock);
  const paypal = new PayPalSandbox(options.paypal, await signingMaterial(), faults, delivery, clock);
  const storage = options.dataFile === undefined ? undefined : new Storage(options.dataFile, stripe, paypal);
  await storage?.load();
  const sandbox = new Sandbox(stripe, paypal, faults, clock, createServer(), storage);
  if (options.referee === true) {
    const { Referee: JudgeOfPayPal } = await import('./referee/referee.js');
    sandbox.setReferee(new JudgeOfPayPal());
  }
  await sandbox.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  return sandbox;
}
