import { ApiProperty } from '@nestjs/swagger';
import { toJsonAmount } from '../../common/money/json-amount.js';
import type { EventRecord } from '../event-record.js';
import type { CurrencyTotal } from '../event-totals.service.js';
import { EventDto, toEvent } from './event.dto.js';

const RAISED = {
  type: 'integer',
  format: 'int64',
  example: 12_500,
  description: "What completed donations hold after refunds, integer in the currency's minor unit",
} as const;
const DONORS = { type: 'integer', example: 4, description: 'Distinct donors of those' } as const;

/** What was raised in one currency. */
export class CurrencyTotalDto {
  @ApiProperty({ example: 'eur', description: 'ISO 4217, lower case' })
  currency: string;

  @ApiProperty(RAISED)
  totalRaised: number;

  @ApiProperty(DONORS)
  donorCount: number;
}

/** What an event has raised: in its own currency, and in each. Nothing is added across currencies. */
export class EventTotalsDto {
  @ApiProperty({ ...RAISED, description: `${RAISED.description}; of the event's own currency` })
  totalRaised: number;

  @ApiProperty(DONORS)
  donorCount: number;

  @ApiProperty({ type: [CurrencyTotalDto], description: "The event's own currency first" })
  totals: CurrencyTotalDto[];
}

/** An event as its public page shows it. */
export class EventDetailDto extends EventDto {
  @ApiProperty({ ...RAISED, description: `${RAISED.description}; of the event's own currency` })
  totalRaised: number;

  @ApiProperty(DONORS)
  donorCount: number;

  @ApiProperty({ type: [CurrencyTotalDto], description: "The event's own currency first" })
  totals: CurrencyTotalDto[];
}

/** An active event in the public list. */
export class PublicEventDto extends EventTotalsDto {
  @ApiProperty({ example: 'summer-gala' })
  slug: string;

  @ApiProperty({ example: 'Summer Gala' })
  name: string;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    example: 1_000_000,
    description: 'In minor units',
  })
  goalAmount: number;

  @ApiProperty({ example: 'eur', description: 'Of `goalAmount` and `totalRaised`; ISO 4217, lower case' })
  currency: string;
}

/** The totals for an event in `currency`, which is always among them. */
export function toEventTotals(currency: string, found: readonly CurrencyTotal[]): EventTotalsDto {
  const own = found.find((total) => total.currency === currency) ?? {
    currency,
    totalRaised: 0n,
    donorCount: 0,
  };
  const totals = [own, ...found.filter((total) => total.currency !== currency)].map((total) => ({
    currency: total.currency,
    totalRaised: toJsonAmount(total.totalRaised),
    donorCount: total.donorCount,
  }));
  return { totalRaised: toJsonAmount(own.totalRaised), donorCount: own.donorCount, totals };
}

export const toEventDetail = (event: EventRecord, found: readonly CurrencyTotal[]): EventDetailDto =>
  Object.assign(toEvent(event), toEventTotals(event.currency, found));
