import { STATUS_CODES } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiResponse, ApiProperty } from '@nestjs/swagger';
import { bodyOfStatus } from '../errors/code-of-status.js';

/** The one body of every error. */
export class ErrorBody {
  @ApiProperty({ type: 'integer', example: 400, description: 'The HTTP status, repeated' })
  statusCode: number;

  @ApiProperty({ example: 'amount must be an integer in minor units' })
  message: string;

  @ApiProperty({ example: 'Bad Request', description: 'The reason phrase of the status' })
  error: string;

  @ApiProperty({
    example: 'VALIDATION_FAILED',
    pattern: '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$',
    description: 'Stable and machine-readable; docs/errors.md lists all of them',
  })
  code: string;
}

/** What each status says, in a sentence. */
export const MEANING: Readonly<Record<number, string>> = {
  400: 'Invalid input',
  401: 'Missing or invalid token',
  403: 'Insufficient permissions',
  404: 'The resource does not exist, or is not yours to see',
  409: 'In conflict with the present state',
  413: 'The body is too large',
  415: 'The content type is not supported',
  408: 'The request did not arrive in time',
  431: 'The headers, or the address with its query, are too large',
  429: 'Rate limit exceeded',
  500: 'Internal Server Error',
  503: 'Something this depends on is away; try again after Retry-After',
};

/** Documents the errors a route can answer, all in the one shape. */
export const ApiErrors = (...statuses: number[]) =>
  applyDecorators(
    ...statuses.map((status) =>
      ApiResponse({
        status,
        description: MEANING[status] ?? STATUS_CODES[status] ?? 'Error',
        type: ErrorBody,
        example: bodyOfStatus(status, MEANING[status] ?? STATUS_CODES[status] ?? 'Error'),
      }),
    ),
  );
