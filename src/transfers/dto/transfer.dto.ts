import { ApiProperty } from '@nestjs/swagger';
import { toJsonAmount } from '../../common/money/money.js';
import { TRANSFER_FORMATS, type TransferFormat } from '../transfer-account.js';
import type { OwnTransfer } from '../transfer-references.service.js';

/** The details of a bank transfer, as the donor sees them. */
export class TransferDetailsDto {
  @ApiProperty({
    enum: TRANSFER_FORMATS,
    example: 'epc',
    description: '`epc`: code of the euro area (EPC069-12); `qr_bill`: code of the Swiss QR-bill',
  })
  format: TransferFormat;

  @ApiProperty({ type: 'integer', format: 'int64', example: 2500, description: 'Minor units' })
  amount: number;

  @ApiProperty({ enum: ['EUR', 'CHF'], example: 'EUR' })
  currency: 'EUR' | 'CHF';

  @ApiProperty({ example: 'Example Foundation e.V.', description: 'Account holder' })
  name: string;

  @ApiProperty({ example: 'DE89370400440532013000' })
  iban: string;

  @ApiProperty({ example: 'COBADEFFXXX', description: 'Empty if unknown' })
  bic: string;

  @ApiProperty({
    example: 'RF53299312340000000019',
    description: 'RF reference, or QR reference for a QR-IBAN',
  })
  reference: string;

  @ApiProperty({
    example:
      'BCD\n002\n1\nSCT\n\nExample Foundation e.V.\nDE89370400440532013000\nEUR25.00\nCHAR\nRF53299312340000000019',
    description:
      'Content of the QR code, error correction M. On a QR-bill, the Swiss cross of 7 mm covers the middle of the code of 46 mm. Empty if `transfer.epcCode` is off',
  })
  code: string;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    example: '2026-12-28T19:30:00.000Z',
    description: 'End of the time to pay; null for a pledge. Money that arrives later is still booked',
  })
  expiresAt: string | null;
}

export const toTransferDetails = (own: OwnTransfer): TransferDetailsDto => ({
  format: own.format,
  amount: toJsonAmount(own.amount),
  currency: own.currency,
  name: own.holder.name,
  iban: own.iban,
  bic: own.bic,
  reference: own.reference,
  code: own.payload,
  expiresAt: own.expiresAt?.toISOString() ?? null,
});
