import { ApiProperty } from '@nestjs/swagger';
import { PledgeRoundDto, type PledgeRoundRow, toPledgeRound } from './pledge.dto.js';
import { toJsonAmount } from '../../common/money/money.js';

const COUNT = { type: 'integer', example: 12 } as const;
const SUM = { type: 'integer', format: 'int64', example: 600_000 } as const;

export class PledgeSumDto {
  @ApiProperty(COUNT)
  count: number;

  @ApiProperty({ ...SUM, description: 'Minor units' })
  sum: number;
}

export class PledgeFatesDto {
  @ApiProperty({ type: PledgeSumDto, description: 'Unpaid pledges; the sum is the pledged amount' })
  open: PledgeSumDto;

  @ApiProperty({
    type: PledgeSumDto,
    description: 'Pledges paid at the till or online; the sum is the amount in the totals, after refunds',
  })
  kept: PledgeSumDto;

  @ApiProperty({ type: PledgeSumDto, description: 'Kept pledges that were paid at the till' })
  keptAtTill: PledgeSumDto;

  @ApiProperty({ type: PledgeSumDto, description: 'Kept pledges that were paid by payment links' })
  keptOnline: PledgeSumDto;

  @ApiProperty({
    type: PledgeSumDto,
    description:
      'Count: paid pledges that were then fully refunded or removed from the books. Sum: all returned money, also from partial refunds of kept pledges',
  })
  returned: PledgeSumDto;

  @ApiProperty({
    type: PledgeSumDto,
    description:
      'Pledges that were undone, cancelled or removed from the books, and are in no other figure; the sum is the pledged amount',
  })
  withdrawn: PledgeSumDto;
}

/** A pledge round with the results of its pledges. `open`, `kept` and `returned` add up to `count`. */
export class PledgeConversionDto extends PledgeRoundDto {
  @ApiProperty({ type: PledgeFatesDto })
  pledges: PledgeFatesDto;
}

export class PledgeConversionTotalDto extends PledgeSumDto {
  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ type: PledgeFatesDto })
  pledges: PledgeFatesDto;
}

export class PledgeConversionList {
  @ApiProperty({ type: [PledgeConversionDto], description: 'Newest first, at most 200' })
  data: PledgeConversionDto[];

  @ApiProperty({
    type: [PledgeConversionTotalDto],
    description: 'Sum of all rounds of the event, by currency',
  })
  totals: PledgeConversionTotalDto[];
}

interface Fates {
  readonly open: number;
  readonly open_sum: bigint;
  readonly at_till: number;
  readonly at_till_sum: bigint;
  readonly online: number;
  readonly online_sum: bigint;
  readonly returned: number;
  readonly returned_sum: bigint;
  readonly withdrawn: number;
  readonly withdrawn_sum: bigint;
}

/** A pledge round row with the results of its pledges. */
export type ConversionRow = PledgeRoundRow & Fates;

/** Results of all rounds in one currency, added up. */
export type ConversionTotalRow = { readonly id: null } & Fates &
  Pick<PledgeRoundRow, 'currency' | 'pledges' | 'promised'>;

const sumOf = (count: number, sum: bigint): Pick<PledgeSumDto, keyof PledgeSumDto> => ({
  count,
  sum: toJsonAmount(sum),
});

const toFates = (row: Fates): PledgeFatesDto => ({
  open: sumOf(row.open, row.open_sum),
  kept: sumOf(row.at_till + row.online, row.at_till_sum + row.online_sum),
  keptAtTill: sumOf(row.at_till, row.at_till_sum),
  keptOnline: sumOf(row.online, row.online_sum),
  returned: sumOf(row.returned, row.returned_sum),
  withdrawn: sumOf(row.withdrawn, row.withdrawn_sum),
});

export const toConversion = (row: ConversionRow): PledgeConversionDto => ({
  ...toPledgeRound(row),
  pledges: toFates(row),
});

export const toConversionTotal = (row: ConversionTotalRow): PledgeConversionTotalDto => ({
  currency: row.currency,
  ...sumOf(row.pledges, row.promised),
  pledges: toFates(row),
});
