import { ApiProperty } from '@nestjs/swagger';

/** The JSON body of all errors. */
export class ErrorBody {
  @ApiProperty({ type: 'integer', example: 400, description: 'The HTTP status of the response' })
  statusCode: number;

  @ApiProperty({ example: 'amount must be an integer in minor units' })
  message: string;

  @ApiProperty({ example: 'Bad Request', description: 'The reason phrase of the status' })
  error: string;

  @ApiProperty({
    example: 'VALIDATION_FAILED',
    pattern: '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$',
    description: 'Stable, for programs; docs/errors.md lists all codes',
  })
  code: string;
}
