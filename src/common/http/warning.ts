import { ApiProperty } from '@nestjs/swagger';

/** A remark on a request that was done as asked, with an effect that the caller may not have meant. */
export class WarningDto {
  @ApiProperty({ example: 'RECORDED_AT_REPLACED', description: 'Stable, for programs' })
  code: string;

  @ApiProperty({ example: 'recordedAt cannot be: it was replaced by the time of arrival' })
  message: string;
}
