import { STATUS_CODES } from 'node:http';
import type { ErrorBody, RefusedEdit, RefusedReceipt } from './error-body.js';

/** Error codes for errors of libraries, which contain only a status. */
const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  410: 'GONE',
  411: 'LENGTH_REQUIRED',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  416: 'RANGE_NOT_SATISFIABLE',
  417: 'EXPECTATION_FAILED',
  429: 'RATE_LIMITED',
  431: 'HEADERS_TOO_LARGE',
  500: 'INTERNAL_ERROR',
  503: 'DEPENDENCY_UNAVAILABLE',
};

/** Body of an error. The code may be absent. */
export type UncodedBody = Omit<RefusedEdit & RefusedReceipt, 'code'> & { readonly code?: string };

/** Returns the body with a code. If the body has no code, adds the code of its status. */
export const withCode = (body: UncodedBody): RefusedEdit & RefusedReceipt => ({
  ...body,
  code: body.code ?? CODES[body.statusCode] ?? (body.statusCode < 500 ? 'BAD_REQUEST' : 'INTERNAL_ERROR'),
});

/** Returns the error body of a status. */
export const bodyOfStatus = (statusCode: number, message: string, code?: string): ErrorBody =>
  withCode({
    statusCode,
    message,
    error: STATUS_CODES[statusCode] ?? 'Error',
    ...(code === undefined ? {} : { code }),
  });
