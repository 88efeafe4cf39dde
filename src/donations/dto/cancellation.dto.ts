import { ApiProperty } from '@nestjs/swagger';
import { toJsonAmount } from '../../common/money/minor-units.js';
import type { RefundRow } from '../money-back.sql.js';
import { DonationDto } from './donation.dto.js';

export class RefundDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  id: string;

  @ApiProperty({ type: 'integer', example: 2500, description: 'Minor units' })
  amount: number;

  @ApiProperty({ enum: ['pending', 'succeeded', 'failed', 'cancelled'], example: 'succeeded' })
  status: string;
}

export class CancellationDto extends DonationDto {
  @ApiProperty({
    type: RefundDto,
    nullable: true,
    description: 'What the provider said; null without a refund by one',
  })
  refund: RefundDto | null;
}

export const toRefund = (row: RefundRow): RefundDto => ({
  id: row.id,
  amount: toJsonAmount(row.amount),
  // `requested` is ours alone: for the caller it is not settled yet.
  status: row.status === 'requested' ? 'pending' : row.status,
});
