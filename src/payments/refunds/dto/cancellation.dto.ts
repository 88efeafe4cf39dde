import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { WarningDto } from '../../../common/http/warning.js';
import { Flag, MinorUnits, OptionalText, WhenSent } from '../../../common/validation/field.decorators.js';
import type { AnyRefundRow } from '../../booking/refunds.sql.js';
import { DonationDto } from '../../../donations/dto/donation.dto.js';
import { toJsonAmount } from '../../../common/money/money.js';

export class CancelDonationDto {
  @ApiProperty({ example: true, description: 'True refunds the money to the donor' })
  @Flag()
  shouldRefund: boolean;

  @MinorUnits({
    required: false,
    description: 'Amount to refund, with an `Idempotency-Key`; the full remaining amount by default',
  })
  @WhenSent()
  amount?: number;

  @ApiPropertyOptional({ example: 'Charged twice' })
  @OptionalText({ max: 500 })
  reason?: string | null;
}

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
    description:
      'Current state of the refund; null if there is no refund by a provider and no `Idempotency-Key`',
  })
  refund: RefundDto | null;

  @ApiPropertyOptional({
    type: WarningDto,
    description:
      '`DONOR_NOT_REFUNDED`: the online donation was removed from the books without a refund, so the donor gets no further refund; otherwise absent',
  })
  warning?: WarningDto;
}

export const DONOR_NOT_REFUNDED: WarningDto = {
  code: 'DONOR_NOT_REFUNDED',
  message:
    'The donation was paid online and is removed from the books, but the donor gets no refund. ' +
    "To refund the donor, refund the payment in the provider's dashboard",
};

export const toRefund = (row: AnyRefundRow): RefundDto => ({
  id: row.id,
  amount: toJsonAmount(row.amount),
  // `requested` is an internal status, so the caller receives `pending`.
  status: row.status === 'requested' ? 'pending' : row.status,
});
