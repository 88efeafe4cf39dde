import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  BlankIsAbsent,
  Id,
  Instant,
  OptionalText,
  QueryFlag,
  QueryInteger,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { GuestDto } from './guest.dto.js';

export const MOST_GUESTS_IN_LIST = 1_000;

/** Query of `GET /events/:id/guests`. */
export class ListGuests {
  @ApiPropertyOptional({
    example: 'jones',
    description: 'Part of the name, table or paddle; for admins also of the e-mail address or phone',
  })
  @OptionalText({ max: 100 })
  search?: string | null;

  @ApiPropertyOptional({ example: '12', description: 'Exact table' })
  @OptionalText({ max: 40 })
  table?: string | null;

  @ApiPropertyOptional({ description: '`true`: only checked-in guests; `false`: only the others' })
  @WhenSent()
  @QueryFlag()
  checkedIn?: boolean;

  @ApiPropertyOptional({ description: '`true`: only guests with a contested paddle' })
  @WhenSent()
  @QueryFlag()
  contested?: boolean;

  @ApiPropertyOptional({
    description: 'Only guests that changed at this time or later, such as `asOf` of the previous answer',
  })
  @BlankIsAbsent()
  @Instant()
  updatedFrom?: string;

  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, MOST_GUESTS_IN_LIST)
  limit?: number;

  @ApiPropertyOptional({ description: '`cursor` of the previous page, with the same filters' })
  @BlankIsAbsent()
  @Id()
  cursor?: string;
}

/** One page of guests, sorted by name. */
export class GuestList {
  @ApiProperty({ type: [GuestDto] })
  data: GuestDto[];

  @ApiProperty({ type: 'string', nullable: true, description: 'For the next page; null on the last page' })
  cursor: string | null;

  @ApiProperty({
    format: 'date-time',
    example: '2026-11-21T18:42:00.000Z',
    description: 'A time before which all changes are in this list, for `updatedFrom`',
  })
  asOf: string;

  @ApiProperty({ example: 480, description: 'Guests that match the filters' })
  total: number;
}

/** Guests of one table. */
export class TableCount {
  @ApiProperty({ type: 'string', nullable: true, example: '12', description: 'Null: guests without a table' })
  table: string | null;

  @ApiProperty({ example: 10 })
  expected: number;

  @ApiProperty({ example: 7 })
  checkedIn: number;
}

/** Answer of `GET /events/:id/guests/count`. */
export class GuestCount {
  @ApiProperty({ example: 480 })
  expected: number;

  @ApiProperty({ example: 312 })
  checkedIn: number;

  @ApiProperty({ example: 2, description: 'Guests with a contested paddle' })
  contested: number;

  @ApiProperty({ type: [TableCount] })
  tables: TableCount[];
}
