import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import type { DonationRow } from '../../../donations/store/donation-columns.js';
import { DONATION_STATUSES, type DonationStatus } from '../../../donations/lifecycle/donation-lifecycle.js';
import type { EventRecord } from '../../../events/event-record.js';
import { toJsonAmount } from '../../../common/money/money.js';
import { tidyEmail } from '../../../common/text/email-address.js';
import type { OwnMatch } from '../../../match/own-matches.service.js';
import { type AwaitedPart, AWAITED_PARTS } from '../../providers/provider-port.js';
import { TransferDetailsDto, toTransferDetails } from '../../../transfers/dto/transfer.dto.js';
import type { OwnTransfer } from '../../../transfers/transfer-references.service.js';
import { Email } from '../../../common/validation/field.decorators.js';

/** State of a donation, as shown to its donor. For an unpaid donation, the provider reports the state. */
export const OWN_DONATION_STATES = [
  'open',
  'processing',
  'unconfirmed',
  'paid',
  'failed',
  'cancelled',
  'refunded',
] as const;

export type OwnDonationState = (typeof OWN_DONATION_STATES)[number];

/** State of an unpaid donation, from the provider. */
export type UnpaidState = Pick<OwnDonationDto, 'state' | 'waitsFor'>;

/** Sums that the match pools of an event add to a donation. */
export class OwnMatchDto {
  @ApiProperty({
    enum: ['pending', 'known'],
    description:
      '`pending`: the pools have not counted the donation yet, usually for less than a second after the payment',
  })
  state: 'pending' | 'known';

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    example: 2500,
    description: 'Sum in minor units of `currency`; 0 while `pending`',
  })
  drawn: number;
}

/** A donation, as shown to its donor. It contains no name, because the donor may have shared the token with others. */
export class OwnDonationDto {
  @ApiProperty({
    enum: OWN_DONATION_STATES,
    example: 'paid',
    description:
      '`open`: not paid yet; `processing`: the provider has not decided yet; `unconfirmed`: the provider did not answer, ' +
      'so the result is unknown',
  })
  state: OwnDonationState;

  @ApiPropertyOptional({
    enum: AWAITED_PARTS,
    example: 'bank',
    description:
      "Only while `processing`, if the provider reports it. `bank`: the donor's bank needs some days; `donor`: the donor must " +
      'still pay a voucher, a code or a transfer',
  })
  waitsFor?: AwaitedPart;

  @ApiProperty({ enum: DONATION_STATUSES, example: 'COMPLETED' })
  status: DonationStatus;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    example: 2500,
    description: "Integer in the currency's minor unit; a partial refund does not change it",
  })
  amount: number;

  @ApiProperty({ type: 'integer', format: 'int64', example: 0, description: 'Refunded amount' })
  refundedAmount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ example: 'summer-gala' })
  eventSlug: string;

  @ApiProperty({ example: 'Summer Gala' })
  eventName: string;

  @ApiProperty({
    example: true,
    description: 'True if `GET /donations/mine/:token/receipt` returns a receipt now',
  })
  receipt: boolean;

  @ApiProperty({
    example: false,
    description:
      'True if the donation has an e-mail address for the receipt. If not, `POST /donations/mine/:token/email` saves one',
  })
  emailKnown: boolean;

  @ApiProperty({ format: 'date-time', example: '2026-12-05T19:30:00.000Z' })
  createdAt: string;

  @ApiPropertyOptional({
    type: () => OwnMatchDto,
    description: 'Sums that match pools add to the donation; absent if the event has no match pool',
  })
  match?: OwnMatchDto;

  @ApiPropertyOptional({
    type: TransferDetailsDto,
    description:
      'Only for an unpaid donation by bank transfer. After its end it is `cancelled`, but a transfer is still booked',
  })
  transfer?: TransferDetailsDto;
}

export class OwnEmailDto {
  @ApiProperty({ example: 'ada@example.org' })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? tidyEmail(value) : value))
  @Email()
  email: string;
}

const SETTLED: Readonly<Record<Exclude<DonationStatus, 'PENDING'>, OwnDonationState>> = {
  COMPLETED: 'paid',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  REFUNDED: 'refunded',
};

export const toOwnDonation = (
  donation: DonationRow,
  event: Pick<EventRecord, 'slug' | 'name'>,
  unpaid: UnpaidState,
  receipts: boolean,
  transfer?: OwnTransfer,
  match: OwnMatch = { state: 'none' },
): OwnDonationDto => ({
  // A failed donation can be in progress again, because a donor may retry a declined card.
  ...(donation.status === 'PENDING' || (donation.status === 'FAILED' && unpaid.state !== 'open')
    ? unpaid
    : { state: SETTLED[donation.status] }),
  status: donation.status,
  amount: toJsonAmount(donation.amount),
  refundedAmount: toJsonAmount(donation.refunded_amount),
  currency: donation.currency,
  eventSlug: event.slug,
  eventName: event.name,
  receipt: receipts && donation.status === 'COMPLETED',
  emailKnown: donation.donor_email !== null,
  createdAt: donation.created_at.toISOString(),
  ...(match.state !== 'none' && { match: toOwnMatch(donation, match) }),
  ...(transfer && { transfer: toTransferDetails(transfer) }),
});

function toOwnMatch({ status }: DonationRow, match: OwnMatch): OwnMatchDto {
  if (match.state === 'known') return { state: 'known', drawn: toJsonAmount(match.drawn) };
  // Only the payment of a donation decides.
  return { state: status === 'COMPLETED' || status === 'PENDING' ? 'pending' : 'known', drawn: 0 };
}
