import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Currency, WhenSent } from '../../../common/validation/field.decorators.js';
import { DONATION_TYPES, type DonationType } from '../../../donations/store/donation-columns.js';
import {
  type Explanation,
  type Line,
  LINE_KINDS,
  type LineFilter,
  type LineKind,
  MATCH_LINE_KINDS,
  type MatchLine,
  type MatchLineFilter,
} from '../explanation.js';
import type { ExplanationWithLedger, Ledger, LedgerSum } from '../ledger.js';
import { toJsonAmount } from '../../../common/money/money.js';

const AMOUNT = {
  type: 'integer',
  format: 'int64',
  example: 12_500,
  description: "Integer in the currency's minor unit",
} as const;
const COUNT = { type: 'integer', example: 4 } as const;
const FILTER = {
  type: 'object',
  additionalProperties: true,
  example: {
    eventId: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
    currency: 'eur',
    status: 'COMPLETED',
    type: 'cash',
  },
  description: 'The query of GET /donations that lists exactly these rows',
} as const;
const CODE = { example: 'eur', description: 'ISO 4217, lower case' } as const;

export class ExplainQuery {
  @ApiPropertyOptional({ description: "ISO 4217; the event's own by default", example: 'eur' })
  @WhenSent()
  @Currency()
  currency?: string;
}

export class TotalLineDto {
  @ApiProperty({
    enum: LINE_KINDS,
    description:
      '`counted`: received; `refunded`, `disputed`: returned by refunds and lost disputes; the other lines are in no total',
  })
  kind: LineKind;

  @ApiProperty({ enum: DONATION_TYPES, example: 'cash' })
  type: DonationType;

  @ApiProperty({ ...COUNT, description: 'Number of donations' })
  count: number;

  @ApiProperty({ ...AMOUNT, description: `${AMOUNT.description}; negative if it reduces the total` })
  amount: number;

  @ApiProperty({ example: true, description: 'The amounts of these lines add up to the total' })
  inTotal: boolean;

  @ApiProperty(FILTER)
  filter: LineFilter;
}

/** Money of a match pool. It is in no total. */
export class MatchLineDto {
  @ApiProperty({
    enum: MATCH_LINE_KINDS,
    description:
      '`matched`: drawn by donations; `kept`: kept for unpaid pledges; `settled`: paid by the matcher, and so already part of the total',
  })
  kind: MatchLine['kind'];

  @ApiProperty({ format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  poolId: string;

  @ApiProperty({ example: 'Double your donation', description: 'Name of the pool' })
  pool: string;

  @ApiProperty({ ...COUNT, description: 'Number of donations' })
  count: number;

  @ApiProperty(AMOUNT)
  amount: number;

  @ApiProperty({
    ...FILTER,
    example: {
      eventId: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
      currency: 'eur',
      matchPoolId: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
      matchPart: 'drawn',
    },
  })
  filter: MatchLineFilter;
}

export class UnderDisputeDto {
  @ApiProperty(COUNT)
  count: number;

  @ApiProperty(AMOUNT)
  amount: number;

  @ApiProperty(FILTER)
  filter: LineFilter;
}

export class LedgerSumDto {
  @ApiProperty(COUNT)
  count: number;

  @ApiProperty(AMOUNT)
  amount: number;
}

/** All money of one currency, from the payments of the donors to the payouts to the bank. */
export class LedgerDto {
  @ApiProperty({ type: LedgerSumDto, description: 'All payments that arrived, also those refunded later' })
  received: LedgerSumDto;

  @ApiProperty({ type: LedgerSumDto, description: 'Full and partial refunds' })
  refunded: LedgerSumDto;

  @ApiProperty({ type: LedgerSumDto, description: 'Lost in disputes' })
  lost: LedgerSumDto;

  @ApiProperty({ ...AMOUNT, description: '`received` less `refunded` less `lost`' })
  total: number;

  @ApiProperty({ type: LedgerSumDto, description: 'Known provider fees in this currency' })
  fees: LedgerSumDto;

  @ApiProperty({ ...COUNT, example: 0, description: 'Payments whose fee is not known yet' })
  feesUnknown: number;

  @ApiProperty({
    ...COUNT,
    example: 0,
    description: 'Payments and disputes whose fee is in another currency',
  })
  feesElsewhere: number;

  @ApiProperty({ type: LedgerSumDto, description: 'Fees of disputes in this currency' })
  disputeFees: LedgerSumDto;

  @ApiProperty({
    ...AMOUNT,
    type: 'integer',
    nullable: true,
    description: '`total` less `fees` less `disputeFees`; null while a fee is not known in this currency',
  })
  bank: number | null;

  @ApiProperty({ type: LedgerSumDto, description: 'Pledges that are not paid; in no total' })
  pledged: LedgerSumDto;
}

/** A total with the lines that add up to it. */
export class TotalExplainedDto {
  @ApiProperty(CODE)
  currency: string;

  @ApiProperty(AMOUNT)
  total: number;

  @ApiProperty({
    ...COUNT,
    description:
      'Distinct donors of each event; a donor of two events counts twice in the sum over all events',
  })
  donorCount: number;

  @ApiProperty({ type: [TotalLineDto] })
  lines: TotalLineDto[];

  @ApiProperty({ type: UnderDisputeDto, description: 'Part of the total that a bank may still return' })
  underDispute: UnderDisputeDto;

  @ApiPropertyOptional({ type: LedgerDto, description: 'Only in the total of one event' })
  ledger?: LedgerDto;

  @ApiPropertyOptional({
    type: [MatchLineDto],
    description: 'Match pools, outside the total. Only in the total of one event',
  })
  matches?: MatchLineDto[];
}

export class AllTotalsExplainedDto {
  @ApiProperty({ type: [TotalExplainedDto], description: 'One entry for each currency' })
  data: TotalExplainedDto[];
}

export class FilterSumDto {
  @ApiProperty(CODE)
  currency: string;

  @ApiProperty(COUNT)
  count: number;

  @ApiProperty({ ...AMOUNT, description: 'Sum of all rows of the filter in any status; minor units' })
  amount: number;

  @ApiProperty(AMOUNT)
  refunded: number;

  @ApiProperty({ ...AMOUNT, description: '`amount` less `refunded`' })
  net: number;

  @ApiProperty({
    ...AMOUNT,
    description: 'Part that counts in the totals of events: COMPLETED, less refunds',
  })
  inTotals: number;

  @ApiProperty({
    ...AMOUNT,
    description: 'Money that arrived: COMPLETED and REFUNDED. `received` less refunds is `inTotals`',
  })
  received: number;

  @ApiProperty({ ...AMOUNT, description: 'Pledges and payments that are not paid yet: PENDING' })
  unpaid: number;
}

export class DonationTotalsDto {
  @ApiProperty({ type: [FilterSumDto] })
  byCurrency: FilterSumDto[];

  @ApiPropertyOptional({
    example: true,
    description:
      'Present for staff with an open shift. Sums then contain no cash, because the count of the drawer is blind',
  })
  withoutCash?: true;
}

const toLine = ({ kind, type, count, amount, inTotal, filter }: Line): TotalLineDto => ({
  kind,
  type,
  count,
  amount: toJsonAmount(amount),
  inTotal,
  filter,
});

const toMatchLine = (line: MatchLine): MatchLineDto => ({
  ...line,
  amount: toJsonAmount(line.amount),
});

const toLedgerSum = ({ count, amount }: LedgerSum): LedgerSumDto => ({ count, amount: toJsonAmount(amount) });

const toLedger = (ledger: Ledger): LedgerDto => ({
  received: toLedgerSum(ledger.received),
  refunded: toLedgerSum(ledger.refunded),
  lost: toLedgerSum(ledger.lost),
  total: toJsonAmount(ledger.total),
  fees: toLedgerSum(ledger.fees),
  feesUnknown: ledger.feesUnknown,
  feesElsewhere: ledger.feesElsewhere,
  disputeFees: toLedgerSum(ledger.disputeFees),
  bank: ledger.bank === null ? null : toJsonAmount(ledger.bank),
  pledged: toLedgerSum(ledger.pledged),
});

export const toTotalExplained = (
  explained: Explanation & Partial<ExplanationWithLedger>,
  matches?: readonly MatchLine[],
): TotalExplainedDto => ({
  currency: explained.currency,
  total: toJsonAmount(explained.total),
  donorCount: explained.donorCount,
  lines: explained.lines.map(toLine),
  underDispute: { ...explained.underDispute, amount: toJsonAmount(explained.underDispute.amount) },
  ...(explained.ledger && { ledger: toLedger(explained.ledger) }),
  ...(matches && { matches: matches.map(toMatchLine) }),
});
