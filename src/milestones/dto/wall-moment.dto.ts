import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OptionalText, Text, Whole } from '../../common/validation/field.decorators.js';

const ID = { format: 'uuid', example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' };
const TITLE = 64;
const TEXT = 140;

/** Body of `POST /wall-moments`. */
export class ShowWallMoment {
  @ApiPropertyOptional({ description: 'Event id or slug; the event of the token by default' })
  @OptionalText({ max: 100 })
  eventId?: string | null;

  @ApiProperty({ example: 'The raffle begins' })
  @Text({ max: TITLE })
  title: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'Tickets at the bar' })
  @OptionalText({ max: TEXT })
  text?: string | null;

  @ApiProperty({ example: 8, description: 'Time on the walls' })
  @Whole(4, 20)
  seconds: number;
}

export class WallMomentDto {
  @ApiProperty(ID)
  id: string;

  @ApiProperty(ID)
  eventId: string;

  @ApiProperty({ example: 'The raffle begins' })
  title: string;

  @ApiProperty({ type: String, nullable: true, example: 'Tickets at the bar' })
  text: string | null;

  @ApiProperty({ type: 'integer', example: 8 })
  seconds: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T19:30:00.000Z' })
  createdAt: string;
}
