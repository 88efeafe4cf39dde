import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalText, WhenSent } from '../../common/validation/text.decorators.js';
import { Instant, OneOf, QueryInteger } from '../../common/validation/value.decorators.js';
import { DONATION_STATUSES, type DonationStatus } from '../donation-lifecycle.js';
import { DONATION_TYPES, type DonationType } from '../donation-columns.js';
import { DonationDto } from './donation.dto.js';

export const SORTS = ['-createdAt', 'createdAt', '-amount', 'amount'] as const;

/** The filters that the list and the export share. Empty values count as not sent. */
export class DonationFilterDto {
  @ApiPropertyOptional({ type: String, description: 'Event id or slug' })
  @OptionalText({ max: 100 })
  eventId?: string | null;

  @ApiPropertyOptional({ enum: DONATION_STATUSES })
  @WhenSent()
  @OneOf(DONATION_STATUSES)
  status?: DonationStatus;

  @ApiPropertyOptional({ enum: DONATION_TYPES })
  @WhenSent()
  @OneOf(DONATION_TYPES)
  type?: DonationType;

  @ApiPropertyOptional({ type: String, description: 'Id of the staff member who recorded it' })
  @OptionalText({ max: 36 })
  staffId?: string | null;

  @ApiPropertyOptional({ type: String, description: 'Part of the name or e-mail, any case', maxLength: 200 })
  @OptionalText({ max: 200 })
  search?: string | null;

  @ApiPropertyOptional({ description: 'Created at or after', format: 'date-time' })
  @WhenSent()
  @Instant()
  from?: string;

  @ApiPropertyOptional({ description: 'Created before', format: 'date-time' })
  @WhenSent()
  @Instant()
  to?: string;
}

export class ListDonationsDto extends DonationFilterDto {
  @ApiPropertyOptional({ type: 'integer', default: 50, minimum: 1, maximum: 200 })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({
    type: 'integer',
    default: 0,
    minimum: 0,
    description: 'Far pages cost more; use cursor',
  })
  @WhenSent()
  @QueryInteger(0, 10_000_000)
  offset?: number;

  @ApiPropertyOptional({ enum: SORTS, default: '-createdAt' })
  @WhenSent()
  @OneOf(SORTS)
  sort?: (typeof SORTS)[number];

  @ApiPropertyOptional({
    type: String,
    description: '`nextCursor` of the page before, with the same filters and sort',
  })
  @OptionalText({ max: 200 })
  cursor?: string | null;
}

export class DonationListDto {
  @ApiProperty({ type: [DonationDto] })
  data: DonationDto[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;

  @ApiPropertyOptional({
    example: true,
    description: 'Present where an exact count would cost more than the page',
  })
  totalIsEstimate?: true;

  @ApiProperty({ type: 'integer', example: 50 })
  limit: number;

  @ApiProperty({ type: 'integer', example: 0 })
  offset: number;

  @ApiProperty({ type: String, nullable: true, description: 'For the next page; null on the last one' })
  nextCursor: string | null;
}
