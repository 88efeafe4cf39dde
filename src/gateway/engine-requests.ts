import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'socket.io';
import { bodyOfStatus } from '../common/errors/code-of-status.js';
import { setSecurityHeaders } from '../common/http/security-headers.js';
import { hostRepeated, repeatsHost } from '../common/http/unreadable-requests.js';
import { rawError } from '../common/http/server-errors.js';
import { serveClientScript } from './client-script.js';

interface Refusal {
  readonly status: number;
  readonly code?: string;
  readonly message: string;
}
/** Responses to requests that Engine.IO refuses. The index is the error number of Engine.IO. */
const REFUSALS: readonly Refusal[] = [
  { status: 400, code: 'TRANSPORT_UNKNOWN', message: 'This transport is not known' },
  { status: 400, code: 'SESSION_ID_UNKNOWN', message: 'This session id is not known; connect again' },
  { status: 400, code: 'HANDSHAKE_METHOD_INVALID', message: 'A connection starts with GET' },
  { status: 400, code: 'HANDSHAKE_INVALID', message: 'The request does not fit the connection' },
  { status: 403, code: 'ORIGIN_FORBIDDEN', message: 'This origin may not connect' },
  { status: 400, code: 'PROTOCOL_UNSUPPORTED', message: 'This protocol version is not supported' },
];
const METHOD_INVALID: Refusal = {
  status: 400,
  code: 'HANDSHAKE_METHOD_INVALID',
  message: 'A connection is read with GET and written with POST',
};
/** The adapter passes this reason to Engine.IO, because Engine.IO has no error number for 429. */
export const TOO_MANY_HANDSHAKES = 'Too many connections from this address; try again in a minute';
const FLOOD: Refusal = { status: 429, code: 'RATE_LIMITED', message: TOO_MANY_HANDSHAKES };
const POLLING_METHODS = new Set(['GET', 'POST', 'OPTIONS']);

interface ConnectionError {
  readonly req: IncomingMessage;
  readonly code: number;
  readonly context?: { readonly message?: string | null };
}
type Next = (error?: unknown) => void;

/**
 * Requests for Socket.IO's path reach Engine.IO before Express. This adds the security headers, the host check, the client
 * script and the usual error body to these requests.
 */
export function serveEngineRequests(engine: Server['engine']): void {
  engine.use(forRequests(checkHost));
  engine.use(serveClientScript);
  /** Polling requests, each with the reason for its refusal, if any. */
  const polling = new WeakMap<IncomingMessage, Refusal | undefined>();
  engine.use(
    forRequests((request, response, next) => {
      if (!POLLING_METHODS.has(request.method ?? '')) {
        refuse(response, METHOD_INVALID);
        return;
      }
      polling.set(request, undefined);
      replaceErrors(response, () => polling.get(request));
      next();
    }),
  );
  // Engine.IO emits this event before it answers. It always answers a polling request with an error. It answers an upgrade only
  // while the connection is writable, so the upgrade is answered here.
  engine.on('connection_error', ({ req, code, context }: ConnectionError) => {
    const refusal = context?.message === TOO_MANY_HANDSHAKES ? FLOOD : REFUSALS[code];
    if (polling.has(req)) polling.set(req, refusal);
    else req.socket.end(refusedUpgrade(refusal?.message, refusal === FLOOD));
  });
}

/** Returns the raw HTTP response to a refused websocket. */
export const refusedUpgrade = (message = 'The handshake is not valid', isFlood = false): string =>
  isFlood ? rawError(429, message, 'RATE_LIMITED') : rawError(400, message, 'HANDSHAKE_INVALID');

/** Makes a middleware that runs only for HTTP requests, because an upgrade has no Node response. */
const forRequests =
  (handle: (request: IncomingMessage, response: ServerResponse, next: Next) => void) =>
  (request: IncomingMessage, response: object, next: Next): void => {
    if (response instanceof ServerResponse) handle(request, response as ServerResponse, next);
    else next();
  };

function checkHost(request: IncomingMessage, response: ServerResponse, next: Next): void {
  setSecurityHeaders(response);
  if (!repeatsHost(request.rawHeaders)) {
    next();
    return;
  }
  const { message, code } = hostRepeated();
  refuse(response, { status: 400, message, code });
}

/** Replaces the error bodies of Engine.IO, which are missing or different from the error bodies of the API. */
function replaceErrors(response: ServerResponse, reason: () => Refusal | undefined): void {
  const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    if (status < 400) return writeHead(status, ...rest);
    response.writeHead = writeHead;
    refuse(response, reason() ?? { status, message: 'The request does not fit the connection' });
    response.end = () => response;
    return response;
  };
}

function refuse(response: ServerResponse, { status, message, code }: Refusal): void {
  const json = JSON.stringify(bodyOfStatus(status, message, code));
  if (status === 429) response.setHeader('Retry-After', '60');
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
  });
  response.end(json);
}
