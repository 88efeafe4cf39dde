import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { bodyOfStatus } from '../common/errors/code-of-status.js';
import { rawError } from '../common/http/server-errors.js';
import { holdForThisTurn } from './held-writes.js';

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
    sendEngineError(
      response,
      400,
      'A connection is read with GET and written with POST',
      'HANDSHAKE_METHOD_INVALID',
    );
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
      sendEngineError(response, 429, TOO_MANY_HANDSHAKES, 'RATE_LIMITED');
      return response;
    }
    sendEngineError(response, refused, message ?? 'The request does not fit the connection', code);
    return response;
  }) as typeof response.end;
  next();
}

/**
 * Turns the plain-text refusal of a websocket handshake, written onto the bare connection, into the one body. An
 * acceptance leaves in one write with Engine.IO's first packet, which follows in the same turn of the event loop.
 */
export function answerUpgradeInOneShape(socket: Duplex): void {
  Object.assign(socket, ANSWERING);
}

type Write = (this: Duplex, chunk?: unknown, ...rest: unknown[]) => never;
interface Methods {
  readonly write: Write;
  readonly end: Write;
}

/** The same two for every connection: closures of its own it would keep as long as it lives. */
const ANSWERING: Methods = {
  write(chunk, ...rest) {
    return restore(this).write.call(this, answerInOneShape(this, chunk), ...rest);
  },
  end(chunk, ...rest) {
    return restore(this).end.call(this, answerInOneShape(this, chunk), ...rest);
  },
};

/**
 * Only the first thing written is the answer to the handshake. Deleted, the two would leave every connection as a dictionary,
 * slow and large.
 */
function restore(socket: Duplex): Methods {
  const { write, end } = Object.getPrototypeOf(socket) as Methods;
  return Object.assign(socket, { write, end });
}

function answerInOneShape(socket: Duplex, chunk: unknown): unknown {
  if (typeof chunk !== 'string') return chunk;
  if (chunk.startsWith(ACCEPTED)) {
    holdForThisTurn(socket);
    return chunk;
  }
  const refused = /^HTTP\/1\.1 ([45]\d\d) [\s\S]*?\r\n\r\n([\s\S]*)$/.exec(chunk);
  if (!refused) return chunk;
  const [, status, text = ''] = refused;
  return text === TOO_MANY_HANDSHAKES
    ? rawError(429, text, 'RATE_LIMITED')
    : rawError(Number(status), text === '' ? 'The handshake is not valid' : text, 'HANDSHAKE_INVALID');
}

const ACCEPTED = 'HTTP/1.1 101';

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

export function sendEngineError(
  response: ServerResponse,
  status: number,
  message: string,
  code?: string,
): void {
  const json = JSON.stringify(bodyOfStatus(status, message, code));
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
  });
  response.end(json);
}
