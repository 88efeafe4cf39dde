import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PACK_IDS } from '../packs/registry.js';
import { OptionalText, QueryInteger, WhenSent } from '../../common/validation/field.decorators.js';

/** Receipts of a country that stay sealed after the erasure of their donor. */
export class KeptReceiptsDto {
  @ApiProperty({
    enum: PACK_IDS,
    example: 'de',
    description: 'The country whose tax office accepts the receipts',
  })
  country: string;

  @ApiProperty({ type: 'integer', example: 2, description: 'Number of receipts' })
  receipts: number;

  @ApiProperty({ format: 'date', example: '2036-12-31', description: 'Last day on which they are kept' })
  until: string;

  @ApiProperty({ example: '§ 50 (7) EStDV, § 147 AO', description: 'The law that demands it' })
  law: string;
}

export const SEALED_STATES = ['valid', 'void', 'replaced'] as const;

/** A sealed receipt, without its content. */
export class SealedReceiptDto {
  @ApiProperty({ example: '2026-000042' })
  number: string;

  @ApiProperty({ enum: PACK_IDS, example: 'de' })
  country: string;

  @ApiProperty({ example: false, description: 'True for a receipt about several donations of a year' })
  isCollective: boolean;

  @ApiProperty({ enum: SEALED_STATES, example: 'valid' })
  state: (typeof SEALED_STATES)[number];

  @ApiProperty({ format: 'date-time', example: '2026-11-28T19:42:00.000Z' })
  issuedAt: string;

  @ApiProperty({
    format: 'date-time',
    example: '2027-03-02T10:00:00.000Z',
    description: 'Time of the erasure of the donor',
  })
  sealedAt: string;

  @ApiProperty({ format: 'date', example: '2036-12-31', description: 'Last day on which it is kept' })
  keepUntil: string;

  @ApiProperty({ example: '§ 50 (7) EStDV, § 147 AO', description: 'The law that demands it' })
  law: string;
}

export class SealedReceiptListDto {
  @ApiProperty({ type: [SealedReceiptDto] })
  data: SealedReceiptDto[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'For the next page; null on the last',
  })
  cursor: string | null;
}

/** One donation of a sealed receipt. */
export class SealedGiftDto {
  @ApiProperty({ format: 'date', example: '2026-11-28', description: 'Day of the donation' })
  receivedOn: string;

  @ApiProperty({ type: 'integer', example: 5000, description: 'Confirmed amount in minor units' })
  amount: number;

  @ApiProperty({ example: 'eur' })
  currency: string;
}

/** A sealed receipt with the content that it prints. */
export class OpenedReceiptDto extends SealedReceiptDto {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Ada Lovelace',
    description: 'Name of the donor as printed',
  })
  donorName: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Lindenstraße 7\n10969 Berlin',
    description: 'Address of the donor as printed',
  })
  donorAddress: string | null;

  @ApiProperty({ type: [SealedGiftDto], description: 'One donation; the donations of a collective receipt' })
  gifts: SealedGiftDto[];
}

export class ListSealedReceiptsDto {
  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({ example: '2026-000042', description: '`cursor` of the previous page' })
  @OptionalText({ max: 20 })
  cursor?: string | null;
}
