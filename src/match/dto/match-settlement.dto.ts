import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  BlankIsAbsent,
  Flag,
  Id,
  Instant,
  MinorUnits,
  OneOf,
  OptionalText,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { DONATION_STATUSES, type DonationStatus } from '../../donations/lifecycle/donation-lifecycle.js';
import { DONATION_TYPES, type DonationType, RECEIVED_TYPES } from '../../donations/store/donation-columns.js';
import { ID, MONEY, TIME } from './match-pool.dto.js';

/** Body of `POST /match-pools/:id/settlements`: a payment, or the id of a donation that is one. */
export class SettleByDonation {
  @ApiPropertyOptional({
    ...ID,
    description:
      'An existing donation that is the payment of the matcher; the other fields are then not used',
  })
  @BlankIsAbsent()
  @Id()
  donationId?: string;

  @ApiPropertyOptional({ example: 'bank_transfer', description: 'Required without `donationId`' })
  @WhenSent()
  @OneOf(RECEIVED_TYPES)
  type?: (typeof RECEIVED_TYPES)[number];

  @WhenSent()
  @MinorUnits({ example: 675_000, description: 'Required without `donationId`; minor units' })
  amount?: number;

  @ApiPropertyOptional({ ...TIME, description: 'When the money arrived; now by default' })
  @BlankIsAbsent()
  @Instant()
  receivedAt?: string;

  @ApiPropertyOptional({
    example: 'Account statement 12',
    description: 'Note of the team about the donation',
  })
  @OptionalText({ max: 1_000, multiline: true })
  note?: string | null;

  @ApiPropertyOptional({
    example: false,
    description: 'True confirms an amount above `donation.confirmOfflineAbove`; without it the answer is 409',
  })
  @WhenSent()
  @Flag()
  confirmed?: boolean;
}

/** A payment of the matcher. */
export class MatchSettlementDto {
  @ApiProperty(ID)
  donationId: string;

  @ApiProperty({ ...MONEY, example: 675_000 })
  amount: number;

  @ApiProperty({ ...MONEY, example: 0 })
  refundedAmount: number;

  @ApiProperty({ enum: DONATION_TYPES })
  type: DonationType;

  @ApiProperty({ enum: DONATION_STATUSES, description: 'Only a COMPLETED donation counts' })
  status: DonationStatus;

  @ApiProperty(TIME)
  receivedAt: string;
}

export class MatchSettlementList {
  @ApiProperty({ type: [MatchSettlementDto], description: 'Newest first' })
  data: MatchSettlementDto[];
}
