import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalText, QueryInteger, WhenSent } from '../../../common/validation/field.decorators.js';
import { ReviewItemDto } from './review-item.dto.js';

export class ListOpenReviewItemsDto {
  @ApiPropertyOptional({ default: 50 })
  @WhenSent()
  @QueryInteger(1, 200)
  limit?: number;

  @ApiPropertyOptional({ description: '`nextCursor` of the previous page' })
  @OptionalText({ max: 200 })
  cursor?: string | null;
}

export class OpenReviewItemsDto {
  @ApiProperty({ type: [ReviewItemDto] })
  data: ReviewItemDto[];

  @ApiProperty({ type: 'integer', example: 3, description: 'Number of open items' })
  total: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Value for `cursor` of the next page; null on the last page',
  })
  nextCursor: string | null;
}
