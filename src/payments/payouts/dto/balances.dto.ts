import { ApiProperty } from '@nestjs/swagger';

export const BALANCE_STATES = ['known', 'not_permitted', 'not_offered', 'unavailable'] as const;
export type BalanceState = (typeof BALANCE_STATES)[number];

/** Money of one currency, in minor units. */
class CurrencyBalanceDto {
  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    example: 125_000,
    description: 'Ready for the next payout',
  })
  available: number;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    example: 48_000,
    description: 'Still held back by the provider',
  })
  pending: number;
}

class ProviderBalanceDto {
  @ApiProperty({ example: 'acme_wallet' })
  provider: string;

  @ApiProperty({
    enum: BALANCE_STATES,
    description:
      '`not_permitted`: the key has no permission to read the balance; `not_offered`: the provider shows no balance; `unavailable`: the provider did not answer',
  })
  state: BalanceState;

  @ApiProperty({ type: [CurrencyBalanceDto], description: 'Empty unless the state is `known`' })
  balances: CurrencyBalanceDto[];

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    example: '2026-11-21T18:00:00.000Z',
    description: 'Time of the answer of the provider; null unless the state is `known`',
  })
  asOf: string | null;
}

/** Answer of `GET /payouts/balance`. */
export class BalancesDto {
  @ApiProperty({ type: [ProviderBalanceDto] })
  data: ProviderBalanceDto[];
}
