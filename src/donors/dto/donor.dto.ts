import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  BlankIsAbsent,
  Day,
  Flag,
  OneOf,
  OptionalText,
  QueryInteger,
  WhenSent,
  Whole,
} from '../../common/validation/field.decorators.js';
import { KeptReceiptsDto } from '../../receipts/dto/sealed-receipt.dto.js';
import { DonationDto } from '../../donations/dto/donation.dto.js';

const EXAMPLE_KEY = '5f0c6a1e9b7d4c3f8a2e1d0b9c8f7a6e5d4c3b2a1f0e9d8c7b6a5f4e3d2c1b0a';

export class ListDonorsDto {
  @ApiPropertyOptional({ description: 'Part of the name or e-mail, case-insensitive' })
  @OptionalText({ max: 200 })
  search?: string | null;

  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({ description: '`cursor` of the previous page, with the same search' })
  @OptionalText({ max: 36 })
  cursor?: string | null;
}

const NOTIFIED = {
  type: 'integer',
  example: 1,
  description:
    'Number of tributes of other donors that name this address; absent for none. The list has such a person only if the search ' +
    'is the whole address',
} as const;

export class DonorTotalDto {
  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ type: 'integer', format: 'int64', example: 7500, description: 'After refunds' })
  amount: number;
}

export class DonorDto {
  @ApiProperty({
    example: EXAMPLE_KEY,
    description: 'Keyed digest of the e-mail address; of a donation without an address its id',
  })
  key: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  name: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.org' })
  email: string | null;

  @ApiProperty({ type: 'integer', example: 3, description: 'Completed ones' })
  donations: number;

  @ApiProperty({ type: [DonorTotalDto] })
  totals: DonorTotalDto[];

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  lastDonationAt: string;

  @ApiPropertyOptional(NOTIFIED)
  notified?: number;
}

/** Records that stay after the erasure of a donor, because a law demands it. */
export class KeptRecordsDto {
  @ApiProperty({
    type: 'integer',
    example: 1,
    description:
      'Gift Aid declarations, because HM Revenue and Customs may ask for them for six years. Only the export of Gift Aid shows them',
  })
  giftAidDeclarations: number;

  @ApiPropertyOptional({
    type: [KeptReceiptsDto],
    description:
      'Receipts for the tax office. Their content stays encrypted; only `GET /export/sealed-receipts` shows it. Absent for none',
  })
  receipts?: KeptReceiptsDto[];

  @ApiProperty({ format: 'date', example: '2033-04-05', description: 'Last day on which a record is kept' })
  until: string;

  @ApiProperty({
    enum: ['legal_hold'],
    example: 'legal_hold',
    description: 'A law demands to keep the records',
  })
  reason: 'legal_hold';
}

export class DonorListDto {
  @ApiProperty({ type: [DonorDto] })
  data: DonorDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Value for the next page; null on the last page',
  })
  cursor: string | null;
}

export class DonationAtEventDto extends DonationDto {
  @ApiProperty({ example: 'Summer Gala' })
  eventName: string;
}

export class PersonDto {
  @ApiProperty({ example: EXAMPLE_KEY })
  key: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  name: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.org' })
  email: string | null;

  @ApiProperty({ example: false, description: 'True if the donor was erased' })
  erased: boolean;

  @ApiProperty({ type: 'integer', example: 3, description: 'Completed ones' })
  donationCount: number;

  @ApiProperty({ type: [DonorTotalDto] })
  totals: DonorTotalDto[];

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  lastDonationAt: string;

  @ApiProperty({ type: [DonationAtEventDto], description: 'Over all events, newest first, at most 1000' })
  donations: DonationAtEventDto[];

  @ApiPropertyOptional(NOTIFIED)
  notified?: number;

  @ApiPropertyOptional({
    type: KeptRecordsDto,
    description: 'Records that an erasure keeps, or has kept; absent if it keeps none',
  })
  kept?: KeptRecordsDto;
}

export class ErasedDonorDto {
  @ApiProperty({ example: EXAMPLE_KEY })
  key: string;

  @ApiProperty({ example: true })
  deleted: true;

  @ApiProperty({
    type: 'integer',
    example: 3,
    description: 'Number of erased donations',
  })
  donations: number;

  @ApiPropertyOptional({
    type: 'integer',
    example: 1,
    description:
      'Number of tributes of other donors from which the address of this person was erased; absent for none',
  })
  notified?: number;

  @ApiPropertyOptional({ type: KeptRecordsDto, description: 'Records that stay; absent if none stay' })
  kept?: KeptRecordsDto;
}

export class CollectiveReceiptDto {
  @ApiProperty({ example: 2026, description: 'The calendar year' })
  @Whole(2000, 2999)
  year: number;

  @ApiPropertyOptional({
    default: false,
    description: 'True to make single receipts of the donations void and include the donations',
  })
  @WhenSent()
  @Flag()
  isIncluding?: boolean;
}

export class StatementQuery {
  @ApiPropertyOptional({ example: 2026, description: 'A calendar year; or send `from` and `to`' })
  @BlankIsAbsent()
  @QueryInteger(2000, 2999)
  year?: number;

  @ApiPropertyOptional({ example: '2026-04-06', description: 'First day, for example of an accounting year' })
  @BlankIsAbsent()
  @Day()
  from?: string;

  @ApiPropertyOptional({ example: '2027-04-05', description: 'Last day' })
  @BlankIsAbsent()
  @Day()
  to?: string;

  @ApiPropertyOptional({
    enum: ['document', 'list'],
    default: 'document',
    description:
      '`document`: the annual document for the tax office, if the pack of the organization has one; `list`: the list in any case',
  })
  @WhenSent()
  @OneOf(['document', 'list'])
  form?: 'document' | 'list';
}
