import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { toJsonAmount } from '../../common/money/money.js';
import { Day, Id, ListOf, OneOf, WhenSent } from '../../common/validation/field.decorators.js';
import { taxOn } from '../claims/claim-schedule.js';
import type { AdjustmentRow, CandidateRow, ClaimRow, PreviewRow } from '../claims/claims.sql.js';

const EXAMPLE_ID = '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f';
const EXAMPLE_DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const PENCE = { type: 'integer', format: 'int64' } as const;

/** The period of a claim. The days are those of the `timezone` setting. */
export class ClaimPeriodDto {
  @ApiProperty({ example: '2026-04-06', description: 'First day on which the donations were given' })
  @Day()
  from: string;

  @ApiProperty({ example: '2026-11-30', description: 'Last day, not before `from`' })
  @Day()
  to: string;
}

/** Reasons to leave a donation out of a claim. They are fixed, so that the audit log has no personal data. */
export const LEFT_OUT_REASONS = [
  'not_own_money',
  'company',
  'not_taxpayer',
  'unclear',
  'donor_asked',
  'other',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** At most so many donations are left out of one claim. */
const MOST_LEFT_OUT = 200;

export class LeftOutDto {
  @ApiProperty({ example: EXAMPLE_ID, description: 'A donation that the claim would contain' })
  @Id()
  donationId: string;

  @ApiProperty({
    enum: LEFT_OUT_REASONS,
    example: 'not_own_money',
    description:
      '`not_own_money`: paid for other people; `company`; `not_taxpayer`: no UK taxpayer; `unclear`: the declaration is unclear; `donor_asked`; `other`',
  })
  @OneOf(LEFT_OUT_REASONS)
  reason: LeftOutReason;
}

export class NewClaimDto extends ClaimPeriodDto {
  @ApiPropertyOptional({
    type: [LeftOutDto],
    description: 'Donations that this claim leaves out. A later claim can contain them. At most 200',
  })
  @WhenSent()
  @ListOf({ max: MOST_LEFT_OUT })
  @ValidateNested({ each: true })
  @Type(() => LeftOutDto)
  leftOut?: LeftOutDto[];
}

/** A donation that a claim would contain. */
export class ClaimCandidateDto {
  @ApiProperty({ example: EXAMPLE_ID })
  donationId: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Ada Lovelace',
    description: 'Name of the donor; null after the erasure',
  })
  donorName: string | null;

  @ApiProperty({ format: 'date', example: '2026-05-01', description: 'Day of the donation' })
  givenOn: string;

  @ApiProperty({ ...PENCE, example: 2_500, description: 'Amount after refunds in pence' })
  amount: number;
}

export class ClaimCandidatesDto {
  @ApiProperty({ type: [ClaimCandidateDto], description: 'Oldest first, at most 1,000' })
  data: ClaimCandidateDto[];
}

/** A claim before it is made. */
export class ClaimPreviewDto {
  @ApiProperty({ type: 'integer', example: 42, description: 'Donations of the claim, at most 1,000' })
  donations: number;

  @ApiProperty({ ...PENCE, example: 125_000, description: 'Their sum after refunds, in pence' })
  amount: number;

  @ApiProperty({ ...PENCE, example: 31_250, description: 'Gift Aid on the sum, in pence' })
  tax: number;

  @ApiProperty({ type: 'integer', example: 0, description: 'Further donations, for the next claim' })
  waiting: number;

  @ApiProperty({
    type: 'integer',
    example: 1,
    description:
      'Donations that are left out because their benefit is above the limits of HM Revenue and Customs',
  })
  aboveBenefitLimits: number;

  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Donations that are left out because they are not in pounds',
  })
  otherCurrency: number;
}

/** Money of a claimed donation that the donor got back after the claim. */
export class ClaimAdjustmentDto {
  @ApiProperty({ example: EXAMPLE_ID })
  donationId: string;

  @ApiProperty({ type: 'integer', example: 3, description: 'Number of the claim that contains the donation' })
  claimNumber: number;

  @ApiProperty({ ...PENCE, example: 2_500, description: 'Returned money in pence' })
  amount: number;
}

/** A claim of Gift Aid. It never changes. */
export class ClaimDto {
  @ApiProperty({ example: EXAMPLE_ID })
  id: string;

  @ApiProperty({ type: 'integer', example: 4, description: 'Claims are numbered 1, 2, 3 and so on' })
  number: number;

  @ApiProperty({ format: 'date', example: '2026-04-06', description: 'First day of the period' })
  from: string;

  @ApiProperty({ format: 'date', example: '2026-11-30', description: 'Last day of the period' })
  to: string;

  @ApiProperty({ type: 'integer', example: 42 })
  donations: number;

  @ApiProperty({ ...PENCE, example: 125_000, description: 'Sum of the donations in pence' })
  amount: number;

  @ApiProperty({ ...PENCE, example: 31_250, description: 'Gift Aid on the sum, in pence' })
  tax: number;

  @ApiProperty({
    type: [ClaimAdjustmentDto],
    description: 'Money of earlier claims that was returned before this claim',
  })
  adjustments: ClaimAdjustmentDto[];

  @ApiProperty({
    ...PENCE,
    example: 625,
    description: 'Tax on the adjustments in pence: “Previously over-claimed amount” of the schedule',
  })
  overclaimedTax: number;

  @ApiProperty({ example: EXAMPLE_DIGEST, description: 'SHA-256 of the schedule, hexadecimal' })
  digest: string;

  @ApiProperty({ format: 'date-time', example: '2026-12-01T10:00:00.000Z' })
  createdAt: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: EXAMPLE_ID,
    description: 'Id of the user who made the claim',
  })
  createdBy: string | null;
}

export class ClaimsDto {
  @ApiProperty({ type: [ClaimDto], description: 'Newest first' })
  data: ClaimDto[];

  @ApiProperty({
    type: [ClaimAdjustmentDto],
    description: 'Money that was returned after its claim. The next claim contains these adjustments',
  })
  pending: ClaimAdjustmentDto[];
}

export const toPreview = (row: PreviewRow): ClaimPreviewDto => ({
  donations: row.donations,
  amount: toJsonAmount(row.amount),
  tax: toJsonAmount(taxOn(row.amount)),
  waiting: row.waiting,
  aboveBenefitLimits: row.above_limits,
  otherCurrency: row.other_currency,
});

export const toCandidate = (row: CandidateRow): ClaimCandidateDto => ({
  donationId: row.donation_id,
  donorName: row.donor_name,
  givenOn: row.given_on,
  amount: toJsonAmount(row.amount),
});

export const toAdjustment = (row: AdjustmentRow): ClaimAdjustmentDto => ({
  donationId: row.donation_id,
  claimNumber: row.claim_number,
  amount: toJsonAmount(row.amount),
});

export const toClaim = (row: ClaimRow, adjustments: readonly AdjustmentRow[]): ClaimDto => ({
  id: row.id,
  number: row.number,
  from: row.first_day,
  to: row.last_day,
  donations: row.row_count,
  amount: toJsonAmount(row.amount),
  tax: toJsonAmount(taxOn(row.amount)),
  adjustments: adjustments.filter(({ claim_id }) => claim_id === row.id).map(toAdjustment),
  overclaimedTax: toJsonAmount(taxOn(row.adjusted_amount)),
  digest: row.digest.toString('hex'),
  createdAt: row.created_at.toISOString(),
  createdBy: row.actor_id,
});
