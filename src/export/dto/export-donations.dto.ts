import { ApiPropertyOptional } from '@nestjs/swagger';
import { OneOf, WhenSent } from '../../common/validation/field.decorators.js';
import { DonationFilterDto } from '../../donations/dto/list-donations.dto.js';

const FORMATS = ['machine', 'people'] as const;

export class ExportDonationsDto extends DonationFilterDto {
  @ApiPropertyOptional({
    default: 'machine',
    description:
      '`people`: readable columns first, local time, decimal amounts, words in the language of the settings',
  })
  @WhenSent()
  @OneOf(FORMATS)
  format?: (typeof FORMATS)[number];
}
