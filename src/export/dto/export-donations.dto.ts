import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  BlankIsAbsent,
  LanguageTag,
  OneOf,
  QueryFlag,
  WhenSent,
} from '../../common/validation/field.decorators.js';
import { SYSTEMS } from '../systems/system-names.js';
import { DonationFilterDto } from '../../donations/dto/list-donations.dto.js';

export const FORMATS = ['machine', 'people', 'xlsx', ...SYSTEMS] as const;

export class ExportDonationsDto extends DonationFilterDto {
  @ApiPropertyOptional({
    default: 'machine',
    description:
      '`xlsx`: a spreadsheet for people with real dates and numbers, words in `language`; ' +
      '`people`: CSV with readable columns first, local time, decimal amounts and words; ' +
      '`npsp`, `civicrm`, `raisersedge`: a ZIP with the files that this system imports and a README',
  })
  @WhenSent()
  @OneOf(FORMATS)
  format?: (typeof FORMATS)[number];

  @ApiPropertyOptional({
    example: false,
    description: 'True for the donations of a rehearsal; without it, the file of a rehearsal is empty',
  })
  @WhenSent()
  @QueryFlag()
  rehearsal?: boolean;

  @ApiPropertyOptional({
    example: 'de',
    description: 'Language of the words in `xlsx` and `people`; without it the language of the settings',
  })
  @BlankIsAbsent()
  @LanguageTag()
  language?: string;
}
