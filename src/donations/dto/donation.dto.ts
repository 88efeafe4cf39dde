import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { AddressDto } from '../../common/validation/address.dto.js';
import { WarningDto } from '../../common/http/warning.js';
import { DONATION_STATUSES, type DonationStatus } from '../lifecycle/donation-lifecycle.js';
import {
  columnsWhere,
  DONATION_COLUMNS,
  DONATION_TYPES,
  type DonationField,
  type DonationRow,
  type DonationType,
  type MessageState,
} from '../store/donation-columns.js';
import { TributeDto } from '../tributes/tribute.dto.js';
import { FIELDS_OF_DONORS } from '../donors/fields-of-donors.js';
import type { Claims, DisputeClaim } from '../store/claims.js';
import { toJsonAmount } from '../../common/money/money.js';

const EXAMPLE_ID = '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f';
const nullable = (description: string, example: string) =>
  ({ type: String, nullable: true, description, example }) as const;

const DONOR_NAME = nullable('The real name, also of an anonymous donation', 'Ada Lovelace');
const DONOR_EMAIL = nullable('The e-mail address', 'ada@example.org');
const MESSAGE = nullable("The donor's message", 'For the new roof');

/** The dispute of an online donation. */
export class DonationDisputeDto {
  @ApiProperty({ enum: ['open', 'won', 'lost'], example: 'open' })
  status: 'open' | 'won' | 'lost';

  @ApiProperty({ type: 'integer', example: 2500, description: 'Disputed amount in minor units' })
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ example: false, description: 'True for an inquiry that has moved no money' })
  isInquiry: boolean;

  @ApiProperty({ example: true, description: 'True if the provider waits for an answer of the charity' })
  needsAnswer: boolean;

  @ApiProperty({ ...nullable('Deadline of the answer', '2026-12-05T23:59:59.000Z'), format: 'date-time' })
  dueBy: string | null;

  @ApiProperty({
    example: true,
    description:
      'True if the provider refuses refunds until the dispute is decided: the answer to a refund is 409 `DONATION_DISPUTED`',
  })
  blocksRefund: boolean;
}

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

  @ApiProperty(DONOR_NAME)
  donorName: string | null;

  @ApiProperty(DONOR_EMAIL)
  donorEmail: string | null;

  @ApiProperty({ example: false, description: 'True if public outputs show `Anonymous`' })
  isAnonymous: boolean;

  @ApiPropertyOptional({
    example: true,
    description: 'True if public outputs show a heart instead of the amount; otherwise absent',
  })
  isAmountHidden?: boolean;

  @ApiProperty(MESSAGE)
  message: string | null;

  @ApiProperty(nullable('Id of the staff member who recorded it', EXAMPLE_ID))
  staffId: string | null;

  @ApiProperty(nullable('Their name at that time', 'Grace Hopper'))
  staffName: string | null;

  @ApiProperty({ type: 'integer', example: 0, description: 'Refunded so far, in minor units' })
  refundedAmount: number;

  @ApiPropertyOptional({
    type: 'integer',
    example: 500,
    description: 'Sum of pending refunds, in minor units; absent if there are none',
  })
  refundPending?: number;

  @ApiPropertyOptional({
    type: DonationDisputeDto,
    description: 'The dispute of the payment, open or decided; absent if there is none',
  })
  dispute?: DonationDisputeDto;

  @ApiPropertyOptional({
    type: 'integer',
    example: 62,
    description:
      'Provider fee of an online payment, in minor units of `feeCurrency`; absent until it is known',
  })
  fee?: number;

  @ApiPropertyOptional({
    type: String,
    example: 'eur',
    description: "Currency of the charity's account at the provider",
  })
  feeCurrency?: string;

  @ApiPropertyOptional({
    type: String,
    example: 'Main Street 1, 12345 Sampletown',
    description:
      'Postal address, if the event asked for it. A structured address is written in the order of its country',
  })
  donorAddress?: string;

  @ApiPropertyOptional({
    type: AddressDto,
    description: 'The structured postal address; absent if the donor gave the address as one text',
  })
  address?: AddressDto;

  @ApiPropertyOptional({
    type: Boolean,
    example: true,
    description: 'True if the donor made the Gift Aid declaration; absent if the page did not ask',
  })
  giftAid?: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    example: 50_000,
    description:
      'Pledged amount of a pledge that was paid with another amount, in minor units; otherwise absent',
  })
  pledgedAmount?: number;

  @ApiPropertyOptional({
    type: 'integer',
    example: 900,
    description:
      'Value of the benefit that the donor received, in minor units. Receipts for the tax office confirm only the amount above it; absent if none was entered',
  })
  benefitValue?: number;

  @ApiPropertyOptional({
    type: String,
    example: 'Dinner',
    description: 'The benefit that the donor received; absent if none was entered',
  })
  benefitText?: string;

  @ApiPropertyOptional({
    type: String,
    example: 'shi-VAWN',
    description: "How a speaker says the donor's name; absent without one",
  })
  donorPronunciation?: string;

  @ApiPropertyOptional({
    example: true,
    description: 'True for an imported donation of an earlier year; otherwise absent',
  })
  isPastDonation?: boolean;

  @ApiPropertyOptional({
    enum: ['held', 'visible'],
    example: 'held',
    description:
      'Only of a record above `live.holdFrom`. `held`: it counts, but walls and pages show it only after a second person approved it; `visible`: somebody approved it',
  })
  wallState?: MessageState;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'The match pool that this donation pays: the payment of a matcher; otherwise absent',
  })
  matchPoolId?: string;

  @ApiPropertyOptional({
    type: TributeDto,
    description: 'In honour or in memory of somebody; absent if the donation is not',
  })
  tribute?: TributeDto;

  @ApiPropertyOptional({
    type: 'integer',
    example: 70,
    description: 'Part of the amount that covers the fee, in minor units',
  })
  coveredFee?: number;

  @ApiPropertyOptional({
    type: String,
    example: '004711',
    description: 'Number of the cheque, or reference of the bank transfer',
  })
  reference?: string;

  @ApiPropertyOptional({
    type: String,
    example: 'Found in the collection box of the bar',
    description: 'Note of the team',
  })
  note?: string;

  @ApiPropertyOptional({
    example: 'table-7',
    description: 'The link or code that led the donor to the donate page; absent if it is not known',
  })
  source?: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description:
      'The guest whose paddle was raised, if the guest list named the donor; the guest may be erased since',
  })
  guestId?: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'Team of the donation: a table, a team or a person; absent for none',
  })
  teamId?: string;

  @ApiPropertyOptional({
    example: 'ideal',
    description:
      "How an online donor paid, in the provider's own word, such as `card`, `ideal`, `twint` or `sepa_debit`; absent until the provider reports it, and for offline donations",
  })
  method?: string;

  @ApiPropertyOptional({
    example: 'apple_pay',
    description: 'The wallet that holds the card, such as `apple_pay`; absent without a wallet',
  })
  wallet?: string;

  @ApiProperty(nullable('Number of the receipt, if one was issued', '2026-000042'))
  receiptNumber: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  createdAt: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  updatedAt: string;

  @ApiProperty({
    ...nullable('Time of the first completion', '2026-11-21T19:30:00.000Z'),
    format: 'date-time',
  })
  completedAt: string | null;

  @ApiProperty({
    format: 'date-time',
    example: '2026-11-21T19:29:58.000Z',
    description: 'Time of recording by the clock of the device if it is plausible, else `createdAt`',
  })
  recordedAt: string;

  @ApiProperty(nullable('Enrolled terminal that recorded it', EXAMPLE_ID))
  terminalId: string | null;

  @ApiProperty(nullable('Paddle number', '117'))
  paddle: string | null;

  @ApiProperty(nullable('Pledge round of the pledge', EXAMPLE_ID))
  roundId: string | null;

  @ApiProperty(nullable('Of a pledge: the online donation that paid it', EXAMPLE_ID))
  paidBy: string | null;
}

const OfKeysToo = () =>
  ApiSchema({
    description: `For an API key without the scope \`read:personal\`, the fields about the donor are absent: ${FIELDS_OF_DONORS.map((field) => `\`${field}\``).join(', ')}`,
  });

/** A donation in answers that API keys get too. The fields of `FIELDS_OF_DONORS` are not required. */
@OfKeysToo()
export class SharedDonationDto extends DonationDto {
  @ApiPropertyOptional(DONOR_NAME)
  override donorName: string | null;

  @ApiPropertyOptional(DONOR_EMAIL)
  override donorEmail: string | null;

  @ApiPropertyOptional(MESSAGE)
  override message: string | null;
}

/** Response to the request that records a donation. */
@OfKeysToo()
export class RecordedDonationDto extends SharedDonationDto {
  @ApiPropertyOptional({
    type: WarningDto,
    description:
      '`RECORDED_AT_REPLACED`: the sent time is impossible, and `recordedAt` is the time of arrival; otherwise absent',
  })
  warning?: WarningDto;
}

/** @param claims pending refunds and the dispute, from `claimsOn` */
export function toDonation(row: DonationRow, claims?: Claims): DonationDto {
  const { refundPending = 0n, dispute = null } = claims ?? {};
  const created = row.created_at.getTime();
  const createdAt = row.created_at.toISOString();
  // All times of a new donation are equal, so this formats the time only once. Formatting every time took a fifth of the
  // recording time.
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
    // JSON omits fields whose value is undefined.
    refundPending: refundPending > 0n ? toJsonAmount(refundPending) : undefined,
    dispute: dispute ? toDispute(dispute) : undefined,
    fee: row.fee === null ? undefined : toJsonAmount(row.fee),
    feeCurrency: row.fee_currency ?? undefined,
    donorAddress: row.donor_address ?? undefined,
    address: row.address ?? undefined,
    giftAid: row.gift_aid ?? undefined,
    isAmountHidden: row.is_amount_hidden || undefined,
    tribute: row.tribute ?? undefined,
    pledgedAmount: row.pledged_amount === null ? undefined : toJsonAmount(row.pledged_amount),
    benefitValue: row.benefit_value === null ? undefined : toJsonAmount(row.benefit_value),
    benefitText: row.benefit_text ?? undefined,
    donorPronunciation: row.donor_pronunciation ?? undefined,
    wallState: row.wall_state ?? undefined,
    isPastDonation: row.is_past_donation || undefined,
    matchPoolId: row.match_pool_id ?? undefined,
    coveredFee: row.covered_fee === null ? undefined : toJsonAmount(row.covered_fee),
    reference: row.reference ?? undefined,
    note: row.note ?? undefined,
    source: row.source ?? undefined,
    guestId: row.guest_id ?? undefined,
    teamId: row.team_id ?? undefined,
    method: row.method ?? undefined,
    wallet: row.wallet ?? undefined,
    receiptNumber: row.receipt_number,
    createdAt,
    updatedAt: textOf(row.updated_at),
    completedAt: row.completed_at && textOf(row.completed_at),
    recordedAt: textOf(row.recorded_at ?? row.created_at),
    terminalId: row.terminal_id,
    paddle: row.paddle,
    roundId: row.round_id,
    paidBy: row.paid_by,
  } satisfies Record<DonationField | ClaimField, unknown>;
}

type ClaimField = 'refundPending' | 'dispute';

const toDispute = ({ amount, dueBy, ...dispute }: DisputeClaim): DonationDisputeDto => ({
  ...dispute,
  amount: toJsonAmount(amount),
  dueBy: dueBy?.toISOString() ?? null,
});

/** Allowed values of `fields`: every field of a donation response. */
export const DONATION_FIELDS = [
  ...columnsWhere(({ field }) => field !== null).map(
    (column) => DONATION_COLUMNS[column].field as DonationField,
  ),
  'refundPending',
  'dispute',
] as const satisfies readonly (keyof DonationDto)[];
export type AnswerField = (typeof DONATION_FIELDS)[number];
