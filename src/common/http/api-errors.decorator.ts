import { STATUS_CODES } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiResponse, ApiProperty } from '@nestjs/swagger';
import { bodyOfStatus } from '../errors/code-of-status.js';

/** The JSON body of all errors. */
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

/** Message of each status. */
export const MEANING: Readonly<Record<number, string>> = {
  400: 'Invalid input',
  401: 'Missing or invalid token',
  403: 'Insufficient permissions',
  404: 'The resource does not exist, or you may not see it',
  409: 'Conflict with the current state',
  413: 'The body is too large',
  415: 'The content type is not supported',
  408: 'The request did not arrive in time',
  431: 'The headers, or the address with its query, are too large',
  429: 'Rate limit exceeded',
  500: 'Internal Server Error',
  503: 'A dependency is down; try again after Retry-After',
};

/** Documents the error statuses of a route, all with the same body. */
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
