import { ApiProperty } from '@nestjs/swagger';

/** A warning in a successful answer: the request had an effect that the caller may not have wanted. */
export class WarningDto {
  @ApiProperty({ example: 'RECORDED_AT_REPLACED', description: 'Stable, for programs' })
  code: string;

  @ApiProperty({ example: 'recordedAt cannot be: it was replaced by the time of arrival' })
  message: string;
}
