import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { json, type NextFunction, raw, type Request, type Response, urlencoded } from 'express';
import { DomainError, InvalidInputError } from '../errors/domain-errors.js';

const BODY_LIMIT = 102_400;
const FORM_LIMIT = '20kb';
const WEBHOOK_LIMIT = '1mb';
const MAX_DEPTH = 20;

/** Whether an `Origin` is that of the service's own pages. */
export type ServiceOrigin = (origin: string, request: IncomingMessage) => boolean;

const webhooks = new WeakSet<IncomingMessage>();
const forms = new WeakSet<IncomingMessage>();
const uploads = new WeakSet<IncomingMessage>();

/** Whether the request came to a webhook's path: it is verified by signature, and never rate-limited. */
export const isWebhook = (request: IncomingMessage): boolean => webhooks.has(request);

/**
 * JSON of at most 100 KB and 20 levels; webhooks as raw bytes of at most 1 MB.
 * @param webhookPaths whose bodies are signed: kept as the bytes that came, whatever the content type
 * @param formPaths below which pages are that send plain forms
 * @param isServiceOrigin for forms of browsers that do not say `Sec-Fetch-Site`
 * @param uploadPaths whose bodies are files: left to their route, which reads them once it knows who sends them
 */
export function parseBodies(
  app: INestApplication,
  webhookPaths: readonly string[],
  formPaths: readonly string[] = [],
  uploadPaths: readonly string[] = [],
  isServiceOrigin: ServiceOrigin = () => true,
): void {
  app.use([...webhookPaths], markWebhook, raw({ type: () => true, limit: WEBHOOK_LIMIT }));
  app.use([...formPaths], markForms(isServiceOrigin), urlencoded({ extended: false, limit: FORM_LIMIT }));
  if (uploadPaths.length > 0) app.use([...uploadPaths], markUpload);
  app.use(refuseOtherTypes, parseJson, refuseDepth, refuseInheritedNames);
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The path itself, not what lies below it. */
function markWebhook(request: Request, _response: Response, next: NextFunction): void {
  if (request.path === '/') webhooks.add(request);
  next();
}

/**
 * A page's own form. One sent from a page of another site is not, and is refused as any other body. Browsers that do not
 * say `Sec-Fetch-Site` name the origin; a program names neither.
 */
const markForms =
  (isServiceOrigin: ServiceOrigin) =>
  (request: Request, _response: Response, next: NextFunction): void => {
    const { origin } = request.headers;
    const from = request.headers['sec-fetch-site'];
    const isOwn =
      from === undefined ? origin === undefined || isServiceOrigin(origin, request) : from === 'same-origin';
    if (isOwn && request.is('application/x-www-form-urlencoded')) forms.add(request);
    next();
  };

/** The path itself; what is no file is refused as any other body. */
function markUpload(request: Request, _response: Response, next: NextFunction): void {
  if (request.path === '/' && request.method === 'POST' && !isJson(request)) uploads.add(request);
  next();
}

const isJson = (request: IncomingMessage) =>
  /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(request.headers['content-type'] ?? '');

const parser = json({ limit: BODY_LIMIT, strict: false, type: isJson, verify: refuseOtherEncodings });

/** JSON is UTF-8 (RFC 8259). Decoded, broken bytes would be stored as replacement characters. */
function refuseOtherEncodings(
  _request: IncomingMessage,
  _response: ServerResponse,
  body: Buffer,
  encoding: string,
): void {
  if (encoding !== 'utf-8')
    throw new DomainError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The charset of JSON is UTF-8');
  if (!isUtf8(body)) throw new InvalidInputError('BODY_NOT_UTF8', 'The body is not valid UTF-8');
}

function parseJson(request: Request, response: Response, next: NextFunction): void {
  parser(request, response, (error?: unknown) => {
    // The parser's own message quotes the body.
    if (error instanceof SyntaxError)
      next(new InvalidInputError('MALFORMED_JSON', 'The body is not valid JSON'));
    else {
      // The parser marks an error of ours with a status of its own, and Nest then drops the code.
      if (error instanceof DomainError) delete (error as { statusCode?: unknown }).statusCode;
      next(error);
    }
  });
}

function refuseOtherTypes(request: Request, _response: Response, next: NextFunction): void {
  if (
    !hasBody(request) ||
    Buffer.isBuffer(request.body) ||
    isJson(request) ||
    forms.has(request) ||
    uploads.has(request)
  )
    next();
  else next(new DomainError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json'));
}

function refuseDepth(request: Request, _response: Response, next: NextFunction): void {
  if (Buffer.isBuffer(request.body) || withinDepth(request.body, MAX_DEPTH)) next();
  else next(new InvalidInputError('TOO_DEEP', `The body must not be nested deeper than ${MAX_DEPTH} levels`));
}

function withinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  for (const key of Object.keys(value))
    if (!withinDepth((value as Record<string, unknown>)[key], depth - 1)) return false;
  return true;
}

const INHERITED = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

/**
 * Names that every object has, such as `__proto__` and `toString`: no field of ours, and the libraries that
 * turn a body into a class leave them out or let them pass without a word.
 */
function refuseInheritedNames(request: Request, _response: Response, next: NextFunction): void {
  const found = Buffer.isBuffer(request.body) ? undefined : inheritedName(request.body);
  if (found === undefined) next();
  else next(new InvalidInputError('VALIDATION_FAILED', `${found} is not a known field`));
}

function inheritedName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) {
    const found = INHERITED.has(key) ? key : inheritedName((value as Record<string, unknown>)[key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
