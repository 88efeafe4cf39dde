import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../data/database.js';

/** What an event has raised in one currency. */
export interface CurrencyTotal {
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Σ(amount − refunded) over COMPLETED donations, minor units. */
  readonly totalRaised: bigint;
  /** Distinct donors of those; a donation without e-mail counts as one. */
  readonly donorCount: number;
}

const OF_EVENT: Statement = {
  name: 'event_totals',
  text: `SELECT currency, sum(total_raised)::bigint AS "totalRaised", sum(donor_count)::int AS "donorCount"
    FROM event_total WHERE event_id = $1
    GROUP BY currency HAVING sum(total_raised) <> 0 OR sum(donor_count) <> 0
    ORDER BY currency`,
};

/** Reads the running totals: the sum over an event's shards, never the donations. */
@Injectable()
export class EventTotals {
  constructor(private readonly database: Database) {}

  /** One total for each currency that has any, by code; empty for an event without donations. */
  async of(eventId: string): Promise<CurrencyTotal[]> {
    return await this.database.query<CurrencyTotal>(OF_EVENT, [eventId]);
  }
}
