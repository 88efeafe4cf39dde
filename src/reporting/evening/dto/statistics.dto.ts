import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalText, Text } from '../../../common/validation/field.decorators.js';
import { DONATION_TYPES } from '../../../donations/store/donation-columns.js';

const MONEY = { type: 'integer', format: 'int64', example: 12_500, description: 'Minor units' } as const;
const COUNT = { type: 'integer', example: 4 } as const;

export class StatisticsQuery {
  @ApiProperty({ description: 'Event id or slug' })
  @Text({ max: 100 })
  eventId: string;

  @ApiPropertyOptional({ description: 'Id or slug of an earlier event' })
  @OptionalText({ max: 100 })
  compareTo?: string | null;
}

export class StatisticsEventDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  id: string;

  @ApiProperty({ example: 'Summer Gala' })
  name: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T18:00:00.000Z' })
  date: string;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ example: 'Europe/Berlin' })
  timezone: string;
}

export class StatisticsHourDto {
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Hours since the first hour with a donation in this currency, used to compare evenings',
  })
  index: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:00:00.000Z' })
  from: string;

  @ApiProperty({ example: '2026-11-21T20:00:00+01:00' })
  local: string;

  @ApiProperty(COUNT)
  count: number;

  @ApiProperty(MONEY)
  amount: number;

  @ApiProperty({ ...MONEY, description: 'Cumulative sum, minor units' })
  cumulative: number;
}

export class StatisticsMethodDto {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'ideal',
    description: "The provider's word; null for the donations whose method is not known",
  })
  method: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'apple_pay', description: 'Null without a wallet' })
  wallet: string | null;

  @ApiProperty(COUNT)
  count: number;

  @ApiProperty(MONEY)
  amount: number;
}

export class StatisticsTypeDto {
  @ApiProperty({ enum: DONATION_TYPES, example: 'cash' })
  type: string;

  @ApiProperty(COUNT)
  count: number;

  @ApiProperty(MONEY)
  amount: number;

  @ApiProperty({
    type: [StatisticsMethodDto],
    description: 'By payment method; empty if no method is known',
  })
  methods: StatisticsMethodDto[];
}

export class StatisticsTerminalDto {
  @ApiProperty({
    type: String,
    nullable: true,
    example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
    description: 'Null for donations that were not recorded on an enrolled terminal',
  })
  terminalId: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Bar' })
  terminalName: string | null;

  @ApiProperty(COUNT)
  count: number;

  @ApiProperty(MONEY)
  amount: number;
}

export class StatisticsSourceDto {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'table-7',
    description: 'The link or code that led the donors to the donate page; null for all other donations',
  })
  source: string | null;

  @ApiProperty(COUNT)
  count: number;

  @ApiProperty(MONEY)
  amount: number;
}

export class StatisticsCurrencyDto {
  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty(COUNT)
  count: number;

  @ApiProperty({ ...MONEY, description: 'Total of the event after refunds, minor units' })
  amount: number;

  @ApiProperty(COUNT)
  donorCount: number;

  @ApiProperty({ ...MONEY, description: 'Average of a donation, rounded down, minor units' })
  average: number;

  @ApiProperty({ ...MONEY, description: 'Median donation, minor units' })
  median: number;

  @ApiProperty(MONEY)
  largest: number;

  @ApiProperty({ type: [StatisticsHourDto], description: 'Only hours with donations' })
  byHour: StatisticsHourDto[];

  @ApiProperty({ type: [StatisticsTerminalDto] })
  byTerminal: StatisticsTerminalDto[];

  @ApiProperty({ type: [StatisticsSourceDto], description: 'Largest amount first' })
  bySource: StatisticsSourceDto[];

  @ApiProperty({ type: [StatisticsTypeDto] })
  byType: StatisticsTypeDto[];
}

export class EventStatisticsDto {
  @ApiProperty({ type: StatisticsEventDto })
  event: StatisticsEventDto;

  @ApiProperty({ type: [StatisticsCurrencyDto], description: "The event's currency comes first" })
  byCurrency: StatisticsCurrencyDto[];
}

export class StatisticsDto extends EventStatisticsDto {
  @ApiProperty({
    type: EventStatisticsDto,
    nullable: true,
    description: 'The same figures of the compared event',
  })
  compareTo: EventStatisticsDto | null;
}
