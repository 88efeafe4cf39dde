import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Instant, WhenSent } from '../../../common/validation/field.decorators.js';
import { PAYOUT_ITEM_KINDS } from '../../providers/provider-port.js';

const MONEY = { type: 'integer', format: 'int64', example: 12_500, description: 'Minor units' } as const;
const OPTIONAL_ID = {
  type: String,
  nullable: true,
  example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
} as const;
const TIME = { format: 'date-time', example: '2026-11-24T00:00:00.000Z' } as const;
const KIND = { enum: PAYOUT_ITEM_KINDS, example: 'payment' } as const;

export class PayoutsQuery {
  @ApiPropertyOptional({ description: 'Earliest arrival at the bank; 90 days ago by default' })
  @WhenSent()
  @Instant()
  from?: string;

  @ApiPropertyOptional({ description: 'Arrival at the bank before this time' })
  @WhenSent()
  @Instant()
  to?: string;
}

export class PayoutSumDto {
  @ApiProperty(KIND)
  kind: string;

  @ApiProperty({ ...OPTIONAL_ID, description: 'The event; null if it is not a donation of this service' })
  eventId: string | null;

  @ApiProperty({ type: 'integer', example: 4 })
  count: number;

  @ApiProperty(MONEY)
  amount: number;

  @ApiProperty(MONEY)
  fee: number;

  @ApiProperty({ ...MONEY, description: '`amount` less `fee`' })
  net: number;
}

export class PayoutItemDto {
  @ApiProperty({ example: 'txn_3Qk' })
  itemId: string;

  @ApiProperty(KIND)
  kind: string;

  @ApiProperty(MONEY)
  amount: number;

  @ApiProperty(MONEY)
  fee: number;

  @ApiProperty(MONEY)
  net: number;

  @ApiProperty(TIME)
  at: string;

  @ApiProperty({ type: String, nullable: true, example: 'pi_3Qk' })
  paymentId: string | null;

  @ApiProperty(OPTIONAL_ID)
  donationId: string | null;

  @ApiProperty(OPTIONAL_ID)
  eventId: string | null;
}

/** Money that a provider sent to the charity's bank. */
export class PayoutDto {
  @ApiProperty({ example: 'acme_bank' })
  provider: string;

  @ApiProperty({ example: 'po_3Qk' })
  payoutId: string;

  @ApiProperty({ ...MONEY, description: 'Amount that arrives at the bank, minor units' })
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ example: 'paid', description: 'Status in the words of the provider' })
  status: string;

  @ApiProperty(TIME)
  arrivesAt: string;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty({ example: true, description: 'True if the provider lists the contents of the payout' })
  isItemized: boolean;

  @ApiProperty({
    ...MONEY,
    nullable: true,
    example: 0,
    description:
      '`amount` less the sum of all items; 0 if the items explain the payout; null while there is no list of items',
  })
  difference: number | null;

  @ApiProperty({ type: [PayoutSumDto] })
  sums: PayoutSumDto[];

  @ApiProperty({
    type: [PayoutItemDto],
    description: 'The first 500; `GET /donations?payoutId=` lists all donations',
  })
  items: PayoutItemDto[];
}

export class PayoutsUnknownDto {
  @ApiProperty({ example: 'acme_wallet' })
  provider: string;

  @ApiProperty({
    enum: ['not_told', 'not_permitted', 'not_read_yet'],
    description:
      '`not_told`: the provider offers no list of payouts; `not_permitted`: the key has no permission to read them; `not_read_yet`: the hourly read has not run yet',
  })
  reason: string;
}

export class PayoutsDto {
  @ApiProperty({ type: [PayoutDto], description: 'Sorted by arrival, the latest first; at most 400' })
  data: PayoutDto[];

  @ApiProperty({
    type: [PayoutsUnknownDto],
    description: 'Providers without known payouts, with the reason',
  })
  unknown: PayoutsUnknownDto[];
}
