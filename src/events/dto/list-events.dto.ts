import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { isId } from '../../common/ids.js';
import { Check, OptionalText, QueryInteger } from '../../common/validation/field.decorators.js';

/** Query of `GET /events`: all events, or a page of them. */
export class ListEventsDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 200,
    example: 50,
    description: 'How many; all when left out',
  })
  @IsOptional()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({
    format: 'uuid',
    example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11',
    description: 'Id of the last event of the page before',
  })
  @IsOptional()
  @Check((value) => (typeof value === 'string' && isId(value) ? undefined : 'must be the id of an event'))
  after?: string;

  @ApiPropertyOptional({ type: String, description: 'Part of the name or slug, any case', maxLength: 200 })
  @OptionalText({ max: 200 })
  search?: string | null;
}
