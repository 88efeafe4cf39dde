import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../common/validation/field.decorators.js';

export class ReceiptsZipQuery {
  @ApiProperty({ description: 'Event id or slug', example: 'summer-gala' })
  @Text({ max: 100 })
  eventId: string;
}
