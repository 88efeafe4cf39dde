import { ApiProperty } from '@nestjs/swagger';
import { QueryInteger } from '../../common/validation/field.decorators.js';

export class FrenchDeclarationQuery {
  @ApiProperty({ example: 2026, description: 'Year in which the accounting year ends' })
  @QueryInteger(2000, 2999)
  year: number;
}

/** The figures that an organization with French receipts declares each year (article 222 bis of the tax code). */
export class FrenchDeclarationDto {
  @ApiProperty({ format: 'date', example: '2026-01-01', description: 'First day of the accounting year' })
  from: string;

  @ApiProperty({ format: 'date', example: '2026-12-31', description: 'Last day of the accounting year' })
  to: string;

  @ApiProperty({
    type: 'integer',
    example: 137,
    description: 'Receipts issued in the year that are not void',
  })
  receipts: number;

  @ApiProperty({ type: 'integer', example: 812_500, description: 'Sum of these receipts, in cents' })
  amount: number;

  @ApiProperty({
    type: 'integer',
    example: 790_000,
    description:
      'Sum of the donations that were received in the year and have a receipt that is not void, whenever it was issued, in cents',
  })
  received: number;
}
