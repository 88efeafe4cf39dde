import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toJsonAmount } from '../../common/money/money.js';
import { DONATION_TYPES, type DonationType } from '../../donations/store/donation-columns.js';
import type { PublicPoolRow } from '../match.sql.js';
import { POOL_STATUSES, type PoolStatus } from '../pool-status.js';
import { ID, MONEY, OPTIONAL_STRING, OPTIONAL_TIME, type Remainder, REMAINDERS } from './match-pool.dto.js';

/** The public name of a matcher who is anonymous, or who has no name. Pages translate it. */
export const A_SUPPORTER = 'A supporter';

/** A match pool as the public sees it. All amounts in minor units of `currency`. */
export class PublicMatchPoolDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: 'Double your donation' })
  name: string;

  @ApiProperty({ example: 'Miller Foundation', description: '`A supporter` if the matcher is anonymous' })
  matcher: string;

  @ApiPropertyOptional({ example: `/images/${'0a'.repeat(32)}.webp` })
  logo?: string;

  @ApiPropertyOptional({ example: 'https://foundation.example.org' })
  url?: string;

  @ApiProperty({
    type: 'integer',
    example: 10_000,
    description: 'Hundredths of a percent: 10,000 adds as much as was given',
  })
  ratio: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty(MONEY)
  cap: number;

  @ApiProperty({ ...MONEY, example: 675_000 })
  drawn: number;

  @ApiProperty({ ...MONEY, example: 0, description: 'Kept for unpaid pledges' })
  kept: number;

  @ApiProperty({ ...MONEY, example: 325_000 })
  left: number;

  @ApiProperty({
    ...MONEY,
    example: 0,
    description: 'Part of `drawn` that the matcher has paid; the totals contain it',
  })
  settled: number;

  @ApiProperty({ ...MONEY, nullable: true, example: 50_000 })
  perGiftCap: number | null;

  @ApiProperty({ ...MONEY, nullable: true, example: null })
  minGift: number | null;

  @ApiProperty({
    type: [String],
    enum: DONATION_TYPES,
    nullable: true,
    example: null,
    description: 'Null: all types',
  })
  kinds: DonationType[] | null;

  @ApiProperty(OPTIONAL_TIME)
  opensAt: string | null;

  @ApiProperty(OPTIONAL_TIME)
  closesAt: string | null;

  @ApiProperty({ enum: POOL_STATUSES, description: 'Never `draft` or `cancelled`' })
  status: PoolStatus;

  @ApiProperty({ enum: REMAINDERS })
  remainder: Remainder;

  @ApiProperty({ ...OPTIONAL_STRING, description: 'The first time at which nothing was left' })
  usedUpAt: string | null;
}

const least = (one: bigint, other: bigint) => (one < other ? one : other);

export const toPublicMatchPool = (row: PublicPoolRow): PublicMatchPoolDto => ({
  id: row.id,
  name: row.name,
  matcher: row.matcher_name ?? A_SUPPORTER,
  ...(row.logo === null ? {} : { logo: `/images/${row.logo}.webp` }),
  ...(row.url === null ? {} : { url: row.url }),
  ratio: row.ratio,
  currency: row.currency,
  cap: toJsonAmount(row.cap),
  drawn: toJsonAmount(row.drawn),
  kept: toJsonAmount(row.kept),
  left: toJsonAmount(row.cap - row.drawn - row.kept),
  settled: toJsonAmount(least(row.settled, row.drawn)),
  perGiftCap: row.per_gift_cap === null ? null : toJsonAmount(row.per_gift_cap),
  minGift: row.min_gift === null ? null : toJsonAmount(row.min_gift),
  kinds: row.kinds === null ? null : [...row.kinds],
  opensAt: row.opens_at?.toISOString() ?? null,
  closesAt: row.closes_at?.toISOString() ?? null,
  status: row.status,
  remainder: row.remainder,
  usedUpAt: row.used_up_at?.toISOString() ?? null,
});
