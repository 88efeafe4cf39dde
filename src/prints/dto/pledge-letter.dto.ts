import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BlankIsAbsent, Ids, OneOf } from '../../common/validation/field.decorators.js';
import { PRINT_LANGUAGES, type PrintLanguage } from '../print-limits.js';

const MOST_LETTERS = 200;

/** Body of `POST /pledges/letters`. */
export class PledgeLettersDto {
  @ApiProperty({
    type: [String],
    description: 'Ids of open pledges. Pledges of one donor at one event share a letter',
    example: ['0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f'],
  })
  @Ids({ max: MOST_LETTERS })
  donationIds: string[];

  @ApiPropertyOptional({
    example: 'de',
    description: 'Language of all letters; each in the language of its donor if absent',
  })
  @BlankIsAbsent()
  @OneOf(PRINT_LANGUAGES)
  language?: PrintLanguage;
}
