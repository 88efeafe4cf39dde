import { Injectable } from '@nestjs/common';
import { Database } from '../data/database.js';
import { OF_EVENT } from '../totals/totals.sql.js';

/** Amount raised by an event in one currency. */
export interface CurrencyTotal {
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Σ(amount − refunded) over COMPLETED donations, minor units. */
  readonly totalRaised: bigint;
  /** Number of distinct donors. Each donation without an e-mail address counts as one donor. */
  readonly donorCount: number;
}

/** Reads the running totals of an event. This adds up the shards of the event and does not read its donations. */
@Injectable()
export class EventTotals {
  constructor(private readonly database: Database) {}

  /** Returns one total for each currency in use, sorted by currency code. Empty if the event has no donations. */
  async of(eventId: string): Promise<CurrencyTotal[]> {
    return await this.database.query<CurrencyTotal>(OF_EVENT, [eventId]);
  }
}
