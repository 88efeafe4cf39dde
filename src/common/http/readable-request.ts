import type { NextFunction, Request, Response } from 'express';
import { InvalidInputError } from '../errors/domain-errors.js';

/**
 * The one place that refuses a path or a query that is not text: percent signs that do not decode to UTF-8, raw
 * bytes beyond ASCII (Node would read them as Latin-1), and NUL, which no text in the database can hold.
 */
export function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    next(new InvalidInputError('HOST_MISSING', 'The Host header is missing'));
  else if (isReadable(request.url)) next();
  else next(new InvalidInputError('URL_UNREADABLE', 'The address is not percent-encoded UTF-8 text'));
}

function isReadable(url: string): boolean {
  // Most addresses have nothing to decode.
  if (/^[\x20-\x24\x26-\x7E]*$/.test(url)) return true;
  if (!/^[\x20-\x7E]*$/.test(url)) return false;
  try {
    return !decodeURIComponent(url).includes('\0');
  } catch {
    return false;
  }
}
