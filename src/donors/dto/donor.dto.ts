import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalText, QueryInteger, WhenSent } from '../../common/validation/field.decorators.js';
import { KeptDeclarationsDto } from '../../gift-aid/dto/gift-aid.dto.js';
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

  @ApiPropertyOptional({
    type: KeptDeclarationsDto,
    description: 'Records that an erasure keeps, or has kept; absent if it keeps none',
  })
  kept?: KeptDeclarationsDto;
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

  @ApiPropertyOptional({ type: KeptDeclarationsDto, description: 'Records that stay; absent if none stay' })
  kept?: KeptDeclarationsDto;
}

export class StatementQuery {
  @ApiProperty({ example: 2026 })
  @QueryInteger(2000, 2999)
  year: number;
}
