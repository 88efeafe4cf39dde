import type { NextFunction, Request, Response } from 'express';
import { InvalidInputError, NotFoundError } from '../errors/domain-errors.js';

/** Whether a request names its host more than once: proxies and this service could each believe another one. */
export function repeatsHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts > 1;
}

/** What such a request is answered. */
export const hostRepeated = (): InvalidInputError =>
  new InvalidInputError('HOST_REPEATED', 'The Host header is there more than once');

/**
 * The one place that refuses a path or a query that is not text: percent signs that do not decode to UTF-8, raw
 * bytes beyond ASCII (Node would read them as Latin-1), and NUL, which no text in the database can hold.
 */
export function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    next(new InvalidInputError('HOST_MISSING', 'The Host header is missing'));
  else if (repeatsHost(request.rawHeaders)) next(hostRepeated());
  else next(refusalOf(request));
}

function refusalOf(request: Request): Error | undefined {
  const { method, url } = request;
  // Most addresses have nothing to decode.
  if (/^[\x20-\x24\x26-\x7E]*$/.test(url)) return undefined;
  const text = decoded(url);
  if (text === undefined) return unreadable();
  if (!text.includes('\0')) return undefined;
  // An id with a NUL is the id of nothing: looking for it finds nothing, acting on it is a mistake.
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
