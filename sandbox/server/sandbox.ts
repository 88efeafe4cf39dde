import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dispatch, type ProviderApi } from '../calls/dispatch.js';
import { Faults, type Provider } from '../calls/faults.js';
import { type Call, readBody, send } from '../calls/http.js';
import { Clock } from '../common/clock.js';
import { ControlApi } from '../control/api.js';
import { Controls } from '../control/controls.js';
import { Pages } from '../pages/pages.js';
import { signingMaterial } from '../paypal/certificates.js';
import { PayPalSandbox, type PayPalSandboxOptions } from '../paypal/sandbox.js';
import type { Referee } from '../referee/referee.js';
import { CORS } from '../stripe/api/browser.js';
import { StripeSandbox, type StripeSandboxOptions } from '../stripe/sandbox.js';
import type { DeliveryOptions } from '../webhooks/deliveries.js';
import { Storage } from './storage.js';

export interface SandboxOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  stripe: StripeSandboxOptions;
  paypal: PayPalSandboxOptions;
  /** File that keeps the state after the sandbox stops. By default, there is no file. */
  dataFile?: string;
  /**
   * Checks PayPal's calls against its published descriptions; see referee/README.md. Default false, because it adds
   * one second to the start.
   */
  referee?: boolean;
  /** Default: retries after 100, 300, 1000 and 3000 ms, and a timeout of 10 s. */
  delivery?: Partial<DeliveryOptions>;
}

const DELIVERY: DeliveryOptions = { retryDelaysMs: [100, 300, 1000, 3000], timeoutMs: 10_000 };

/** A running sandbox: its controls, and the server for both providers. */
export class Sandbox extends Controls {
  /** The base address of both providers' APIs, such as `http://127.0.0.1:4010`. */
  url = '';
  private readonly server: Server;
  private readonly control: ControlApi;
  private readonly pages: Pages;

  constructor(
    stripe: StripeSandbox,
    paypal: PayPalSandbox,
    faults: Faults,
    clock: Clock,
    judge?: Referee,
    private readonly storage?: Storage,
  ) {
    super(stripe, paypal, faults, clock, judge);
    this.control = new ControlApi(this);
    this.pages = new Pages(this, this.control);
    this.server = createServer((request, response) => void this.answer(request, response));
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

  /** Closes every connection and cancels retries. */
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
    this.callsInFlight += 1;
    response.setHeader('date', new Date(this.clock.now()).toUTCString());
    try {
      const sent = await dispatch(provider, api, this.faults, call, response);
      if (provider === 'paypal' && sent)
        this.judge?.judge({ ...call, status: sent.status, answer: sent.body });
    } finally {
      this.callsInFlight -= 1;
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

/** Starts a sandbox, and waits until it accepts connections. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const delivery = { ...DELIVERY, ...options.delivery };
  const faults = new Faults();
  const clock = new Clock();
  const stripe = new StripeSandbox(options.stripe, faults, delivery, clock);
  const paypal = new PayPalSandbox(options.paypal, await signingMaterial(), faults, delivery, clock);
  const storage = options.dataFile === undefined ? undefined : new Storage(options.dataFile, stripe, paypal);
  await storage?.load();
  // Load the referee only if it is used, because its validator needs one second to load.
  const judge = options.referee === true ? new (await import('../referee/referee.js')).Referee() : undefined;
  const sandbox = new Sandbox(stripe, paypal, faults, clock, judge, storage);
  await sandbox.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  return sandbox;
}
