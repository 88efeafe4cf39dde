import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface BankPayment {
  readonly id: string;
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  status: 'open' | 'paid' | 'cancelled';
  readonly refunds: BankRefund[];
}

export interface BankRefund {
  readonly id: string;
  readonly reference: string;
  readonly amount: number;
}

interface BankEvent {
  readonly id: string;
  readonly kind: 'payment.paid' | 'payment.cancelled' | 'refund.made';
  readonly payment: string;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const NOT_FOUND: Answer = { status: 404, body: { reason: 'unknown' } };

/** A small bank with an HTTP API: the donor pays on its page in one step, and the bank sends a webhook event. */
export class Bank {
  readonly payments: BankPayment[] = [];
  /** Address for webhook events. While the address is undefined, the events stay on the bank's list. */
  webhookUrl: string | undefined;
  /** Id of the next payment, if it must not be random. */
  nextId: string | undefined;
  private readonly undelivered: BankEvent[] = [];
  private readonly server: Server;
  private made = 0;

  private constructor(
    readonly key: string,
    readonly webhookSecret: string,
  ) {
    this.server = createServer((request, response) => {
      void this.answer(request).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  }

  static async start(key: string, webhookSecret: string): Promise<Bank> {
    const bank = new Bank(key, webhookSecret);
    bank.server.listen(0, '127.0.0.1');
    await once(bank.server, 'listening');
    return bank;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  payment(id: string): BankPayment {
    const found = this.payments.find((payment) => payment.id === id);
    if (!found) throw new Error(`The bank has no payment ${id}`);
    return found;
  }

  /**
   * The donor pays on the page of the bank. Resolves to the HTTP status that the service returned for the webhook event;
   * undefined if the bank delivered no event.
   */
  async pay(id: string): Promise<number | undefined> {
    this.payment(id).status = 'paid';
    return await this.announce('payment.paid', id);
  }

  signature(body: string): string {
    return createHmac('sha256', this.webhookSecret).update(body).digest('hex');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async announce(kind: BankEvent['kind'], payment: string): Promise<number | undefined> {
    const event: BankEvent = { id: `event_${++this.made}`, kind, payment };
    if (this.webhookUrl === undefined) {
      this.undelivered.push(event);
      return undefined;
    }
    const body = JSON.stringify(event);
    const headers = { 'content-type': 'application/json', 'bank-signature': this.signature(body) };
    return (await fetch(this.webhookUrl, { method: 'POST', headers, body })).status;
  }

  private async answer(request: IncomingMessage): Promise<Answer> {
    if (request.headers.authorization !== `Bearer ${this.key}`)
      return { status: 401, body: { reason: 'key' } };
    const sent = JSON.parse((await text(request)) || '{}') as Record<string, unknown>;
    const [kind = '', id = '', action] = (request.url ?? '').split('/').slice(1);
    const call = `${request.method ?? ''} ${kind}${action === undefined ? '' : `/${action}`}`;
    if (call === 'POST payments') return this.create(sent);
    if (call === 'GET events') return { status: 200, body: { events: this.undelivered } };
    if (call === 'GET refunds') return this.readRefund(id);
    const payment = this.payments.find((one) => one.id === id);
    if (!payment) return NOT_FOUND;
    if (call === 'GET payments') return { status: 200, body: payment };
    if (call === 'POST payments/cancel') return this.cancel(payment);
    return call === 'POST payments/refunds' ? this.refund(payment, sent) : NOT_FOUND;
  }

  /** The service's reference identifies the payment, so a repeated request creates no second payment. */
  private create(sent: Record<string, unknown>): Answer {
    const known = this.payments.find(({ reference }) => reference === sent.reference);
    const payment: BankPayment = known ?? {
      id: this.nextId ?? `bank-${++this.made}`,
      reference: String(sent.reference),
      amount: Number(sent.amount),
      currency: String(sent.currency),
      status: 'open',
      refunds: [],
    };
    this.nextId = undefined;
    if (!known) this.payments.push(payment);
    return { status: 200, body: payment };
  }

  private cancel(payment: BankPayment): Answer {
    if (payment.status === 'open') payment.status = 'cancelled';
    return { status: 200, body: payment };
  }

  private refund(payment: BankPayment, sent: Record<string, unknown>): Answer {
    const known = payment.refunds.find(({ reference }) => reference === sent.reference);
    if (known) return { status: 200, body: known };
    const given = payment.refunds.reduce((sum, { amount }) => sum + amount, 0);
    if (payment.status !== 'paid' || given + Number(sent.amount) > payment.amount)
      return { status: 422, body: { reason: 'not_refundable' } };
    const refund = {
      id: `refund-${++this.made}`,
      reference: String(sent.reference),
      amount: Number(sent.amount),
    };
    payment.refunds.push(refund);
    void this.announce('refund.made', payment.id).catch(() => undefined);
    return { status: 200, body: refund };
  }

  private readRefund(id: string): Answer {
    const refund = this.payments.flatMap(({ refunds }) => refunds).find((one) => one.id === id);
    return refund ? { status: 200, body: refund } : NOT_FOUND;
  }
}
