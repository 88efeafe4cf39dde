import type { NextFunction, Request, Response } from 'express';
import { InvalidInputError, NotFoundError } from '../errors/domain-errors.js';

/** True if a request has more than one Host header. A proxy and this service could use different ones. */
export function repeatsHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts > 1;
}

/** Returns the error for a request with more than one Host header. */
export const hostRepeated = (): InvalidInputError =>
  new InvalidInputError('HOST_REPEATED', 'The Host header must occur only once');

/**
 * Refuses a path or a query that is not text: percent signs that do not decode to UTF-8, raw non-ASCII bytes (Node would read
 * them as Latin-1), and NUL, which the database cannot store. This is the only check of this kind.
 */
export function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    next(new InvalidInputError('HOST_MISSING', 'The Host header is missing'));
  else if (repeatsHost(request.rawHeaders)) next(hostRepeated());
  else next(refusalOf(request));
}

function refusalOf(request: Request): Error | undefined {
  const { method, url } = request;
  // Most addresses contain only plain ASCII characters and need no decoding.
  if (/^[\x20-\x24\x26-\x7E]*$/.test(url)) return undefined;
  const text = decoded(url);
  if (text === undefined) return unreadable();
  if (!text.includes('\0')) return undefined;
  // No id contains a NUL. So reading such an id answers 404, and changing it is an invalid request.
  const looks = method === 'GET' || method === 'HEAD';
  return looks && decoded(request.path)?.includes('\0') ? new NotFoundError() : unreadable();
}

function decoded(url: string): string | undefined {
  if (!/^[\x20-\x7E]*$/.test(url)) return undefined;
  try {
    return decodeURIComponent(url);
  } catch {
    return undefined;
  }
}

const unreadable = () =>
  new InvalidInputError('URL_UNREADABLE', 'The address is not percent-encoded UTF-8 text');
