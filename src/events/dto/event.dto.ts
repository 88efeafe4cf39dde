import { ApiHideProperty, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import {
  BlankIsAbsent,
  Check,
  Currency,
  Instant,
  MinorUnits,
  OneOf,
  OptionalText,
  Text,
  WhenSent,
  Id,
  QueryInteger,
} from '../../common/validation/field.decorators.js';
import { Expected } from '../../common/validation/expected.js';
import type { EventRecord } from '../event-record.js';
import { SLUG_FORM, slugProblem } from '../event-slug.js';
import { EVENT_STATUSES, type EventStatus } from '../event-status.js';
import type { CurrencyTotal } from '../event-totals.service.js';
import { toJsonAmount } from '../../common/money/money.js';

const ID = { format: 'uuid', example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11', description: 'UUID v7' };
const SLUG = {
  example: 'summer-gala',
  ...SLUG_FORM,
  description: 'Used in public paths. Unique, not a reserved word, and not in the form of an id',
};
const NAME = { example: 'Summer Gala' };
const DATE = { example: '2026-12-05T18:00:00.000Z', description: 'ISO 8601' };
const DESCRIPTION = { example: 'Dinner and auction for the new roof' };
const CURRENCY = {
  example: 'eur',
  description: 'Currency of `goalAmount` and of offline donations; ISO 4217, lower case',
};
const STATUS = { enumName: 'EventStatus', example: 'active' };
const GOAL = { example: 1_000_000, description: "Fundraising goal, integer in the currency's minor unit" };

const Goal = () => MinorUnits({ ...GOAL, min: 0, max: Number.MAX_SAFE_INTEGER });
const Slug = () => Check(slugProblem, { type: 'string', ...SLUG_FORM });

/** Body of `POST /events`. */
export class CreateEventDto {
  @ApiProperty(NAME)
  @Text({ max: 200 })
  name: string;

  @ApiProperty(SLUG)
  @Slug()
  slug: string;

  @Goal()
  goalAmount: number;

  @ApiPropertyOptional({ ...DESCRIPTION, default: '' })
  @OptionalText({ max: 5000, multiline: true })
  description?: string | null;

  @ApiPropertyOptional({ ...DATE, description: 'ISO 8601; the time of creation by default' })
  @BlankIsAbsent()
  @Instant()
  date?: string;

  @ApiPropertyOptional({ ...STATUS, default: 'active' })
  @BlankIsAbsent()
  @OneOf(EVENT_STATUSES)
  status?: EventStatus;

  @ApiPropertyOptional({
    ...CURRENCY,
    description: 'ISO 4217; `payment.currency` of the settings by default',
  })
  @BlankIsAbsent()
  @Currency()
  currency?: string;
}

/** Body of `PATCH /events/:id`. A client may send back the whole event, but read-only fields must have unchanged values. */
export class UpdateEventDto {
  @ApiPropertyOptional(NAME)
  @WhenSent()
  @Text({ max: 200 })
  name?: string;

  @ApiPropertyOptional(SLUG)
  @WhenSent()
  @Slug()
  slug?: string;

  @WhenSent()
  @MinorUnits({ ...GOAL, min: 0, max: Number.MAX_SAFE_INTEGER, required: false })
  goalAmount?: number;

  @ApiPropertyOptional({
    ...DESCRIPTION,
    description: 'Null or blank empties it',
  })
  @OptionalText({ max: 5000, multiline: true })
  description?: string | null;

  @ApiPropertyOptional(DATE)
  @BlankIsAbsent()
  @Instant()
  date?: string;

  @ApiPropertyOptional({ ...STATUS, description: 'A change of status that is not allowed is a 409' })
  @BlankIsAbsent()
  @OneOf(EVENT_STATUSES)
  status?: EventStatus;

  @ApiPropertyOptional({ ...CURRENCY, description: 'ISO 4217; fixed once the event has donations (409)' })
  @BlankIsAbsent()
  @Currency()
  currency?: string;

  @Expected({
    name: 'string',
    slug: 'string',
    goalAmount: 'integer',
    description: 'string',
    date: 'string',
    status: 'string',
    currency: 'string',
  })
  expected?: Readonly<Partial<Record<keyof EventDto, unknown>>>;

  @ApiHideProperty() @Allow() id?: unknown;
  @ApiHideProperty() @Allow() createdAt?: unknown;
  @ApiHideProperty() @Allow() totalRaised?: unknown;
  @ApiHideProperty() @Allow() donorCount?: unknown;
  @ApiHideProperty() @Allow() totals?: unknown;
  @ApiHideProperty() @Allow() warning?: unknown;
}

export class EventDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(SLUG)
  slug: string;

  @ApiProperty(NAME)
  name: string;

  @ApiProperty({ ...DATE, format: 'date-time' })
  date: string;

  @ApiProperty(DESCRIPTION)
  description: string;

  @ApiProperty({ ...GOAL, type: 'integer', format: 'int64', minimum: 0 })
  goalAmount: number;

  @ApiProperty(CURRENCY)
  currency: string;

  @ApiProperty({ ...STATUS, enum: EVENT_STATUSES })
  status: EventStatus;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T18:00:00.000Z', description: 'ISO 8601' })
  createdAt: string;

  @ApiPropertyOptional({
    example: 'Donations in kwd cannot be paid online: Acme Pay does not take the currency kwd',
    description: 'Present if no payment provider of this server accepts the chosen currency',
  })
  warning?: string;
}

export const toEvent = (event: EventRecord): EventDto => ({
  id: event.id,
  slug: event.slug,
  name: event.name,
  date: event.date.toISOString(),
  description: event.description,
  goalAmount: toJsonAmount(event.goalAmount),
  currency: event.currency,
  status: event.status,
  createdAt: event.createdAt.toISOString(),
});

const RAISED = {
  type: 'integer',
  format: 'int64',
  example: 12_500,
  description: "Sum of completed donations after refunds, integer in the currency's minor unit",
} as const;
const DONORS = { type: 'integer', example: 4, description: 'Distinct donors of these donations' } as const;

/** Amount raised in one currency. */
export class CurrencyTotalDto {
  @ApiProperty({ example: 'eur', description: 'ISO 4217, lower case' })
  currency: string;

  @ApiProperty(RAISED)
  totalRaised: number;

  @ApiProperty(DONORS)
  donorCount: number;
}

const RAISED_HERE = { ...RAISED, description: `${RAISED.description}; in the event's currency` };
const TOTALS = { type: CurrencyTotalDto, isArray: true, description: "The event's currency comes first" };

/**
 * Amounts raised by an event: in the event's currency and in each other currency. Amounts in different currencies are never
 * added.
 */
export class EventTotalsDto {
  @ApiProperty(RAISED_HERE)
  totalRaised: number;

  @ApiProperty(DONORS)
  donorCount: number;

  @ApiProperty(TOTALS)
  totals: CurrencyTotalDto[];
}

// The mapped types of Nest would load a second copy of class-validator, which takes megabytes.
/** An event on its public page. */
export class EventDetailDto extends EventDto implements EventTotalsDto {
  @ApiProperty(RAISED_HERE)
  totalRaised: number;

  @ApiProperty(DONORS)
  donorCount: number;

  @ApiProperty(TOTALS)
  totals: CurrencyTotalDto[];
}

/** An event in the list for signed-in users. A total that is too large for JSON is omitted. */
export class ListedEventDto extends EventDto implements Partial<EventTotalsDto> {
  @ApiPropertyOptional(RAISED_HERE)
  totalRaised?: number;

  @ApiPropertyOptional(DONORS)
  donorCount?: number;

  @ApiPropertyOptional(TOTALS)
  totals?: CurrencyTotalDto[];
}

/** An event in the public list. Only active events are listed. */
export class PublicEventDto extends EventTotalsDto {
  @ApiProperty({ example: 'summer-gala' })
  slug: string;

  @ApiProperty({ example: 'Summer Gala' })
  name: string;

  @ApiProperty({ ...DATE, format: 'date-time' })
  date: string;

  @ApiProperty(DESCRIPTION)
  description: string;

  @ApiProperty({ ...STATUS, enum: EVENT_STATUSES })
  status: EventStatus;

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

/** The event's totals; always includes `currency`. */
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

export const toPublicEvent = (
  event: Omit<EventRecord, 'overrides' | 'createdAt' | 'id'>,
  found: readonly CurrencyTotal[],
): PublicEventDto =>
  Object.assign(
    {
      slug: event.slug,
      name: event.name,
      date: event.date.toISOString(),
      description: event.description,
      status: event.status,
      goalAmount: toJsonAmount(event.goalAmount),
      currency: event.currency,
    },
    toEventTotals(event.currency, found),
  );

export const toEventDetail = (event: EventRecord, found: readonly CurrencyTotal[]): EventDetailDto =>
  Object.assign(toEvent(event), toEventTotals(event.currency, found));

/** Query of `GET /events`: all events, or a page of them. */
export class ListEventsDto {
  @ApiPropertyOptional({
    example: 50,
    description: 'Page size; all items if absent',
  })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({
    example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11',
    description: 'Id of the last event of the previous page',
  })
  @WhenSent()
  @Id('must be the id of an event')
  after?: string;

  @ApiPropertyOptional({ description: 'Part of the name or slug, case-insensitive' })
  @OptionalText({ max: 200 })
  search?: string | null;
}

/** The deleted event. */
export class DeletedEventDto {
  @ApiProperty({
    format: 'uuid',
    example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11',
    description: 'Id of the event',
  })
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}
