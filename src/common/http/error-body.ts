import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The one body of every error. */
export class ErrorBody {
  @ApiProperty({ example: 400, description: 'The HTTP status, repeated' })
  statusCode: number;

  @ApiProperty({ example: 'amount must be an integer in minor units' })
  message: string;

  @ApiProperty({ example: 'Bad Request', description: 'The reason phrase of the status' })
  error: string;

  @ApiPropertyOptional({ example: 'VALIDATION_FAILED', description: 'Stable, machine-readable' })
  code?: string;
}
