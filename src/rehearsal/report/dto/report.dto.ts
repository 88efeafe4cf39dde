import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OneOf, WhenSent } from '../../../common/validation/field.decorators.js';
import { PlayDto } from '../../play/dto/play.dto.js';
import { CHECK_STATES, type CheckName, CHECKS, type CheckState } from '../checks.js';
import { REPORT_LANGUAGES, type ReportLanguage } from '../report-wording.js';

export const REPORT_FORMATS = ['json', 'pdf'] as const;

export class ReportQuery {
  @ApiPropertyOptional({ default: 'json' })
  @WhenSent()
  @OneOf(REPORT_FORMATS)
  format?: (typeof REPORT_FORMATS)[number];

  @ApiPropertyOptional({ default: 'en' })
  @WhenSent()
  @OneOf(REPORT_LANGUAGES)
  language?: ReportLanguage;
}

export class CheckDto {
  @ApiProperty({ enum: CHECKS, enumName: 'RehearsalCheckName' })
  name: CheckName;

  @ApiProperty({ enum: CHECK_STATES, enumName: 'RehearsalCheckState' })
  state: CheckState;

  @ApiProperty({ example: 'Each terminal was in use' })
  title: string;

  @ApiProperty({
    type: [String],
    example: ['Till 3'],
    description: 'Names of the missing things, such as terminals',
  })
  missing: string[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Open the till on each terminal and sign in to the rehearsal.',
    description: 'Advice; null for a check that passed',
  })
  advice: string | null;
}

export class RehearsalReport {
  @ApiProperty({
    example:
      'https://give.charity.example/rehearsal/seen/AZjzwnoQfE6fAFo9HCtObxq0v5ZJm2n8sR4tYw1cK3eU7dPgHlVqXa',
    description: 'Open it with a phone on mobile data; the check `phone` then passes',
  })
  phoneUrl: string;

  @ApiProperty({ type: [CheckDto] })
  checks: CheckDto[];

  @ApiProperty({ type: PlayDto, nullable: true, description: 'The last played evening' })
  play: PlayDto | null;
}
