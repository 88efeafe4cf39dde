import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toJsonAmount } from '../../common/money/money.js';
import {
  BlankIsAbsent,
  Check,
  Day,
  Flag,
  Id,
  Instant,
  Matching,
  MinorUnits,
  OneOf,
  OptionalEmail,
  OptionalMinorUnits,
  OptionalText,
  QueryInteger,
  Text,
  WhenSent,
  Whole,
} from '../../common/validation/field.decorators.js';
import { DONATION_TYPES, type DonationType } from '../../donations/store/donation-columns.js';
import type { PoolWithSums } from '../match.sql.js';
import { owedOf } from '../owed.js';
import { POOL_STATUSES, type PoolStatus } from '../pool-status.js';

export const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
export const TIME = { format: 'date-time', example: '2026-11-28T19:00:00.000Z' };
export const MONEY = { type: 'integer', format: 'int64', example: 1_000_000 } as const;
const OPTIONAL_MONEY = { ...MONEY, nullable: true } as const;
export const OPTIONAL_TIME = { ...TIME, type: String, nullable: true };
export const OPTIONAL_STRING = { type: String, nullable: true };
export const REMAINDERS = ['not_given', 'given_anyway'] as const;
export type Remainder = (typeof REMAINDERS)[number];

const RATIO =
  'How much the pool adds to a donation, in hundredths of a percent: 10,000 adds as much as was given';
const REMAINDER =
  '`not_given`: money that is not drawn is not given. `given_anyway`: the matcher gives the whole sum in any case. The donate page says which';
const NAME_LENGTH = 80;
const MATCHER_LENGTH = 120;

/** A list of different donation types; null: all types. */
const Kinds = () =>
  applyDecorators(
    WhenSent(),
    Check(
      (value) => {
        if (value === null) return undefined;
        if (!Array.isArray(value) || value.length === 0) return 'must be a list of at least one type';
        const known = value.every((one) => DONATION_TYPES.includes(one as DonationType));
        return known && new Set(value).size === value.length
          ? undefined
          : 'must contain different donation types';
      },
      {
        type: 'array',
        items: { type: 'string', enum: [...DONATION_TYPES] },
        minItems: 1,
        uniqueItems: true,
        nullable: true,
      },
    ),
  );

const OptionalMatch = (max: number, pattern: RegExp, problem: string) =>
  applyDecorators(OptionalText({ max }), Matching(pattern, problem));

const OptionalDay = () => applyDecorators(OptionalText({ max: 10 }), Day());

const OptionalInstant = () => applyDecorators(OptionalText({ max: 40 }), Instant());

/** The fields of a pool that a request may leave out. Null removes a value. */
class PoolFields {
  @ApiPropertyOptional({ example: 'Miller Foundation', description: 'Null: "A supporter" is shown' })
  @OptionalText({ max: MATCHER_LENGTH })
  matcherName?: string | null;

  @ApiPropertyOptional({ example: false, description: 'True: the public sees "A supporter"' })
  @WhenSent()
  @Flag()
  isMatcherAnonymous?: boolean;

  @ApiPropertyOptional({
    example: 'giving@example.org',
    description: "Address of the matcher. The matcher's own donations do not draw from the pool",
  })
  @OptionalEmail()
  matcherEmail?: string | null;

  @ApiPropertyOptional({ example: '0a'.repeat(32), description: 'Digest of a picture of `POST /images`' })
  @OptionalMatch(64, /^[0-9a-f]{64}$/, 'must be the digest of a picture')
  logo?: string | null;

  @ApiPropertyOptional({ example: 'https://foundation.example.org' })
  @OptionalMatch(300, /^https:\/\/[^\s<>"'\\]+$/, 'must be an https address')
  url?: string | null;

  @ApiPropertyOptional()
  @OptionalMinorUnits({
    example: 50_000,
    description: 'Most that the pool adds to one donation; null: no maximum',
  })
  perGiftCap?: number | null;

  @ApiPropertyOptional()
  @OptionalMinorUnits({ example: 1_000, description: 'Smallest donation that the pool matches; null: any' })
  minGift?: number | null;

  @ApiPropertyOptional()
  @OptionalMinorUnits({
    example: 100_000,
    description: 'Most that the pool adds to all donations of one e-mail address; null: no maximum',
  })
  perDonorCap?: number | null;

  @ApiPropertyOptional({ example: ['card', 'wallet'], description: 'Types that the pool matches; null: all' })
  @Kinds()
  kinds?: DonationType[] | null;

  @ApiPropertyOptional({ ...TIME, description: 'Null: opened by hand' })
  @OptionalInstant()
  opensAt?: string | null;

  @ApiPropertyOptional({
    ...TIME,
    example: '2026-11-28T22:00:00.000Z',
    description: 'After `opensAt`; null: ended by hand',
  })
  @OptionalInstant()
  closesAt?: string | null;

  @ApiPropertyOptional({
    default: 120,
    description: 'Minutes after the end in which earlier donations may still arrive from terminals',
  })
  @WhenSent()
  @Whole(0, 2_880)
  graceMinutes?: number;

  @ApiPropertyOptional({
    default: 'when_paid',
    description:
      '`when_paid`: a pledge draws when it is paid, if the pool is open then. `keep`: the pool keeps money for it',
  })
  @WhenSent()
  @OneOf(['when_paid', 'keep'])
  pledges?: 'when_paid' | 'keep';

  @ApiPropertyOptional({ default: 30, description: 'Days for which money is kept for a pledge' })
  @WhenSent()
  @Whole(1, 90)
  keepDays?: number;

  @ApiPropertyOptional({
    default: 100,
    description: 'With several open pools, the lowest number matches first',
  })
  @WhenSent()
  @Whole(1, 1_000)
  priority?: number;

  @ApiPropertyOptional({
    format: 'date',
    example: '2026-12-31',
    description: 'Day until which the matcher pays',
  })
  @OptionalDay()
  dueOn?: string | null;
}

/** Body of `POST /match-pools`. */
export class CreateMatchPool extends PoolFields {
  @ApiProperty({ description: 'Event id or slug', example: 'winter-gala' })
  @Text({ max: 100 })
  eventId: string;

  @ApiProperty({ example: 'Double your donation' })
  @Text({ max: NAME_LENGTH })
  name: string;

  @MinorUnits({ example: 1_000_000, description: 'The promised sum in minor units' })
  cap: number;

  @ApiPropertyOptional({ example: 'eur', description: "The event's currency, which is the default" })
  @OptionalMatch(3, /^[a-z]{3}$/, 'must be an ISO 4217 currency code in lower case')
  currency?: string | null;

  @ApiPropertyOptional({ default: 10_000, description: RATIO })
  @WhenSent()
  @Whole(1, 100_000)
  ratio?: number;

  @ApiProperty({ description: REMAINDER })
  @OneOf(REMAINDERS)
  remainder: Remainder;
}

/** Body of `PATCH /match-pools/:id`. Absent fields stay; null removes a value. */
export class UpdateMatchPool extends PoolFields {
  @ApiProperty({ example: 3, description: '`version` of the pool that the client read' })
  @Whole(1, 2_000_000_000)
  version: number;

  @ApiPropertyOptional({ example: 'Double your donation' })
  @WhenSent()
  @Text({ max: NAME_LENGTH })
  name?: string;

  @WhenSent()
  @MinorUnits({ example: 1_000_000, description: 'The promised sum in minor units' })
  cap?: number;

  @ApiPropertyOptional({ example: 10_000, description: RATIO })
  @WhenSent()
  @Whole(1, 100_000)
  ratio?: number;

  @ApiPropertyOptional({ description: REMAINDER })
  @WhenSent()
  @OneOf(REMAINDERS)
  remainder?: Remainder;
}

/** Body of `POST /match-pools/:id/open` and `/resume`. */
export class OpenMatchPool {
  @ApiPropertyOptional({
    example: true,
    description:
      'True confirms that the open pools of the event together add more than three times a donation; without it the answer is 409',
  })
  @WhenSent()
  @Flag()
  confirmed?: boolean;
}

/** Body of `POST /match-pools/:id/settle`. */
export class SettleMatchPool {
  @ApiPropertyOptional({
    example: 'The foundation pays only whole thousands.',
    description:
      'Why the pool is settled, if the matcher has not paid everything or money is kept for pledges',
  })
  @OptionalText({ max: 300, multiline: true })
  note?: string | null;
}

export class ListMatchPools {
  @ApiProperty({ description: 'Event id or slug', example: 'winter-gala' })
  @Text({ max: 100 })
  eventId: string;
}

export class ListMatchDraws {
  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({ description: '`nextCursor` of the previous page' })
  @BlankIsAbsent()
  @Id()
  cursor?: string;
}

/** A match pool with its sums, all in minor units of `currency`. */
export class MatchPoolDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(ID)
  eventId: string;

  @ApiProperty({ example: 'Double your donation' })
  name: string;

  @ApiProperty({ ...OPTIONAL_STRING, example: 'Miller Foundation' })
  matcherName: string | null;

  @ApiProperty({ example: false })
  isMatcherAnonymous: boolean;

  @ApiProperty({ ...OPTIONAL_STRING, example: 'giving@example.org' })
  matcherEmail: string | null;

  @ApiProperty({ ...OPTIONAL_STRING, example: '0a'.repeat(32) })
  logo: string | null;

  @ApiProperty({ ...OPTIONAL_STRING, example: 'https://foundation.example.org' })
  url: string | null;

  @ApiProperty(MONEY)
  cap: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ type: 'integer', example: 10_000, description: RATIO })
  ratio: number;

  @ApiProperty({ ...OPTIONAL_MONEY, example: 50_000 })
  perGiftCap: number | null;

  @ApiProperty({ ...OPTIONAL_MONEY, example: null })
  minGift: number | null;

  @ApiProperty({ ...OPTIONAL_MONEY, example: null })
  perDonorCap: number | null;

  @ApiProperty({ type: [String], enum: DONATION_TYPES, nullable: true, example: null })
  kinds: DonationType[] | null;

  @ApiProperty(OPTIONAL_TIME)
  opensAt: string | null;

  @ApiProperty(OPTIONAL_TIME)
  closesAt: string | null;

  @ApiProperty({ type: 'integer', example: 120 })
  graceMinutes: number;

  @ApiProperty({ enum: ['when_paid', 'keep'] })
  pledges: 'when_paid' | 'keep';

  @ApiProperty({ type: 'integer', example: 30 })
  keepDays: number;

  @ApiProperty({ enum: REMAINDERS, description: REMAINDER })
  remainder: Remainder;

  @ApiProperty({ type: 'integer', example: 100 })
  priority: number;

  @ApiProperty({ ...OPTIONAL_STRING, format: 'date', example: '2026-12-31' })
  dueOn: string | null;

  @ApiProperty({ enum: POOL_STATUSES })
  status: PoolStatus;

  @ApiProperty({ ...MONEY, example: 675_000, description: 'Sum that donations have drawn' })
  drawn: number;

  @ApiProperty({ ...MONEY, example: 0, description: 'Sum that is kept for unpaid pledges' })
  kept: number;

  @ApiProperty({ ...MONEY, example: 325_000 })
  left: number;

  @ApiProperty({ type: 'integer', example: 87, description: 'Number of donations that have drawn' })
  gifts: number;

  @ApiProperty({ ...MONEY, example: 0, description: 'Amount that the matcher has paid, without refunds' })
  settled: number;

  @ApiProperty({ ...MONEY, example: 675_000, description: 'Amount that the matcher still has to pay' })
  due: number;

  @ApiProperty({ ...MONEY, example: 0, description: 'Amount that the matcher has paid above the owed sum' })
  overpaid: number;

  @ApiProperty(OPTIONAL_TIME)
  usedUpAt: string | null;

  @ApiProperty(OPTIONAL_TIME)
  endedAt: string | null;

  @ApiProperty(OPTIONAL_TIME)
  settledAt: string | null;

  @ApiProperty({ ...OPTIONAL_STRING, example: null })
  settledNote: string | null;

  @ApiProperty({ type: 'integer', example: 3, description: 'Send it with a change' })
  version: number;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty(TIME)
  updatedAt: string;
}

export class MatchPoolList {
  @ApiProperty({ type: [MatchPoolDto], description: 'Newest first' })
  data: MatchPoolDto[];
}

export class MatchDrawDto {
  @ApiProperty(ID)
  donationId: string;

  @ApiProperty({ ...MONEY, example: 5_000, description: 'Amount of the donation' })
  donationAmount: number;

  @ApiProperty({
    ...MONEY,
    example: 5_000,
    description: 'Part of the donation that the pool was asked to match',
  })
  base: number;

  @ApiProperty({ ...MONEY, example: 5_000 })
  amount: number;

  @ApiProperty({ ...MONEY, example: 0 })
  kept: number;

  @ApiProperty({ enum: ['drawn', 'kept', 'released'] })
  state: 'drawn' | 'kept' | 'released';

  @ApiProperty({ ...OPTIONAL_STRING, example: '2026-00042' })
  receiptNumber: string | null;

  @ApiProperty({ ...TIME, description: 'When the donor gave, or made the pledge' })
  givenAt: string;

  @ApiProperty(TIME)
  changedAt: string;
}

export class MatchDrawList {
  @ApiProperty({ type: [MatchDrawDto], description: 'Newest donation first' })
  data: MatchDrawDto[];

  @ApiProperty({ ...OPTIONAL_STRING, description: 'For the next page; null on the last page' })
  nextCursor: string | null;
}

export class DeletedMatchPool {
  @ApiProperty(ID)
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}

const positive = (amount: bigint) => (amount > 0n ? amount : 0n);
const optionalAmount = (amount: bigint | null) => (amount === null ? null : toJsonAmount(amount));
const optionalTime = (time: Date | null) => time?.toISOString() ?? null;

export const toMatchPool = (row: PoolWithSums): MatchPoolDto => ({
  id: row.id,
  eventId: row.event_id,
  name: row.name,
  matcherName: row.matcher_name,
  isMatcherAnonymous: row.is_matcher_anonymous,
  matcherEmail: row.matcher_email,
  logo: row.logo,
  url: row.url,
  cap: toJsonAmount(row.cap),
  currency: row.currency,
  ratio: row.ratio,
  perGiftCap: optionalAmount(row.per_gift_cap),
  minGift: optionalAmount(row.min_gift),
  perDonorCap: optionalAmount(row.per_donor_cap),
  kinds: row.kinds === null ? null : [...row.kinds],
  opensAt: optionalTime(row.opens_at),
  closesAt: optionalTime(row.closes_at),
  graceMinutes: row.grace_minutes,
  pledges: row.keeps_pledges ? 'keep' : 'when_paid',
  keepDays: row.keep_days,
  remainder: row.remainder,
  priority: row.priority,
  dueOn: row.due_on,
  status: row.status,
  drawn: toJsonAmount(row.drawn),
  kept: toJsonAmount(row.kept),
  left: toJsonAmount(row.cap - row.drawn - row.kept),
  gifts: row.gifts,
  settled: toJsonAmount(row.settled),
  due: toJsonAmount(positive(owedOf(row) - row.settled)),
  overpaid: toJsonAmount(positive(row.settled - owedOf(row))),
  usedUpAt: optionalTime(row.used_up_at),
  endedAt: optionalTime(row.ended_at),
  settledAt: optionalTime(row.settled_at),
  settledNote: row.settled_note,
  version: row.version,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});
