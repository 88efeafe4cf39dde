import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../common/validation/field.decorators.js';

export class AskForAddressesDto {
  @ApiProperty({ description: 'Event id or slug', example: 'summer-gala' })
  @Text({ max: 100 })
  eventId: string;
}

/** The donors who got an e-mail, and those who got one in the last seven days. */
export class AskedDonorsDto {
  @ApiProperty({ example: 37 })
  asked: number;

  @ApiProperty({ example: 0, description: 'Donors who were asked in the last seven days' })
  askedBefore: number;
}
