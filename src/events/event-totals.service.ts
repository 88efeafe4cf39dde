import { Injectable } from '@nestjs/common';
import { Database } from '../data/database.js';
import { OF_EVENT } from '../totals/totals.sql.js';

/** What an event has raised in one currency. */
export interface CurrencyTotal {
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Σ(amount − refunded) over COMPLETED donations, minor units. */
  readonly totalRaised: bigint;
  /** Distinct donors of those; a donation without e-mail counts as one. */
  readonly donorCount: number;
}

/** Reads the running totals: the sum over an event's shards, never the donations. */
@Injectable()
export class EventTotals {
  constructor(private readonly database: Database) {}

  /** One total for each currency that has any, by code; empty for an event without donations. */
  async of(eventId: string): Promise<CurrencyTotal[]> {
    return await this.database.query<CurrencyTotal>(OF_EVENT, [eventId]);
  }
}
