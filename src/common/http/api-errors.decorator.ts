import { STATUS_CODES } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { bodyOfStatus } from '../errors/code-of-status.js';
import { ErrorBody } from '../errors/error-body.js';

/** Message of each status. */
export const MEANING: Readonly<Record<number, string>> = {
  400: 'Invalid input',
  401: 'Missing or invalid token',
  403: 'Insufficient permissions',
  404: 'The resource does not exist, or you have no access to it',
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
