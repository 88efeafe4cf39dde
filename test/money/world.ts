import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/common/crypto/ids.js';
import { BY_HAND, ReconciliationService } from '../../src/payments/reconciliation/reconciliation.service.js';
import { createEvent, type EventFixture, sql } from '../support/fixtures.js';
import type { DonationBody, ListBody } from '../support/bearer.js';
import type { PaymentsApp } from '../support/payments.js';

/** A donation that a run has created. */
export interface OnlineDonation {
  readonly method: 'card' | 'wallet';
  readonly donationId: string;
  readonly paymentId: string;
}

export interface OfflineDonation {
  readonly donationId: string;
  readonly pledge: boolean;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface ReviewItem {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly donationId: string | null;
  readonly detail: Record<string, unknown>;
  readonly advice: string;
}

/** Kinds of messages that change nothing in these tests. Runs without them are shorter. */
const UNUSED = new Set(['payment_intent.created', 'charge.succeeded', 'charge.failed', 'charge.pending']);

type ProviderName = 'stripe' | 'paypal';
interface Message {
  readonly provider: ProviderName;
  readonly id: string;
}

/**
 * One event with its donors, admin, providers and network. Tests play it step by step. Messages wait until a step delivers
 * them. If the state of a provider forbids a step, the step does nothing.
 */
export class World {
  readonly online: OnlineDonation[] = [];
  readonly offline: OfflineDonation[] = [];
  /** Ids of payments that checkout pages created. */
  readonly foreign: string[] = [];
  /** Answers of the service with a status of 5xx. A test with such an answer fails. */
  readonly failures: string[] = [];
  /** True if providers may fail. Then 503 is a valid answer, and the provider sends the message again later. */
  mayStumble = false;
  /** True if rows were lost in a restore. A donation that is then booked again has another id. */
  private isRestored = false;
  private readonly dropped = new Set<string>();
  private readonly handedOver = new Set<string>();

  private constructor(
    readonly app: PaymentsApp,
    readonly token: string,
    public event: EventFixture,
    private readonly earlier: ReadonlySet<string>,
  ) {}

  static async create(app: PaymentsApp, token: string): Promise<World> {
    app.sandbox.setDeliveryMode('manual');
    app.sandbox.faults.clear();
    const event = await createEvent(app, token);
    return new World(app, token, event, new Set(messagesOf(app).map(({ id }) => id)));
  }

  async call(method: string, path: string, body?: object, headers: object = {}): Promise<Answer> {
    const response = await fetch(`${this.app.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = { status: response.status, body: (await response.json()) as Record<string, unknown> };
    if (this.isFailure(answer.status)) this.failures.push(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  async intent(
    method: 'card' | 'wallet',
    amount: number,
    email: string | null = null,
    currency = 'eur',
  ): Promise<OnlineDonation> {
    const donation = await this.tryIntent(method, amount, email, currency);
    if (!donation) throw new Error('The intent was refused');
    return donation;
  }

  /** Creates an online donation. The donor pays it and the service books it. */
  async paid(method: 'card' | 'wallet', amount = 1000, email: string | null = null): Promise<OnlineDonation> {
    const donation = await this.intent(method, amount, email);
    if (method === 'card') this.app.sandbox.stripe.pay(donation.paymentId);
    else {
      this.app.sandbox.paypal.approve(donation.paymentId);
      await this.call('POST', `/donations/wallet/${donation.paymentId}/capture`);
    }
    await this.deliverAll(Math.random);
    return donation;
  }

  /** Returns undefined if the provider gives no answer. */
  async tryIntent(
    method: 'card' | 'wallet',
    amount: number,
    email: string | null = null,
    currency = 'eur',
    { key, mayFail = false }: { readonly key?: string; readonly mayFail?: boolean } = {},
  ): Promise<OnlineDonation | undefined> {
    const before = this.mayStumble;
    this.mayStumble ||= mayFail;
    const { status, body } = await this.call(
      'POST',
      '/donations/intent',
      {
        amount,
        currency,
        method,
        metadata: { eventId: this.event.id, donorName: 'Ada', donorEmail: email },
      },
      { ...(key !== undefined && { 'idempotency-key': key }) },
    );
    this.mayStumble = before;
    if (status !== 201) return undefined;
    const paymentId =
      method === 'card'
        ? String(body.clientSecret).replace(/_secret_.*$/, '')
        : (body as { orderId: string }).orderId;
    const donation = { method, donationId: body.donationId as string, paymentId };
    this.online.push(donation);
    return donation;
  }

  async record(amount: number, type: string, email: string | null): Promise<OfflineDonation | undefined> {
    const { status, body } = await this.call('POST', '/donations', {
      amount,
      type,
      eventId: this.event.id,
      donorEmail: email,
    });
    if (status !== 201) return undefined;
    const donation = { donationId: body.id as string, pledge: type === 'pledge' };
    this.offline.push(donation);
    return donation;
  }

  /** Cancels or refunds a donation. A partial refund needs a key; without `key`, each call is a new request. */
  cancel(
    donationId: string,
    body: { shouldRefund: boolean; amount?: number; reason?: string },
    key = body.amount === undefined ? undefined : newId(),
  ): Promise<Answer> {
    return this.call('POST', `/donations/${donationId}/cancel`, body, {
      ...(key !== undefined && { 'idempotency-key': key }),
    });
  }

  /** Returns the messages of this run that are neither delivered nor dropped. */
  waiting(): Message[] {
    return messagesOf(this.app).filter(
      ({ id }) => !this.earlier.has(id) && !this.dropped.has(id) && !this.handedOver.has(id),
    );
  }

  /** Returns the delivered messages, so that a test can deliver them again. */
  handed(): Message[] {
    return messagesOf(this.app).filter(({ id }) => this.handedOver.has(id));
  }

  async deliver({ provider, id }: Message, times = 1): Promise<void> {
    this.handedOver.add(id);
    const statuses = await this.app.sandbox[provider].deliveries.deliver(id, times);
    this.check(id, statuses);
  }

  async deliverAtOnce({ provider, id }: Message, times: number): Promise<void> {
    this.handedOver.add(id);
    this.check(id, await this.app.sandbox[provider].deliveries.deliverAtOnce(id, times));
  }

  /** Simulates a message that the network loses for ever. Only a query to the provider then finds the change. */
  drop({ provider, id }: Message): void {
    this.dropped.add(id);
    this.app.sandbox[provider].deliveries.drop(id);
  }

  get hasDropped(): boolean {
    return this.dropped.size > 0;
  }

  async reconcile(): Promise<void> {
    const service = this.app.app.get(ReconciliationService);
    // The scheduled run may be in progress. It is short, so this function tries again.
    for (let attempt = 0; attempt < 200; attempt += 1) {
      if (await service.run(BY_HAND)) return;
      await sleep(50);
    }
    throw new Error('another reconciliation is under way');
  }

  /** Makes donations one day older. */
  async age(donations: readonly OnlineDonation[]): Promise<void> {
    await sql(
      this.app,
      `UPDATE donation SET created_at = created_at - interval '25 hours', checked_at = NULL WHERE id = ANY($1)`,
      [donations.map(({ donationId }) => donationId)],
    );
  }

  async statusesOf(donations: readonly OnlineDonation[]): Promise<Map<string, string>> {
    const rows = await sql<{ id: string; status: string }>(
      this.app,
      'SELECT id, status FROM donation WHERE id = ANY($1)',
      [donations.map(({ donationId }) => donationId)],
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  /** Changes the name of the event, or also its slug. The admin then assigns the payments that contain the old slug. */
  async rename(name: string, alsoSlug: boolean): Promise<void> {
    const slug = alsoSlug ? { slug: `event-${newId()}` } : {};
    const { body } = await this.call('PATCH', `/events/${this.event.id}`, { name, ...slug });
    this.event = body as unknown as EventFixture;
  }

  /** Reads the event again after a restore. */
  async readAgain(): Promise<void> {
    this.isRestored = true;
    const [row] = await sql<EventFixture>(this.app, 'SELECT id, slug, currency FROM event WHERE id = $1', [
      this.event.id,
    ]);
    if (!row) throw new Error('the event is not in the backup');
    this.event = row;
  }

  /** Returns the present id of the donation with this payment. */
  async idNow(donationId: string, paymentId: string): Promise<string> {
    if (!this.isRestored) return donationId;
    const [row] = await sql<{ id: string }>(this.app, 'SELECT id FROM donation WHERE payment_id = $1', [
      paymentId,
    ]);
    return row?.id ?? donationId;
  }

  /** Assigns payments of unknown events to this event, as an admin would do. */
  async assignUnmatched(): Promise<void> {
    const ours = new Set([...this.online.map(({ paymentId }) => paymentId), ...this.foreign]);
    const { body } = await this.call('GET', '/review-items');
    for (const { id, kind, subject } of body as unknown as (ReviewItem & { readonly id: string })[]) {
      if (kind !== 'unmatched_payment' || !ours.has(subject.replace(/^\w+:/, ''))) continue;
      const { status } = await this.call('POST', `/review-items/${id}/assign`, { eventId: this.event.id });
      if (status !== 200) this.failures.push(`the unmatched payment ${subject} could not be assigned`);
    }
  }

  /** Delivers all waiting messages in a random order, each one to three times. */
  async deliverAll(random: () => number): Promise<void> {
    // When the service handles a message, the provider may send more messages.
    for (let round = 0; round < 20 && this.waiting().length > 0; round += 1)
      for (const message of shuffled(this.waiting(), random))
        await this.deliver(message, random() < 0.2 ? 3 : 1);
  }

  /** Returns the ids of the messages of one kind about a payment, oldest first. */
  messages(kind: string, paymentId: string): Message[] {
    const { stripe, paypal } = this.app.sandbox;
    const all = [
      ...stripe
        .events()
        .map(({ id, type, data }) => ({ provider: 'stripe' as const, id, type, about: data })),
      ...paypal.events().map(({ id, event_type, resource }) => ({
        provider: 'paypal' as const,
        id,
        type: event_type,
        about: resource,
      })),
    ];
    return all.filter(({ type, about }) => type === kind && JSON.stringify(about).includes(paymentId));
  }

  /** Returns the first message of a kind about a payment; throws an error if there is none. */
  message(kind: string, paymentId: string): Message {
    const [found] = this.messages(kind, paymentId);
    if (!found) throw new Error(`no ${kind} about ${paymentId}`);
    return found;
  }

  /** Returns the donation as the API shows it to an admin. */
  async donation(id: string): Promise<DonationBody> {
    const { body } = await this.call('GET', `/donations?eventId=${this.event.id}&limit=200`);
    const found = (body as unknown as ListBody).data.find((one) => one.id === id);
    if (!found) throw new Error(`no donation ${id}`);
    return found;
  }

  async donations(): Promise<DonationBody[]> {
    const { body } = await this.call('GET', `/donations?eventId=${this.event.id}&limit=200`);
    return (body as unknown as ListBody).data;
  }

  /** Returns the states of a donation in order, without history entries that did not change the state. */
  async path(id: string): Promise<string[]> {
    const { body } = await this.call('GET', `/donations/${id}/history`);
    const steps = body as unknown as { from: string | null; to: string }[];
    return steps.filter(({ from, to }) => from !== to).map(({ to }) => to);
  }

  /** Returns how often this donation was announced as a new donation. */
  async announcements(donationId: string): Promise<number> {
    const text = "SELECT 1 FROM outbox WHERE donation_id = $1 AND topic = 'donation.created'";
    return (await sql(this.app, text, [donationId])).length;
  }

  /** Returns the review items about a donation or a payment. */
  async reviewItems(about: string): Promise<ReviewItem[]> {
    const { body } = await this.call('GET', '/review-items');
    return (body as unknown as ReviewItem[]).filter(
      ({ donationId, subject }) => donationId === about || subject.endsWith(about),
    );
  }

  private check(id: string, statuses: readonly (number | null)[]): void {
    for (const status of statuses) {
      if (status !== 200) this.handedOver.delete(id);
      if (status !== 200 && (status === null || this.isFailure(status)))
        this.failures.push(`the message ${id} was answered ${String(status)}`);
    }
  }

  private isFailure(status: number): boolean {
    return status >= 500 && !(this.mayStumble && status === 503);
  }
}

function messagesOf(app: PaymentsApp): Message[] {
  const names = ['stripe', 'paypal'] as const;
  return names.flatMap((provider) => {
    const used = app.sandbox[provider].deliveries.list().filter(({ type }) => !UNUSED.has(type));
    return [...new Set(used.map(({ eventId }) => eventId))].map((id) => ({ provider, id }));
  });
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}

/** A small repeatable generator (mulberry32): one seed always gives the same order of deliveries. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
