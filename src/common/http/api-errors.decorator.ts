import { STATUS_CODES } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { bodyOfStatus } from '../errors/code-of-status.js';
import { ErrorBody, RefusedEdit, RefusedReceipt } from '../errors/error-body.js';

/** Descriptions of the error statuses in the API description. */
export const MEANING: Readonly<Record<number, string>> = {
  400: 'Invalid input',
  401: 'Missing or invalid token',
  403: 'Insufficient permissions',
  404: 'The resource does not exist, or you have no access to it',
  409: 'Conflict with the current state',
  410: 'The resource was deleted',
  413: 'The body is too large',
  415: 'The content type is not supported',
  408: 'The request did not arrive in time',
  431: 'The headers, or the address with its query, are too large',
  429: 'Rate limit exceeded',
  500: 'Internal Server Error',
  503: 'A dependency is down; try again after Retry-After',
};

/** Documents the 409 of a route whose body has an optional `expected`. */
export const ApiEditConflict = () =>
  ApiResponse({
    status: 409,
    description: `${MEANING[409]}. \`EDIT_CONFLICT\`: somebody else changed a field after the client read it`,
    type: RefusedEdit,
    example: {
      statusCode: 409,
      message: 'Changed by somebody else after you read it: name; read it again',
      error: 'Conflict',
      code: 'EDIT_CONFLICT',
      details: [
        {
          field: 'name',
          value: 'Winter Gala',
          by: { actor: 'admin', id: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11', name: 'Maria Lopez' },
          at: '2026-11-21T19:30:00.000Z',
        },
      ],
    },
  });

/** Documents the 409 of a receipt. */
export const ApiReceiptErrors = () =>
  ApiResponse({
    status: 409,
    description: `${MEANING[409]}. \`RECEIPT_INCOMPLETE\`: the tax office would not accept the receipt`,
    type: RefusedReceipt,
    example: {
      statusCode: 409,
      message: 'The tax office would not accept this receipt; complete: donorAddress',
      error: 'Conflict',
      code: 'RECEIPT_INCOMPLETE',
      missing: ['donorAddress'],
      findings: [{ field: 'donorAddress', rule: 'missing' }],
    },
  });

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
