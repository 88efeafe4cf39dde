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
  MATCH_PARTS,
  type MatchPart,
  PLEDGE_FATES,
  type PledgeFate,
} from '../list/donation-filters.js';
import { type AnswerField, DONATION_FIELDS, SharedDonationDto } from './donation.dto.js';

export const SORTS = ['-createdAt', 'createdAt', '-amount', 'amount', '-updatedAt', 'updatedAt'] as const;

const listOf = (words: readonly string[]) =>
  ({ description: `One or several, separated by commas: ${words.join(', ')}` }) as const;

/** Filters shared by the list and the export. An empty value means that the filter is absent. */
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

  @ApiPropertyOptional({
    description: "The provider's word for the payment method, or the wallet of a card, such as `apple_pay`",
    example: 'ideal',
  })
  @OptionalText({ max: 40 })
  method?: string | null;

  @ApiPropertyOptional({
    description: 'True: only donations with a refund; false: only donations without one',
  })
  @WhenSent()
  @QueryFlag()
  refunded?: boolean;

  @ApiPropertyOptional({
    description: '`lost`: a dispute returned money to the donor; `any`: there was a dispute in any state',
  })
  @WhenSent()
  @OneOf(DISPUTE_FILTERS)
  disputed?: DisputeFilter;

  @ApiPropertyOptional({
    description:
      'Reason of a CANCELLED donation. `unpaid`: cancelled before it was paid; `corrected`: removed from the books; `undone`: undone after recording; `paid_online`: a pledge that another donation paid',
  })
  @WhenSent()
  @OneOf(CANCELLATIONS)
  cancelledAs?: Cancellation;

  @ApiPropertyOptional({ description: 'Only donations in this payout of a provider' })
  @OptionalText({ max: 100 })
  payoutId?: string | null;

  @ApiPropertyOptional({ description: 'Id of the staff member who recorded it' })
  @BlankIsAbsent()
  @Id()
  staffId?: string | null;

  @ApiPropertyOptional({ description: 'Id of the terminal that recorded it' })
  @BlankIsAbsent()
  @Id()
  terminalId?: string | null;

  @ApiPropertyOptional({ description: 'Id of the pledge round' })
  @BlankIsAbsent()
  @Id()
  roundId?: string | null;

  @ApiPropertyOptional({ description: 'Only the donation with this id' })
  @BlankIsAbsent()
  @Id()
  id?: string | null;

  @ApiPropertyOptional({ description: 'Id of the team of the donations: a table, a team or a person' })
  @BlankIsAbsent()
  @Id()
  teamId?: string | null;

  @ApiPropertyOptional({
    ...listOf(PLEDGE_FATES),
    description: `Only pledges of rounds, by outcome; one or several, separated by commas: \`open\`; \`kept_at_till\`: paid at the till; \`kept_online\`: paid online by the donation \`paidBy\`; \`returned\`: paid, then fully refunded or removed from the books; \`withdrawn\`: undone, cancelled or removed from the books`,
    example: 'open',
  })
  @WhenSent()
  @SomeOf(PLEDGE_FATES)
  pledge?: PledgeFate[];

  @ApiPropertyOptional({
    description: 'True: only donations in honour or in memory of somebody; false: only the others',
  })
  @WhenSent()
  @QueryFlag()
  tribute?: boolean;

  @ApiPropertyOptional({
    description:
      'True: only large records that wait for a second person (`live.holdFrom`); false: only the others',
  })
  @WhenSent()
  @QueryFlag()
  held?: boolean;

  @ApiPropertyOptional({ description: 'Only donations of this match pool: those of `matchPart`' })
  @BlankIsAbsent()
  @Id()
  matchPoolId?: string | null;

  @ApiPropertyOptional({
    default: 'drawn',
    description:
      'With `matchPoolId`. `drawn`: donations that drew from the pool; `kept`: pledges for which the pool keeps money; `settled`: payments of the matcher',
  })
  @WhenSent()
  @OneOf(MATCH_PARTS)
  matchPart?: MatchPart;

  @ApiPropertyOptional({ description: 'Exact paddle number' })
  @OptionalText({ max: 12 })
  paddle?: string | null;

  @ApiPropertyOptional({ description: 'Part of the name or e-mail, case-insensitive' })
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

  @ApiPropertyOptional({
    description:
      'Last changed at or after. A change can be committed some seconds after its time, so repeat the last minutes',
  })
  @WhenSent()
  @Instant()
  updatedFrom?: string;

  @ApiPropertyOptional({ description: 'Last changed before' })
  @WhenSent()
  @Instant()
  updatedTo?: string;
}

export class ListDonationsDto extends DonationFilterDto {
  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, 1000)
  limit?: number;

  @ApiPropertyOptional({
    default: 0,
    description: 'Later pages are slower; prefer `cursor`',
  })
  @WhenSent()
  @QueryInteger(0, 10_000_000)
  offset?: number;

  @ApiPropertyOptional({ default: '-createdAt' })
  @WhenSent()
  @OneOf(SORTS)
  sort?: (typeof SORTS)[number];

  @ApiPropertyOptional({
    description: '`nextCursor` of the previous page, with the same filters and sort',
  })
  @OptionalText({ max: 200 })
  cursor?: string | null;

  @ApiPropertyOptional({
    ...listOf(DONATION_FIELDS),
    description: 'Fields to return, separated by commas; all fields if absent',
    example: 'id,amount,currency,donorName',
  })
  @WhenSent()
  @SomeOf(DONATION_FIELDS)
  fields?: AnswerField[];
}

export class DonationListDto {
  @ApiProperty({
    type: [SharedDonationDto],
    description: 'With `fields`, donations contain only these fields',
  })
  data: SharedDonationDto[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;

  @ApiPropertyOptional({
    example: true,
    description: 'Present if an exact count would take longer than the page itself',
  })
  totalIsEstimate?: true;

  @ApiProperty({ type: 'integer', example: 50 })
  limit: number;

  @ApiProperty({ type: 'integer', example: 0 })
  offset: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Value for the next page; null on the last page',
  })
  nextCursor: string | null;
}
