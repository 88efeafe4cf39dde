import { ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalText, QueryInteger, WhenSent } from '../../common/validation/field.decorators.js';

/** Query of `GET /events`: all events, or a page of them. */
export class ListEventsDto {
  @ApiPropertyOptional({
    example: 50,
    description: 'How many; all when left out',
  })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({
    example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11',
    description: 'Id of the last event of the page before',
  })
  @WhenSent()
  @Id('must be the id of an event')
  after?: string;

  @ApiPropertyOptional({ description: 'Part of the name or slug, any case' })
  @OptionalText({ max: 200 })
  search?: string | null;
}
