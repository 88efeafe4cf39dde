import type { IncomingMessage, ServerResponse } from 'node:http';
import { types } from 'node:util';
import type { Request, RequestHandler } from 'express';
import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import { requestFields, REQUEST_ID, requestIdOf } from '../http/request-context.js';
import { pinoHttp } from 'pino-http';
import { sqlStateOf } from '../errors/sql-state.js';

const EMAIL = /[^\s@<>"']+@[^\s@<>"']+\.[^\s@<>"']+/g;
const SECRET = /\b(sk|rk|whsec|pi_\w+_secret)_\w+|\bBearer\s+\S+|\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** A text without e-mail addresses, tokens and keys. */
export const redact = (text: string): string => text.replace(SECRET, '[secret]').replace(EMAIL, '[e-mail]');

/** Whoever has a donor's token gets the receipt, and it stands in addresses. */
const DONOR_TOKEN = /(\/mine\/)[^/\s]+/gi;
/** Longer ones were made up. */
const LONGEST_PATH = 256;

/** The path of a request as a log may have it. */
export const loggedPath = (path: string): string =>
  path
    .slice(0, LONGEST_PATH)
    .replace(DONOR_TOKEN, '$1[secret]')
    .replaceAll('%40', '@')
    .split('/')
    .map(redact)
    .join('/');

export function createLogger(level: string): Logger {
  return pino({
    level,
    mixin: requestFields,
    redact: [
      'req.headers.authorization',
      'req.headers.cookie',
      '*.password',
      '*.code',
      '*.donorEmail',
      '*.email',
    ],
    serializers: { err: describeFailure },
    hooks: {
      logMethod(args, method) {
        method.apply(
          this,
          args.map((arg: unknown) => (typeof arg === 'string' ? redact(arg) : arg)) as typeof args,
        );
      },
    },
  });
}

/** An error with what caused it; of the database also its code and the constraint that was violated. */
export function describeFailure(error: unknown, depth = 0): object {
  if (!(error instanceof Error) && !types.isNativeError(error)) return { message: redact(String(error)) };
  const { constraint } = error as { constraint?: unknown };
  const sqlState = sqlStateOf(error);
  return {
    type: error.name,
    message: redact(error.message),
    stack: redact(error.stack ?? ''),
    ...(sqlState === undefined ? {} : { sqlState }),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(error.cause === undefined || depth >= 4 ? {} : { cause: describeFailure(error.cause, depth + 1) }),
  };
}

/** One line for each route, module and gateway: some two hundred at a start, which is news to nobody but a developer. */
const OF_THE_FRAMEWORK = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
  'WebSocketsController',
]);

/** Nest's own log lines through the same logger. */
export class PinoNestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    const context: unknown = rest.at(-1);
    const isDetail = typeof context === 'string' && OF_THE_FRAMEWORK.has(context);
    this.write(isDetail ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(
    level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace',
    message: unknown,
    rest: unknown[],
  ): void {
    if (!this.logger.isLevelEnabled(level)) return;
    const context = rest.at(-1);
    const fields = typeof context === 'string' ? { context } : {};
    if (message instanceof Error) this.logger[level]({ ...fields, err: message });
    else if (typeof message === 'object' && message !== null) this.logger[level]({ ...fields, ...message });
    else this.logger[level](fields, String(message));
  }
}

/**
 * One line for each request, with an id that the answer carries too. No query, no body, no header. Unless every line is
 * read (`debug`), only of what failed on our side.
 */
export const requestLogger = (logger: Logger): RequestHandler =>
  logger.isLevelEnabled('debug') ? everyRequest(logger) : failedRequests(logger);

const failedRequests =
  (logger: Logger): RequestHandler =>
  (request, response, next) => {
    const began = performance.now();
    const id = requestIdOf(request);
    (request as Request & { id?: string }).id = id;
    response.setHeader(REQUEST_ID, id);
    response.on('close', () => {
      const { statusCode: status } = response;
      if (status < 500 || !response.writableFinished) return;
      const { method } = request;
      const path = loggedPath(request.originalUrl.split('?', 1)[0] ?? '');
      logger.error(
        {
          req: { address: request.ip, id, method, path },
          res: { status },
          responseTime: Math.round(performance.now() - began),
        },
        'request errored',
      );
    });
    next();
  };

const everyRequest = (logger: Logger) =>
  pinoHttp({
    logger,
    genReqId: (request: IncomingMessage, response: ServerResponse) => {
      const id = requestIdOf(request);
      response.setHeader(REQUEST_ID, id);
      return id;
    },
    serializers: {
      req: (request: { id: string; method: string; url: string; raw: Request }) => ({
        address: request.raw.ip,
        id: request.id,
        method: request.method,
        path: loggedPath(request.url.split('?', 1)[0] ?? ''),
      }),
      res: (response: { statusCode: number }) => ({ status: response.statusCode }),
    },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'debug'),
  });
