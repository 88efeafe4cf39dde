import { STATUS_CODES } from 'node:http';
import type { ErrorBody } from '../http/api-errors.decorator.js';

/** The codes of errors that a library reports by a status alone. */
const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
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

/** An error's body as it may still be without its code. */
export type UncodedBody = Omit<ErrorBody, 'code'> & { readonly code?: string };

/** The body with a code: its own, or the one of its status. */
export const withCode = (body: UncodedBody): ErrorBody => ({
  ...body,
  code: body.code ?? CODES[body.statusCode] ?? (body.statusCode < 500 ? 'BAD_REQUEST' : 'INTERNAL_ERROR'),
});

/** The body of an error that has no more to say than its status. */
export const bodyOfStatus = (statusCode: number, message: string, code?: string): ErrorBody =>
  withCode({
    statusCode,
    message,
    error: STATUS_CODES[statusCode] ?? 'Error',
    ...(code === undefined ? {} : { code }),
  });
