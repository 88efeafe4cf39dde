import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../../common/validation/field.decorators.js';

export class AssignPaymentDto {
  @ApiProperty({ example: 'gala-2026', description: 'Id or slug of the event that gets the money' })
  @Text({ max: 100 })
  eventId: string;
}

export class AssignmentDto {
  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  donationId: string;

  @ApiProperty({ example: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f' })
  eventId: string;
}
