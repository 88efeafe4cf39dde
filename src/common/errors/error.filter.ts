import { STATUS_CODES } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { loggedPath } from '../logging/logger.js';
import { Metrics } from '../metrics/metrics.js';
import { type UncodedBody, withCode } from './code-of-status.js';
import {
  DomainError,
  EditConflictError,
  ReceiptIncompleteError,
  RefusedFieldsError,
} from './domain-errors.js';
import { isUnavailable } from './unavailable.js';

/** An error of a library that describes a client error only by its status, such as body-parser's 413. */
interface HttpLikeError {
  status?: unknown;
  statusCode?: unknown;
  type?: unknown;
  expose?: unknown;
  message?: unknown;
}

const BODY_PARSER_MESSAGES: Record<string, string> = {
  'entity.too.large': 'The body is too large',
  'entity.parse.failed': 'The body is not valid JSON',
  'encoding.unsupported': 'The content encoding is not supported',
  'charset.unsupported': 'The charset is not supported',
  'request.aborted': 'The request was aborted',
  'request.size.invalid': 'The body length differs from the announced length',
  'parameters.too.many': 'Too many parameters',
};

/** Turns any thrown value into `{ statusCode, message, error, code }`, and logs server errors. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  constructor(private readonly metrics?: Metrics) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const { body, retryAfter } = describeError(thrown);
    const request = http.getRequest<Request>();
    const { method, path } = request;
    const { code } = withCode(body);
    this.metrics?.refusals.inc({ code });
    const asked = () => `${method} ${loggedPath(path)}`;
    if (body.statusCode >= 500) {
      this.logger.error({
        msg: `${asked()} failed`,
        status: body.statusCode,
        errorCode: code,
        err: thrown,
      });
    } else if (body.statusCode !== 404) {
      const line = { msg: `${asked()} refused`, status: body.statusCode, errorCode: code };
      if (isSuspicious(body.statusCode, path)) this.logger.warn(line);
      else this.logger.log(line);
    }
    if (response.headersSent) {
      // The answer is incomplete because its stream failed. Only a closed connection can signal this to the client.
      response.destroy();
      return;
    }
    if (retryAfter !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfter)));
    if (thrown instanceof DomainError) response.set(thrown.headers);
    response.removeHeader('Content-Disposition');
    this.send(request, response, { body, retryAfter });
  }

  /** Sends the body. The caller has already set all headers except those of the body format. */
  protected send(_request: Request, response: Response, { body }: DescribedError): void {
    response.status(body.statusCode).json(withCode(body));
  }
}

/** True for unsigned webhook events and failed sign-ins. */
const isSuspicious = (status: number, path: string): boolean =>
  path.endsWith('/webhook') || (status === 401 && path.startsWith('/auth/'));

export interface DescribedError {
  readonly body: UncodedBody;
  /** Seconds in the `Retry-After` header. */
  readonly retryAfter?: number | undefined;
}

/** Returns the answer for any thrown value. The answer contains no message of an unknown error. */
export function describeError(thrown: unknown): DescribedError {
  if (thrown instanceof EditConflictError)
    return {
      body: { ...bodyOf(409, thrown.message, thrown.code), details: [...thrown.details] },
    };
  if (thrown instanceof ReceiptIncompleteError)
    return {
      body: {
        ...bodyOf(409, thrown.message, thrown.code),
        missing: thrown.findings.map(({ field }) => field),
        findings: [...thrown.findings],
      },
    };
  if (thrown instanceof RefusedFieldsError)
    return { body: { ...bodyOf(400, thrown.message, thrown.code), fields: [...thrown.fields] } };
  if (thrown instanceof DomainError)
    return { body: bodyOf(thrown.getStatus(), thrown.message, thrown.code), retryAfter: thrown.retryAfter };
  if (thrown instanceof HttpException) return { body: bodyOf(thrown.getStatus(), httpMessage(thrown)) };
  if (isUnavailable(thrown))
    return {
      body: bodyOf(503, 'The service is not available at the moment', 'DEPENDENCY_UNAVAILABLE'),
      retryAfter: 5,
    };
  const status = clientStatus(thrown);
  if (status) {
    const type = (thrown as HttpLikeError).type;
    const message = typeof type === 'string' ? BODY_PARSER_MESSAGES[type] : undefined;
    return { body: bodyOf(status, message ?? STATUS_CODES[status] ?? 'Bad Request') };
  }
  return { body: bodyOf(500, 'Internal Server Error') };
}

function bodyOf(statusCode: number, message: string, code?: string): UncodedBody {
  return { statusCode, message, error: STATUS_CODES[statusCode] ?? 'Error', ...(code ? { code } : {}) };
}

function httpMessage(error: HttpException): string {
  const payload = error.getResponse();
  if (typeof payload === 'string') return payload;
  const { message } = payload as { message?: unknown };
  if (Array.isArray(message)) return message.join('; ');
  return typeof message === 'string' ? message : error.message;
}

/**
 * Returns the 4xx status that a library attached to an error; undefined for other errors. A 5xx status of a library is treated
 * like an unknown error.
 */
function clientStatus(thrown: unknown): number | undefined {
  if (thrown instanceof URIError) return 400;
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const { status, statusCode, expose } = thrown as HttpLikeError;
  const found = typeof status === 'number' ? status : statusCode;
  return typeof found === 'number' && found >= 400 && found < 500 && expose !== false ? found : undefined;
}
