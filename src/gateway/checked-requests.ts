import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { hostRepeated, repeatsHost } from '../common/http/unreadable-requests.js';
import { sendEngineError } from './engine-errors.js';

/**
 * The first middleware of Engine.IO, which answers before Express sees a request: the security headers that every answer
 * has, and one host only.
 */
export function checkRequest(request: IncomingMessage, response: object, next: () => void): void {
  // An upgrade has no response; its host was looked at before.
  if (!('writeHead' in response)) {
    next();
    return;
  }
  (response as Response).isSecured = true;
  if (!repeatsHost(request.rawHeaders)) {
    next();
    return;
  }
  const { message, code } = hostRepeated();
  sendEngineError(response as Response, 400, message, code);
}
