import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { WarningDto } from '../../common/http/warning.js';
import { DONATION_STATUSES, type DonationStatus } from '../lifecycle/donation-lifecycle.js';
import {
  columnsWhere,
  DONATION_COLUMNS,
  DONATION_TYPES,
  type DonationField,
  type DonationRow,
  type DonationType,
} from '../store/donation-columns.js';
import { toJsonAmount } from '../../common/money/money.js';

const EXAMPLE_ID = '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f';
const nullable = (description: string, example: string) =>
  ({ type: String, nullable: true, description, example }) as const;

/** A donation as shown to admins, and to staff for their own records. */
export class DonationDto {
  @ApiProperty({ example: EXAMPLE_ID })
  id: string;

  @ApiProperty({ example: EXAMPLE_ID })
  eventId: string;

  @ApiProperty({ type: 'integer', example: 2500, description: "Integer in the currency's minor unit" })
  amount: number;

  @ApiProperty({ example: 'eur', description: 'ISO 4217, lower case' })
  currency: string;

  @ApiProperty({ enum: DONATION_TYPES, example: 'cash' })
  type: DonationType;

  @ApiProperty({ enum: DONATION_STATUSES, example: 'COMPLETED' })
  status: DonationStatus;

  @ApiProperty(nullable('The real name, also of an anonymous donation', 'Ada Lovelace'))
  donorName: string | null;

  @ApiProperty(nullable('The e-mail address', 'ada@example.org'))
  donorEmail: string | null;

  @ApiProperty({ example: false, description: 'Whether public outputs show `Anonymous`' })
  isAnonymous: boolean;

  @ApiProperty(nullable("The donor's message", 'For the new roof'))
  message: string | null;

  @ApiProperty(nullable('Who recorded it', EXAMPLE_ID))
  staffId: string | null;

  @ApiProperty(nullable('Their name at that time', 'Grace Hopper'))
  staffName: string | null;

  @ApiProperty({ type: 'integer', example: 0, description: 'Given back so far, in minor units' })
  refundedAmount: number;

  @ApiPropertyOptional({
    type: 'integer',
    example: 500,
    description: 'On its way back to the donor, in minor units; absent when nothing is',
  })
  refundPending?: number;
  @ApiPropertyOptional({
    type: 'integer',
    example: 62,
    description:
      'What the provider kept of an online payment, in minor units of `feeCurrency`; absent until it says so',
  })
  fee?: number;

  @ApiPropertyOptional({
    type: String,
    example: 'eur',
    description: "The currency of the charity's account at the provider",
  })
  feeCurrency?: string;

  @ApiPropertyOptional({
    type: String,
    example: 'Main Street 1, 12345 Sampletown',
    description: 'Postal address, where the event asked for it',
  })
  donorAddress?: string;

  @ApiPropertyOptional({
    type: Boolean,
    example: true,
    description: 'Whether the donor made the Gift Aid declaration; absent where nobody asked',
  })
  giftAid?: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    example: 70,
    description: 'What of the amount the donor added for the fee, in minor units',
  })
  coveredFee?: number;

  @ApiProperty(nullable('Number of the receipt, once one was issued', '2026-000042'))
  receiptNumber: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  createdAt: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  updatedAt: string;

  @ApiProperty({
    ...nullable('When it was first completed', '2026-11-21T19:30:00.000Z'),
    format: 'date-time',
  })
  completedAt: string | null;

  @ApiProperty({
    format: 'date-time',
    example: '2026-11-21T19:29:58.000Z',
    description: 'When it was taken: the time of the device where that was sent and can be, else `createdAt`',
  })
  recordedAt: string;

  @ApiProperty(nullable('The enrolled terminal it was recorded on', EXAMPLE_ID))
  terminalId: string | null;

  @ApiProperty(nullable('The paddle that was held up', '117'))
  paddle: string | null;

  @ApiProperty(nullable('The pledge round it belongs to', EXAMPLE_ID))
  roundId: string | null;

  @ApiProperty(nullable('Of a pledge: the online donation that paid it', EXAMPLE_ID))
  paidBy: string | null;
}

/** Response to a new record. */
export class RecordedDonationDto extends DonationDto {
  @ApiPropertyOptional({
    type: WarningDto,
    description:
      '`RECORDED_AT_REPLACED`: the time that was sent cannot be, and `recordedAt` is the time of arrival; absent otherwise',
  })
  warning?: WarningDto;
}

/** @param refundPending pending refunds in minor units, from `refundsPending` */
export function toDonation(row: DonationRow, refundPending = 0n): DonationDto {
  const created = row.created_at.getTime();
  const createdAt = row.created_at.toISOString();
  // All times of a new donation are equal. Formatting each of them took a fifth of the recording time.
  const textOf = (time: Date): string => (time.getTime() === created ? createdAt : time.toISOString());
  return {
    id: row.id,
    eventId: row.event_id,
    amount: toJsonAmount(row.amount),
    currency: row.currency,
    type: row.type,
    status: row.status,
    donorName: row.donor_name,
    donorEmail: row.donor_email,
    isAnonymous: row.is_anonymous,
    message: row.message,
    staffId: row.staff_id,
    staffName: row.staff_name,
    refundedAmount: toJsonAmount(row.refunded_amount),
    // JSON omits undefined.
    refundPending: refundPending > 0n ? toJsonAmount(refundPending) : undefined,
    fee: row.fee === null ? undefined : toJsonAmount(row.fee),
    feeCurrency: row.fee_currency ?? undefined,
    donorAddress: row.donor_address ?? undefined,
    giftAid: row.gift_aid ?? undefined,
    coveredFee: row.covered_fee === null ? undefined : toJsonAmount(row.covered_fee),
    receiptNumber: row.receipt_number,
    createdAt,
    updatedAt: textOf(row.updated_at),
    completedAt: row.completed_at && textOf(row.completed_at),
    recordedAt: textOf(row.recorded_at ?? row.created_at),
    terminalId: row.terminal_id,
    paddle: row.paddle,
    roundId: row.round_id,
    paidBy: row.paid_by,
  } satisfies Record<DonationField | 'refundPending', unknown>;
}

/** Allowed values of `fields`: every field of a donation response. */
export const DONATION_FIELDS = [
  ...columnsWhere(({ field }) => field !== null).map(
    (column) => DONATION_COLUMNS[column].field as DonationField,
  ),
  'refundPending',
] as const satisfies readonly (keyof DonationDto)[];
export type AnswerField = (typeof DONATION_FIELDS)[number];
