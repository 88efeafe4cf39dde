import { ApiProperty } from '@nestjs/swagger';

/** What was removed. */
export class DeletedEventDto {
  @ApiProperty({
    format: 'uuid',
    example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11',
    description: 'Id of the event',
  })
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}
