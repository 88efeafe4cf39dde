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

/** Reads the running totals by summing an event's shards, not its donations. */
@Injectable()
export class EventTotals {
  constructor(private readonly database: Database) {}

  /** One total for each currency in use, sorted by code; empty without donations. */
  async of(eventId: string): Promise<CurrencyTotal[]> {
    return await this.database.query<CurrencyTotal>(OF_EVENT, [eventId]);
  }
}
