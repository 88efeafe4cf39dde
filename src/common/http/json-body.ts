import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { json, type NextFunction, raw, type Request, type Response, urlencoded } from 'express';
import { DomainError, InvalidInputError, RefusedFieldsError } from '../errors/domain-errors.js';

const BODY_LIMIT = 102_400;
const FORM_LIMIT = '20kb';
const WEBHOOK_LIMIT = '1mb';
const MAX_DEPTH = 20;

/** True if an `Origin` header contains the origin of the service's own pages. */
export type ServiceOrigin = (origin: string, request: IncomingMessage) => boolean;

const webhooks = new WeakSet<IncomingMessage>();
const forms = new WeakSet<IncomingMessage>();
const uploads = new WeakSet<IncomingMessage>();

/** True if the path of the request belongs to a webhook. Webhooks are checked by signature and have no rate limit. */
export const isWebhook = (request: IncomingMessage): boolean => webhooks.has(request);

/**
 * Parses JSON bodies of at most 100 KB and 20 levels. Keeps webhook bodies of at most 1 MB as raw bytes.
 * @param webhookPaths paths with signed bodies, kept as raw bytes for any content type
 * @param formPaths paths below which pages send plain forms
 * @param isServiceOrigin for browsers that send forms without `Sec-Fetch-Site`
 * @param uploadPaths paths with files or other bodies; the route may read the body after the caller is checked
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

/** Marks a request to a webhook. Matches the exact path, not the paths below it. */
function markWebhook(request: Request, _response: Response, next: NextFunction): void {
  if (request.path === '/') webhooks.add(request);
  next();
}

/**
 * Marks a form that a page of the service or a program sent. Forms of other sites are refused like any other body that is not
 * JSON. Browsers without `Sec-Fetch-Site` send the `Origin` header. Programs send neither header.
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

/** Marks an upload to exactly this path. A JSON body is not an upload. */
function markUpload(request: Request, _response: Response, next: NextFunction): void {
  if (request.path === '/' && request.method === 'POST' && !isJson(request)) uploads.add(request);
  next();
}

const isJson = (request: IncomingMessage) =>
  /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(request.headers['content-type'] ?? '');

const parser = json({ limit: BODY_LIMIT, strict: false, type: isJson, verify: refuseOtherEncodings });

/** Refuses JSON that is not UTF-8 (RFC 8259), because the parser would store its broken bytes as replacement characters. */
function refuseOtherEncodings(
  _request: IncomingMessage,
  _response: ServerResponse,
  body: Buffer,
  encoding: string,
): void {
  if (encoding !== 'utf-8')
    throw new DomainError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The charset of the body must be UTF-8');
  if (!isUtf8(body)) throw new InvalidInputError('BODY_NOT_UTF8', 'The body is not valid UTF-8');
}

function parseJson(request: Request, response: Response, next: NextFunction): void {
  parser(request, response, (error?: unknown) => {
    // Replaces the parser's own message, which quotes the body.
    if (error instanceof SyntaxError)
      next(new InvalidInputError('MALFORMED_JSON', 'The body is not valid JSON'));
    else {
      // Removes the status that the parser adds to a domain error. With this status, Nest would remove the error code.
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
 * Refuses field names that every object inherits, such as `__proto__` and `toString`. The API has no such fields, and the
 * libraries that turn a body into a class drop or accept them silently.
 */
function refuseInheritedNames(request: Request, _response: Response, next: NextFunction): void {
  const found = Buffer.isBuffer(request.body) ? undefined : inheritedName(request.body);
  if (found === undefined) next();
  else
    next(
      new RefusedFieldsError([{ field: found, rule: 'unknown', message: `${found} is not a known field` }]),
    );
}

function inheritedName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) {
    const found = INHERITED.has(key) ? key : inheritedName((value as Record<string, unknown>)[key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
