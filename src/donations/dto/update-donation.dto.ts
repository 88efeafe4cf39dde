import { ApiHideProperty } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { DonorFieldsDto } from './record-donation.dto.js';

/** What clients that send whole objects back may include, as long as it is unchanged. */
export const READ_ONLY_FIELDS = [
  'id',
  'eventId',
  'amount',
  'currency',
  'type',
  'status',
  'staffId',
  'staffName',
  'refundedAmount',
  'receiptNumber',
  'createdAt',
  'updatedAt',
  'completedAt',
] as const;

export class UpdateDonationDto extends DonorFieldsDto {
  @ApiHideProperty() @Allow() id?: unknown;
  @ApiHideProperty() @Allow() eventId?: unknown;
  @ApiHideProperty() @Allow() amount?: unknown;
  @ApiHideProperty() @Allow() currency?: unknown;
  @ApiHideProperty() @Allow() type?: unknown;
  @ApiHideProperty() @Allow() status?: unknown;
  @ApiHideProperty() @Allow() staffId?: unknown;
  @ApiHideProperty() @Allow() staffName?: unknown;
  @ApiHideProperty() @Allow() refundedAmount?: unknown;
  @ApiHideProperty() @Allow() receiptNumber?: unknown;
  @ApiHideProperty() @Allow() createdAt?: unknown;
  @ApiHideProperty() @Allow() updatedAt?: unknown;
  @ApiHideProperty() @Allow() completedAt?: unknown;
}
