import { Injectable, Logger } from '@nestjs/common';
import { MicroBatcher } from '../../common/concurrency/concurrency.js';
import { sqlStateOf } from '../../common/errors/sql-state.js';
import { isUnavailable } from '../../common/errors/unavailable.js';
import { Database, type Transaction, UnexpectedRowsError } from '../../data/database.js';
import type { PaymentFact, PaymentProvider, WebhookEvent } from '../providers/provider-port.js';
import { CLAIM } from './booking.sql.js';
import { type Booking, FactBooking, HomesUnread } from './fact-booking.js';
import {
  type BookingContext,
  type BookingOutcome,
  type PaymentHome,
  PaymentHomes,
} from './payment-homes.service.js';

type Result = PromiseSettledResult<BookingOutcome[] | undefined>;

const paymentOf = ({ provider, facts }: Booking): string => `${provider.name}:${facts[0]?.paymentId ?? ''}`;

/** Maximum number of parallel batches. All facts of one payment use the same lane. */
const LANES = 4;
const LOCK_TIMEOUT = '55P03';

/**
 * Books facts from providers. All facts of one webhook event or answer are in one transaction. Facts may arrive
 * repeatedly and in any order.
 */
@Injectable()
export class PaymentFacts {
  private readonly logger = new Logger(PaymentFacts.name);
  private readonly batcher = new MicroBatcher<Booking, Result>((bookings) => this.together(bookings), {
    maxBatch: 16,
    maxWaiting: 10_000,
    laneOf: (booking) => String((paymentOf(booking).at(-1)?.charCodeAt(0) ?? 0) % LANES),
    maxRunning: LANES,
    patienceMs: 200,
  });

  constructor(
    private readonly database: Database,
    private readonly booking: FactBooking,
    private readonly homes: PaymentHomes,
  ) {}

  /** Books facts from the answer to our own request. Returns an outcome per fact. */
  async book(
    provider: PaymentProvider,
    facts: readonly PaymentFact[],
    context: BookingContext = {},
  ): Promise<BookingOutcome[]> {
    if (facts.length === 0) return [];
    return (await this.alone({ provider, facts, webhookEvent: undefined, context })) ?? [];
  }

  /** Books the facts of a webhook event. If the event was already booked, changes nothing and returns undefined. */
  async bookWebhookEvent(
    provider: PaymentProvider,
    webhookEvent: WebhookEvent,
    facts: readonly PaymentFact[],
  ): Promise<BookingOutcome[] | undefined> {
    const booking = { provider, facts, webhookEvent, context: webhookEvent };
    if (facts.length !== 1) return await this.alone(booking);
    const result = await this.batcher.add(booking);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  /** Books several webhook events in one transaction. If this transaction fails, each event gets its own transaction. */
  private async together(bookings: readonly Booking[]): Promise<Result[]> {
    if (bookings.length > 1)
      try {
        const outcomes = await this.database.transaction((tx) => this.inOrder(tx, bookings));
        return outcomes.map((value) => ({ status: 'fulfilled', value }));
      } catch (error) {
        if (isUnavailable(error) && sqlStateOf(error) !== LOCK_TIMEOUT) throw error;
        this.logger.log(`A batch of ${bookings.length} webhook events failed; booking them one by one`);
      }
    return await Promise.allSettled(bookings.map((booking) => this.alone(booking)));
  }

  /**
   * Books the events of one payment one after another. All batches lock payments in the same order, so two batches
   * cannot deadlock.
   */
  private async inOrder(tx: Transaction, bookings: readonly Booking[]): Promise<BookingOutcome[][]> {
    const byPayment = new Map<string, Promise<BookingOutcome[]>>();
    const sorted = bookings
      .map((booking) => ({ booking, payment: paymentOf(booking) }))
      .sort((one, other) => (one.payment < other.payment ? -1 : 1));
    const outcomes = new Map<Booking, Promise<BookingOutcome[]>>();
    for (const { booking, payment } of sorted) {
      const before = byPayment.get(payment);
      const own = before
        ? before.then(() => this.booking.book(tx, booking, undefined))
        : this.booking.book(tx, booking, undefined);
      byPayment.set(payment, own);
      outcomes.set(booking, own);
    }
    const all = bookings.map((booking) => outcomes.get(booking) ?? Promise.resolve([]));
    // Wait for all bookings before the transaction ends.
    await Promise.allSettled(all);
    return await Promise.all(all);
  }

  private async alone(booking: Booking): Promise<BookingOutcome[] | undefined> {
    const bookWith = (homes: readonly (PaymentHome | undefined)[] | undefined) =>
      this.database.transaction((tx) => this.booking.book(tx, booking, homes));
    try {
      return await bookWith(undefined).catch(async (error: unknown) => {
        if (!(error instanceof HomesUnread)) throw error;
        // Read the events before a new transaction, because the event look-up does not run inside a transaction.
        return await bookWith(await Promise.all(booking.facts.map((fact) => this.homes.find(fact))));
      });
    } catch (error) {
      if (error instanceof UnexpectedRowsError && error.statement === CLAIM) return undefined;
      throw error;
    }
  }
}
