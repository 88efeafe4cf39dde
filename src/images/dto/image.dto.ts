import { ApiProperty } from '@nestjs/swagger';

export class ImageDto {
  @ApiProperty({
    example: '/images/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.webp',
    description: 'Address for `theme.assets`; the picture at this address never changes',
  })
  path: string;

  @ApiProperty({ type: 'integer', example: 640 })
  width: number;

  @ApiProperty({ type: 'integer', example: 240 })
  height: number;
}
