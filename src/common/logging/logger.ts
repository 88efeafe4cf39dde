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

/** Returns a text without e-mail addresses, tokens and keys. */
export const redact = (text: string): string => text.replace(SECRET, '[secret]').replace(EMAIL, '[e-mail]');

/**
 * Matches the donor's token in a path. The token gives access to the receipt or the own page, withdraws a pledge or ends
 * e-mails, so logs must not contain the token.
 */
const DONOR_TOKEN = /(\/(?:mine|pledge|tribute|me\/sign-in)\/)[^/\s]+/gi;
/** Maximum length of a logged path. All valid paths of this service are shorter. */
const LONGEST_PATH = 256;

/** Returns the path of a request without secrets, for logs. */
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

/** Describes an error with its causes. For database errors, includes the code and the violated constraint. */
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

/**
 * Nest components that log one line for each route, module and gateway. These are about two hundred lines per start, useful
 * only to developers.
 */
const OF_THE_FRAMEWORK = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
  'WebSocketsController',
]);

/** Writes Nest's own log lines with the same logger. */
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
 * Logs one line per request, with the request id that the answer also contains. Never logs the query, the body or headers.
 * Except at level `debug`, logs only requests with server errors.
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
        'request failed',
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
