import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { bodyOfStatus } from '../common/errors/code-of-status.js';
import { rawError } from '../common/http/server-errors.js';

/** What Engine.IO's own error numbers mean. */
const REFUSALS: readonly (readonly [code: string, message: string])[] = [
  ['TRANSPORT_UNKNOWN', 'This transport is not known'],
  ['SESSION_ID_UNKNOWN', 'This session id is not known; connect again'],
  ['HANDSHAKE_METHOD_INVALID', 'A connection starts with GET'],
  ['HANDSHAKE_INVALID', 'The request does not fit the connection'],
  ['ORIGIN_FORBIDDEN', 'This origin may not connect'],
  ['PROTOCOL_UNSUPPORTED', 'This protocol version is not supported'],
];
/** The reason that the adapter gives Engine.IO, which knows no 429. */
export const TOO_MANY_HANDSHAKES = 'Too many connections from this address; try again in a minute';
const POLLING_METHODS = new Set(['GET', 'POST', 'OPTIONS']);

/** A middleware of Engine.IO: errors of long polling and of handshakes carry the one body, too. */
export function refuseInOneShape(
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
): void {
  // An upgrade has no response of its own: see `answerUpgradeInOneShape`. The header alone does not make one.
  if (!(response instanceof ServerResponse)) {
    next();
    return;
  }
  if (!POLLING_METHODS.has(request.method ?? '')) {
    send(response, 400, 'A connection is read with GET and written with POST', 'HANDSHAKE_METHOD_INVALID');
    return;
  }
  const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
  const end = response.end.bind(response) as (...rest: unknown[]) => ServerResponse;
  let refused: number | undefined;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    if (status < 400) return writeHead(status, ...rest);
    // Held back until the reason is known, which comes with the body.
    refused = status;
    return response;
  };
  response.end = ((chunk?: unknown, ...rest: unknown[]) => {
    if (refused === undefined) return end(chunk, ...rest);
    Object.assign(response, { writeHead, end });
    const [code, message] = reasonOf(chunk);
    if (typeof chunk === 'string' && chunk.includes(TOO_MANY_HANDSHAKES)) {
      response.setHeader('Retry-After', '60');
      send(response, 429, TOO_MANY_HANDSHAKES, 'RATE_LIMITED');
      return response;
    }
    send(response, refused, message ?? 'The request does not fit the connection', code);
    return response;
  }) as typeof response.end;
  next();
}

/**
 * Turns the plain-text refusal of a websocket handshake, written onto the bare connection, into the one body. An
 * acceptance leaves in one write with Engine.IO's first packet, which follows in the same turn of the event loop.
 */
export function answerUpgradeInOneShape(socket: Duplex): void {
  const own = { write: Reflect.get(socket, 'write'), end: Reflect.get(socket, 'end') } as const;
  for (const method of ['write', 'end'] as const) {
    const original = (...chunks: unknown[]): never => Reflect.apply(own[method], socket, chunks) as never;
    socket[method] = (chunk?: unknown, ...rest: unknown[]): never => {
      // Only the first thing written is the answer to the handshake. Deleted, the two would leave every connection as a
      // dictionary, slow and large.
      Object.assign(socket, own);
      const refused =
        typeof chunk === 'string' ? /^HTTP\/1\.1 ([45]\d\d) [\s\S]*?\r\n\r\n([\s\S]*)$/.exec(chunk) : null;
      if (!refused) {
        if (typeof chunk === 'string' && chunk.startsWith(ACCEPTED)) holdForOneTurn(socket);
        return original(chunk, ...rest);
      }
      const [status, text = ''] = [Number(refused[1]), refused[2]];
      if (text === TOO_MANY_HANDSHAKES) return original(rawError(429, text, 'RATE_LIMITED'));
      return original(
        rawError(status, text === '' ? 'The handshake is not valid' : text, 'HANDSHAKE_INVALID'),
      );
    };
  }
}

const ACCEPTED = 'HTTP/1.1 101';

const held: Duplex[] = [];

function holdForOneTurn(socket: Duplex): void {
  socket.cork();
  if (held.push(socket) > 1) return;
  setImmediate(() => {
    for (const one of held.splice(0)) one.uncork();
  });
}

/** Engine.IO's `{ code, message }` says which of its errors this is; long polling says nothing. */
function reasonOf(chunk: unknown): readonly [code?: string, message?: string] {
  if (typeof chunk !== 'string') return [];
  try {
    const { code } = JSON.parse(chunk) as { code?: unknown };
    return typeof code === 'number' ? (REFUSALS[code] ?? []) : [];
  } catch {
    return [];
  }
}

function send(response: ServerResponse, status: number, message: string, code?: string): void {
  const json = JSON.stringify(bodyOfStatus(status, message, code));
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
  });
  response.end(json);
}
