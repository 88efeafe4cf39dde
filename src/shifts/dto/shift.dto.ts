import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import {
  ListOf,
  MinorUnits,
  OneOf,
  OptionalText,
  Text,
  WhenSent,
  Whole,
} from '../../common/validation/field.decorators.js';
import { DONATION_TYPES, type DonationType } from '../../donations/store/donation-columns.js';
import { SHIFT_STATUSES, type ShiftStatus } from '../shifts.sql.js';

const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
const TIME = { format: 'date-time', example: '2026-11-21T19:30:00.000Z' };
const MONEY = { type: 'integer', format: 'int64', example: 12500 } as const;
const MOST_DENOMINATION = 1_000_000_000;
const MOST_PIECES = 100_000;
const MOST_COUNTS = 40;

/** Body of `POST /shifts`. */
export class OpenShift {
  @MinorUnits({
    min: 0,
    example: 10_000,
    description: "Opening float, in minor units of the event's currency",
  })
  openingFloat: number;
}

export class DenominationCount {
  @ApiProperty({ example: 2000, description: 'Value of the note or coin in minor units' })
  @Whole(1, MOST_DENOMINATION)
  denomination: number;

  @ApiProperty({ example: 7 })
  @Whole(0, MOST_PIECES)
  quantity: number;
}

/** Counted notes and coins of a drawer. */
export class CountedDenomination extends DenominationCount {}

/** Body of `POST /shifts/:id/count` and `POST /shifts/:id/recount`. */
export class CountShift {
  @ApiProperty({
    type: [DenominationCount],
    description: 'Cash in the drawer with the float; each note or coin value once',
  })
  @ListOf({ max: MOST_COUNTS })
  @ValidateNested({ each: true })
  @Type(() => DenominationCount)
  counts: DenominationCount[];

  @ApiPropertyOptional({ example: 'SB-004711' })
  @OptionalText({ max: 50 })
  bagNumber?: string | null;

  @ApiPropertyOptional({ example: 'One note was torn' })
  @OptionalText({ max: 500, multiline: true })
  note?: string | null;
}

/** Body of `POST /shifts/:id/sign`. */
export class SignShift {
  @ApiProperty({ example: '482913', description: 'The PIN of another member of the event' })
  @Text({ max: 64 })
  code: string;
}

export class ListShifts {
  @ApiPropertyOptional({ description: 'Event id or slug' })
  @OptionalText({ max: 100 })
  eventId?: string | null;

  @ApiPropertyOptional()
  @WhenSent()
  @OneOf(SHIFT_STATUSES)
  status?: ShiftStatus;
}

export class ShiftSum {
  @ApiProperty({ enum: DONATION_TYPES, example: 'cash' })
  type: DonationType;

  @ApiProperty({ type: 'integer', example: 5 })
  count: number;

  @ApiProperty({ ...MONEY, nullable: true, description: "Null for cash before one's own drawer is counted" })
  amount: number | null;
}

export class ShiftRecords {
  @ApiProperty({ type: 'integer', example: 5 })
  count: number;

  @ApiProperty({ type: [ShiftSum] })
  sums: ShiftSum[];
}

class Signer {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'Grace Hopper' })
  name: string;
}

/** A later count of a counted drawer. */
export class ShiftRecount {
  @ApiProperty(TIME)
  countedAt: string;

  @ApiProperty({ type: [CountedDenomination] })
  counts: CountedDenomination[];

  @ApiProperty({ ...MONEY, description: 'Counted cash' })
  countedAmount: number;

  @ApiProperty({
    ...MONEY,
    example: 0,
    description: 'Counted less the expected amount of the first count; negative: money is missing',
  })
  difference: number;

  @ApiProperty({ type: String, nullable: true, example: 'SB-004711' })
  bagNumber: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  note: string | null;
}

/** A shift: one person at one drawer. */
export class ShiftDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(ID)
  eventId: string;

  @ApiProperty({ ...ID, type: String, nullable: true })
  terminalId: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Table 4' })
  terminalName: string | null;

  @ApiProperty(ID)
  staffId: string;

  @ApiProperty({ example: 'Maria Lopez' })
  staffName: string;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty(MONEY)
  openingFloat: number;

  @ApiProperty({ enum: SHIFT_STATUSES, description: '`counted`: the second signature is missing' })
  status: ShiftStatus;

  @ApiProperty(TIME)
  openedAt: string;

  @ApiProperty({ ...TIME, type: String, nullable: true })
  countedAt: string | null;

  @ApiProperty({ ...TIME, type: String, nullable: true })
  closedAt: string | null;

  @ApiProperty({ type: [CountedDenomination], nullable: true })
  counts: CountedDenomination[] | null;

  @ApiProperty({ type: String, nullable: true, example: 'SB-004711' })
  bagNumber: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  note: string | null;

  @ApiProperty({ type: Signer, nullable: true, description: 'The second signature' })
  signedBy: Signer | null;

  @ApiProperty({
    type: ShiftRecords,
    description:
      'Records of the shift. After the count: the records that the count was compared with. Pledges are promises, not money.',
  })
  records: ShiftRecords;

  @ApiProperty({ ...MONEY, nullable: true, description: 'Counted cash' })
  countedAmount: number | null;

  @ApiProperty({
    ...MONEY,
    nullable: true,
    description: 'Float and recorded cash; for staff null until their drawer is counted',
  })
  expectedAmount: number | null;

  @ApiProperty({
    ...MONEY,
    example: 0,
    nullable: true,
    description: 'Counted less expected; negative: money is missing',
  })
  difference: number | null;

  @ApiProperty({
    type: [ShiftRecount],
    description:
      'Later counts of the drawer, oldest first. `counts`, `countedAmount` and `difference` stay those of the first count.',
  })
  recounts: ShiftRecount[];

  @ApiProperty({ type: ShiftRecords, description: 'Records from before the count that arrived after it' })
  lateRecords: ShiftRecords;

  @ApiProperty({
    type: ShiftRecords,
    description: 'Counted records that were later undone, cancelled or paid another way',
  })
  removedRecords: ShiftRecords;
}

export class ShiftList {
  @ApiProperty({ type: [ShiftDto], description: 'Open shifts first, then the newest' })
  data: ShiftDto[];
}

class TillReportRow {
  @ApiProperty({ ...ID, type: String, nullable: true })
  terminalId: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Table 4' })
  terminalName: string | null;

  @ApiProperty({ ...ID, type: String, nullable: true, description: 'Null for records of admins' })
  staffId: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Maria Lopez' })
  staffName: string | null;

  @ApiProperty({ enum: DONATION_TYPES, example: 'cash' })
  type: DonationType;

  @ApiProperty({ example: 'COMPLETED' })
  status: string;

  @ApiProperty({ type: 'integer', example: 5 })
  count: number;

  @ApiProperty({
    ...MONEY,
    nullable: true,
    description: "Null for one's own cash before one's own drawer is counted",
  })
  amount: number | null;
}

export class TillReport {
  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ type: [TillReportRow], description: 'Sums of offline donations' })
  rows: TillReportRow[];

  @ApiProperty({ type: [ShiftDto] })
  shifts: ShiftDto[];
}
