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
  @ApiPropertyOptional({ description: 'Arrives at or after; 90 days ago by default' })
  @WhenSent()
  @Instant()
  from?: string;

  @ApiPropertyOptional({ description: 'Arrives before' })
  @WhenSent()
  @Instant()
  to?: string;
}

export class PayoutSumDto {
  @ApiProperty(KIND)
  kind: string;

  @ApiProperty({ ...OPTIONAL_ID, description: 'The event; null for what is no donation of this service' })
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

  @ApiProperty({ ...MONEY, description: 'What arrives at the bank, minor units' })
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ example: 'paid', description: "The provider's own word" })
  status: string;

  @ApiProperty(TIME)
  arrivesAt: string;

  @ApiProperty(TIME)
  createdAt: string;

  @ApiProperty({ example: true, description: 'Whether the provider says what is in it' })
  isItemized: boolean;

  @ApiProperty({
    ...MONEY,
    nullable: true,
    example: 0,
    description:
      '`amount` less the sum of all that is in it: 0 when everything is accounted for; null while not itemized',
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
      '`not_told`: the provider has no list of payouts; `not_permitted`: its key may not read them; `not_read_yet`: they are read once an hour',
  })
  reason: string;
}

export class PayoutsDto {
  @ApiProperty({ type: [PayoutDto], description: 'The last to arrive first, at most 400' })
  data: PayoutDto[];

  @ApiProperty({
    type: [PayoutsUnknownDto],
    description: 'Providers whose payouts are not known here, and why',
  })
  unknown: PayoutsUnknownDto[];
}
