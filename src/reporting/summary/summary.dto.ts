import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OneOf, WhenSent } from '../../common/validation/field.decorators.js';
import { localIso } from '../../common/text/local-time.js';
import { DONATION_TYPES } from '../../donations/store/donation-columns.js';
import { TotalExplainedDto, toTotalExplained } from '../explain/dto/explain.dto.js';
import type { PoolFigures, PoolSum } from '../../match/pool-reports.service.js';
import { POOL_STATUSES, type PoolStatus } from '../../match/pool-status.js';
import { PayoutsDto } from '../../payments/payouts/dto/payouts.dto.js';
import { PledgeConversionList } from '../../pledges/dto/pledge-conversion.dto.js';
import { cashDifference, type CurrencySummary, type FeeSum, type ShiftCash, type Sum } from './summary.js';
import { toJsonAmount } from '../../common/money/money.js';

export const SUMMARY_FORMATS = ['json', 'csv', 'pdf'] as const;

const MONEY = { type: 'integer', format: 'int64', example: 12_500, description: 'Minor units' } as const;
const COUNT = { type: 'integer', example: 4 } as const;
const NAME = { type: String, nullable: true } as const;

export class SummaryQuery {
  @ApiPropertyOptional({ default: 'json' })
  @WhenSent()
  @OneOf(SUMMARY_FORMATS)
  format?: (typeof SUMMARY_FORMATS)[number];
}

export class SumDto {
  @ApiProperty(COUNT)
  count: number;

  @ApiProperty(MONEY)
  amount: number;

  @ApiProperty(MONEY)
  refunded: number;

  @ApiProperty({ ...MONEY, description: '`amount` less `refunded`, minor units' })
  net: number;
}

export class MethodSumDto extends SumDto {
  @ApiProperty({
    ...NAME,
    example: 'ideal',
    description: "The provider's word; null for the donations whose method is not known",
  })
  method: string | null;

  @ApiProperty({ ...NAME, example: 'apple_pay', description: 'Null without a wallet' })
  wallet: string | null;
}

export class TypeSumDto extends SumDto {
  @ApiProperty({ enum: DONATION_TYPES, example: 'cash' })
  type: string;

  @ApiProperty({ type: [MethodSumDto], description: 'By payment method; empty if no method is known' })
  methods: MethodSumDto[];
}

export class StaffSumDto extends SumDto {
  @ApiProperty({
    ...NAME,
    description: 'Null for donations that no member recorded',
    example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
  })
  staffId: string | null;

  @ApiProperty({ ...NAME, example: 'Maria Lopez' })
  staffName: string | null;
}

export class TerminalSumDto extends SumDto {
  @ApiProperty({
    ...NAME,
    description: 'Null for donations that were not recorded on an enrolled terminal',
    example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
  })
  terminalId: string | null;

  @ApiProperty({ ...NAME, example: 'Bar' })
  terminalName: string | null;
}

export class HourSumDto extends SumDto {
  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:00:00.000Z' })
  from: string;

  @ApiProperty({
    example: '2026-11-21T20:00:00+01:00',
    description: "In the event's time zone",
  })
  local: string;
}

export class FeeSumDto {
  @ApiProperty({ example: 'usd' })
  currency: string;

  @ApiProperty(MONEY)
  amount: number;
}

export class FeesDto {
  @ApiProperty({ ...COUNT, description: 'Number of payments with a known fee' })
  known: number;

  @ApiProperty({ ...COUNT, description: 'Number of payments without a known fee' })
  unknown: number;

  @ApiProperty({ ...MONEY, description: 'In the currency of the block, minor units' })
  amount: number;

  @ApiProperty({
    type: [FeeSumDto],
    description: "Fees in other currencies, if the charity's account has another currency",
  })
  others: FeeSumDto[];

  @ApiProperty({ type: [FeeSumDto], description: 'Fees of disputes, by currency' })
  disputes: FeeSumDto[];
}

export class RefundsSumDto {
  @ApiProperty({ ...COUNT, description: 'Number of donations with a refund' })
  count: number;

  @ApiProperty(MONEY)
  amount: number;

  @ApiProperty({ ...MONEY, description: 'Pending refunds, still in the total, minor units' })
  pending: number;
}

export class DisputesSumDto {
  @ApiProperty(COUNT)
  lost: number;

  @ApiProperty(MONEY)
  lostAmount: number;

  @ApiProperty(COUNT)
  open: number;

  @ApiProperty({ ...MONEY, description: 'Sum of open disputes, still in the total, minor units' })
  openAmount: number;
}

export class CurrencySummaryDto {
  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ type: [TypeSumDto] })
  byType: TypeSumDto[];

  @ApiProperty({ type: [StaffSumDto] })
  byStaff: StaffSumDto[];

  @ApiProperty({ type: [TerminalSumDto] })
  byTerminal: TerminalSumDto[];

  @ApiProperty({ type: [HourSumDto] })
  byHour: HourSumDto[];

  @ApiProperty({ type: SumDto })
  online: SumDto;

  @ApiProperty({ type: SumDto })
  offline: SumDto;

  @ApiProperty({ type: FeesDto })
  fees: FeesDto;

  @ApiProperty({ type: RefundsSumDto })
  refunds: RefundsSumDto;

  @ApiProperty({ type: DisputesSumDto })
  disputes: DisputesSumDto;

  @ApiProperty(COUNT)
  donorCount: number;

  @ApiProperty({ ...MONEY, description: 'Total of the event after refunds and lost disputes' })
  net: number;

  @ApiProperty({ type: TotalExplainedDto })
  explained: TotalExplainedDto;
}

export class SummaryEventDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  id: string;

  @ApiProperty({ example: 'summer-gala' })
  slug: string;

  @ApiProperty({ example: 'Summer Gala' })
  name: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T18:00:00.000Z' })
  date: string;

  @ApiProperty({ example: 'active' })
  status: string;
}

/** Cash of one shift. */
export class ShiftCashDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f', format: 'uuid' })
  shiftId: string;

  @ApiProperty({ example: 'Maria Lopez' })
  staffName: string;

  @ApiProperty({ ...NAME, example: 'Table 4' })
  terminalName: string | null;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ example: '2026-11-21T18:00:00.000Z', format: 'date-time' })
  openedAt: string;

  @ApiProperty({
    ...MONEY,
    nullable: true,
    description: 'Float and recorded cash; null until the drawer is counted',
  })
  expected: number | null;

  @ApiProperty({
    ...MONEY,
    nullable: true,
    description: 'Newest count of the drawer; null until it is counted',
  })
  counted: number | null;

  @ApiProperty({
    ...MONEY,
    nullable: true,
    description: 'Counted less expected; negative: money is missing; null until the drawer is counted',
  })
  difference: number | null;
}

export class PoolSumDto {
  @ApiProperty({ type: 'integer', example: 87, description: 'Number of donations' })
  count: number;

  @ApiProperty({ type: 'integer', format: 'int64', example: 675_000 })
  amount: number;
}

/** A match pool. Its money is in no total, except the payments of the matcher. */
export class PoolSummaryDto {
  @ApiProperty({ format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  poolId: string;

  @ApiProperty({ example: 'Double your donation' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: 'Miller Foundation' })
  matcher: string | null;

  @ApiProperty({ enum: POOL_STATUSES })
  status: PoolStatus;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ type: 'integer', format: 'int64', example: 1_000_000, description: 'Minor units' })
  cap: number;

  @ApiProperty({ type: PoolSumDto })
  drawn: PoolSumDto;

  @ApiProperty({ type: PoolSumDto, description: 'Kept for unpaid pledges' })
  kept: PoolSumDto;

  @ApiProperty({ type: PoolSumDto, description: 'Payments of the matcher without refunds' })
  settled: PoolSumDto;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    example: 675_000,
    description: 'Amount that the matcher still has to pay; negative if the matcher paid too much',
  })
  due: number;

  @ApiProperty({ type: String, nullable: true, format: 'date', example: '2026-12-31' })
  dueOn: string | null;
}

export class EventSummaryDto {
  @ApiProperty({ type: SummaryEventDto })
  event: SummaryEventDto;

  @ApiProperty({ format: 'date-time', example: '2026-11-22T08:00:00.000Z' })
  asOf: string;

  @ApiProperty({ example: 'Europe/Berlin' })
  timezone: string;

  @ApiProperty({ type: [CurrencySummaryDto], description: "The event's currency comes first" })
  currencies: CurrencySummaryDto[];

  @ApiProperty({ type: PayoutsDto, description: 'Payouts with money of this event' })
  payouts: PayoutsDto;

  @ApiProperty({ type: [ShiftCashDto], description: 'Cash of the shifts, oldest first' })
  cash: ShiftCashDto[];

  @ApiProperty({ type: PledgeConversionList, description: 'Outcome of the pledges of a paddle raise' })
  pledgeRounds: PledgeConversionList;

  @ApiProperty({ type: [PoolSummaryDto], description: 'Match pools, oldest first' })
  matchPools: PoolSummaryDto[];
}

const toSum = (sum: Sum): Readonly<Record<keyof SumDto, number>> => ({
  count: sum.count,
  amount: toJsonAmount(sum.amount),
  refunded: toJsonAmount(sum.refunded),
  net: toJsonAmount(sum.net),
});

const toFee = ({ currency, amount }: FeeSum): FeeSumDto => ({ currency, amount: toJsonAmount(amount) });

export const toCurrencySummary = (summary: CurrencySummary, timezone: string): CurrencySummaryDto => ({
  currency: summary.currency,
  byType: summary.byType.map(({ type, methods, ...sum }) => ({
    type,
    ...toSum(sum),
    methods: methods.map(({ method, wallet, ...part }) => ({ method, wallet, ...toSum(part) })),
  })),
  byStaff: summary.byStaff.map(({ staffId, staffName, ...sum }) => ({ staffId, staffName, ...toSum(sum) })),
  byTerminal: summary.byTerminal.map(({ terminalId, terminalName, ...sum }) => ({
    terminalId,
    terminalName,
    ...toSum(sum),
  })),
  byHour: summary.byHour.map(({ from, ...sum }) => ({
    from: from.toISOString(),
    local: localIso(from, timezone),
    ...toSum(sum),
  })),
  online: toSum(summary.online),
  offline: toSum(summary.offline),
  fees: {
    known: summary.fees.known,
    unknown: summary.fees.unknown,
    amount: toJsonAmount(summary.fees.amount),
    others: summary.fees.others.map(toFee),
    disputes: summary.fees.disputes.map(toFee),
  },
  refunds: {
    count: summary.refunds.count,
    amount: toJsonAmount(summary.refunds.amount),
    pending: toJsonAmount(summary.refunds.pending),
  },
  disputes: {
    lost: summary.disputes.lost,
    lostAmount: toJsonAmount(summary.disputes.lostAmount),
    open: summary.disputes.open,
    openAmount: toJsonAmount(summary.disputes.openAmount),
  },
  donorCount: summary.donorCount,
  net: toJsonAmount(summary.net),
  explained: toTotalExplained(summary.explanation),
});

const known = (amount: bigint | null): number | null => (amount === null ? null : toJsonAmount(amount));

export const toShiftCash = (shift: ShiftCash): ShiftCashDto => ({
  shiftId: shift.shiftId,
  staffName: shift.staffName,
  terminalName: shift.terminalName,
  currency: shift.currency,
  openedAt: shift.openedAt.toISOString(),
  expected: known(shift.expected),
  counted: known(shift.counted),
  difference: known(cashDifference(shift)),
});

const toPoolSum = ({ count, amount }: PoolSum): PoolSumDto => ({ count, amount: toJsonAmount(amount) });

export const toPoolSummary = ({
  id,
  cap,
  drawn,
  kept,
  settled,
  due,
  ...pool
}: PoolFigures): PoolSummaryDto => ({
  poolId: id,
  ...pool,
  cap: toJsonAmount(cap),
  drawn: toPoolSum(drawn),
  kept: toPoolSum(kept),
  settled: toPoolSum(settled),
  due: toJsonAmount(due),
});
