import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  BlankIsAbsent,
  Currency,
  Id,
  Instant,
  OneOf,
  OptionalText,
  QueryFlag,
  QueryInteger,
  SomeOf,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { DONATION_STATUSES, type DonationStatus } from '../lifecycle/donation-lifecycle.js';
import { DONATION_TYPES, type DonationType } from '../store/donation-columns.js';
import {
  CANCELLATIONS,
  type Cancellation,
  DISPUTE_FILTERS,
  type DisputeFilter,
  PLEDGE_FATES,
  type PledgeFate,
} from '../list/donation-filters.js';
import { type AnswerField, DONATION_FIELDS, DonationDto } from './donation.dto.js';

export const SORTS = ['-createdAt', 'createdAt', '-amount', 'amount'] as const;

const listOf = (words: readonly string[]) =>
  ({ description: `One or several, separated by commas: ${words.join(', ')}` }) as const;

/** Filters shared by the list and the export. An empty value counts as absent. */
export class DonationFilterDto {
  @ApiPropertyOptional({ description: 'Event id or slug' })
  @OptionalText({ max: 100 })
  eventId?: string | null;

  @ApiPropertyOptional({ ...listOf(DONATION_STATUSES), example: 'COMPLETED,REFUNDED' })
  @WhenSent()
  @SomeOf(DONATION_STATUSES)
  status?: DonationStatus[];

  @ApiPropertyOptional({ ...listOf(DONATION_TYPES), example: 'cash,check' })
  @WhenSent()
  @SomeOf(DONATION_TYPES)
  type?: DonationType[];

  @ApiPropertyOptional({ description: 'ISO 4217', example: 'eur' })
  @WhenSent()
  @Currency()
  currency?: string;

  @ApiPropertyOptional({ description: 'Name of the payment provider' })
  @OptionalText({ max: 31 })
  provider?: string | null;

  @ApiPropertyOptional({ description: 'Whether some of it was given back by a refund' })
  @WhenSent()
  @QueryFlag()
  refunded?: boolean;

  @ApiPropertyOptional({
    description:
      '`lost`: some of its money went back because of a dispute; `any`: there was one, in whatever state',
  })
  @WhenSent()
  @OneOf(DISPUTE_FILTERS)
  disputed?: DisputeFilter;

  @ApiPropertyOptional({
    description:
      'Only CANCELLED ones: `unpaid` before money came, `corrected` taken out of the books, `undone` by whoever recorded it, `paid_online`: a pledge that another donation paid',
  })
  @WhenSent()
  @OneOf(CANCELLATIONS)
  cancelledAs?: Cancellation;

  @ApiPropertyOptional({ description: "Only what is in a provider's payout" })
  @OptionalText({ max: 100 })
  payoutId?: string | null;

  @ApiPropertyOptional({ description: 'Id of the staff member who recorded it' })
  @BlankIsAbsent()
  @Id()
  staffId?: string | null;

  @ApiPropertyOptional({ description: 'Id of the terminal it was recorded on' })
  @BlankIsAbsent()
  @Id()
  terminalId?: string | null;

  @ApiPropertyOptional({ description: 'Id of the pledge round it was promised in' })
  @BlankIsAbsent()
  @Id()
  roundId?: string | null;

  @ApiPropertyOptional({
    ...listOf(PLEDGE_FATES),
    description: `Only pledges of rounds, by what became of them; one or several, separated by commas: \`open\`, \`kept_at_till\`, \`kept_online\` (its money is the donation \`paidBy\`), \`returned\`: paid, and all of it went back or was taken out of the books, \`withdrawn\`: undone, cancelled or taken out of the books`,
    example: 'open',
  })
  @WhenSent()
  @SomeOf(PLEDGE_FATES)
  pledge?: PledgeFate[];

  @ApiPropertyOptional({ description: 'The paddle that was held up, exactly' })
  @OptionalText({ max: 12 })
  paddle?: string | null;

  @ApiPropertyOptional({ description: 'Part of the name or e-mail, any case' })
  @OptionalText({ max: 200 })
  search?: string | null;

  @ApiPropertyOptional({ description: 'Created at or after' })
  @WhenSent()
  @Instant()
  from?: string;

  @ApiPropertyOptional({ description: 'Created before' })
  @WhenSent()
  @Instant()
  to?: string;
}

export class ListDonationsDto extends DonationFilterDto {
  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, 1000)
  limit?: number;

  @ApiPropertyOptional({
    default: 0,
    description: 'Far pages cost more; use cursor',
  })
  @WhenSent()
  @QueryInteger(0, 10_000_000)
  offset?: number;

  @ApiPropertyOptional({ default: '-createdAt' })
  @WhenSent()
  @OneOf(SORTS)
  sort?: (typeof SORTS)[number];

  @ApiPropertyOptional({
    description: '`nextCursor` of the page before, with the same filters and sort',
  })
  @OptionalText({ max: 200 })
  cursor?: string | null;

  @ApiPropertyOptional({
    ...listOf(DONATION_FIELDS),
    description: 'Only these fields of each donation, separated by commas; all of them unless sent',
    example: 'id,amount,currency,donorName',
  })
  @WhenSent()
  @SomeOf(DONATION_FIELDS)
  fields?: AnswerField[];
}

export class DonationListDto {
  @ApiProperty({ type: [DonationDto], description: 'With `fields`, of each donation only those' })
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
