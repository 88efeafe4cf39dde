import { ApiProperty } from '@nestjs/swagger';

export const RECEIPT_STATES = ['valid', 'void', 'replaced'] as const;
export type ReceiptState = (typeof RECEIPT_STATES)[number];
export const VOID_REASONS = ['refunded', 'cancelled'] as const;
export type VoidReason = (typeof VOID_REASONS)[number];

export class CheckedPeriodDto {
  @ApiProperty({ format: 'date', example: '2026-01-01' })
  from: string;

  @ApiProperty({ format: 'date', example: '2026-12-31' })
  to: string;
}

/** The public facts of a receipt, for people who have its code. Contains nothing about the donor. */
export class CheckedReceiptDto {
  @ApiProperty({ enum: RECEIPT_STATES, example: 'valid' })
  state: ReceiptState;

  @ApiProperty({
    enum: VOID_REASONS,
    nullable: true,
    example: null,
    description: 'Reason why the receipt is void; null otherwise',
  })
  reason: VoidReason | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'Time since when the receipt is void or replaced; null if it is valid',
  })
  since: string | null;

  @ApiProperty({ example: '2026-000042' })
  number: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-28T19:42:00.000Z' })
  issuedAt: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-28T19:40:00.000Z',
    description: 'Time of the donation; null for a receipt about several donations',
  })
  givenAt: string | null;

  @ApiProperty({
    type: () => CheckedPeriodDto,
    nullable: true,
    example: null,
    description: 'Days of the donations of a collective receipt; null for one donation',
  })
  period: CheckedPeriodDto | null;

  @ApiProperty({ type: 'integer', example: 5000, description: 'Amount on the receipt in minor units' })
  amount: number;

  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Part of the amount that was refunded, in minor units',
  })
  refundedAmount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;

  @ApiProperty({ example: 'Harbour Children’s Fund e. V.', description: 'Legal name of the organization' })
  organization: string;

  @ApiProperty({ example: '17/123/45678', description: 'Tax number of the organization; may be empty' })
  taxId: string;
}
