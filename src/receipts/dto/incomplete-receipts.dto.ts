import { ApiProperty } from '@nestjs/swagger';
import { ReceiptFinding } from '../../common/errors/error-body.js';

export class IncompleteFieldDto extends ReceiptFinding {
  @ApiProperty({ type: 'integer', example: 37, description: 'Donors whose receipts lack the field' })
  donors: number;
}

export class IncompleteDonationDto {
  @ApiProperty({ example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11' })
  donationId: string;

  @ApiProperty({ type: String, nullable: true, example: 'Ada Lovelace' })
  donorName: string | null;

  @ApiProperty({ type: [ReceiptFinding] })
  findings: ReceiptFinding[];
}

export class EndingSettingDto {
  @ApiProperty({ example: 'legal.de.noticeDate' })
  field: string;

  @ApiProperty({ format: 'date', example: '2030-03-14', description: 'Last day on which the setting counts' })
  until: string;
}

export class IncompleteReceiptsDto {
  @ApiProperty({
    example: 'de',
    description: 'The pack in `receipts.pack`; `none`: the receipts are acknowledgements',
  })
  pack: string;

  @ApiProperty({ type: String, nullable: true, example: 'de-2026-11', description: 'Version of the texts' })
  version: string | null;

  @ApiProperty({
    example: false,
    description: 'True if a practitioner of the country has read the printed samples of this version',
  })
  reviewed: boolean;

  @ApiProperty({
    type: [EndingSettingDto],
    description: 'Settings that no longer count, or end within 90 days, such as a notice of the tax office',
  })
  ending: EndingSettingDto[];

  @ApiProperty({ type: 'integer', example: 37, description: 'Donations whose receipt lacks a field' })
  incomplete: number;

  @ApiProperty({ type: [IncompleteFieldDto], description: 'The most frequent field first' })
  fields: IncompleteFieldDto[];

  @ApiProperty({
    type: [IncompleteDonationDto],
    description: 'At most 100 of the donations, the oldest first',
  })
  donations: IncompleteDonationDto[];
}
