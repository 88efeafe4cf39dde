import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { bodyOfStatus } from '../errors/code-of-status.js';
import type { Connections } from './connections.js';

/** Time for a client to read its answer before the connection is closed. */
const LINGER_MS = 1_000;

type Refusal = readonly [status: number, message: string, code?: string];

const PARSER_REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
  ERR_TOO_MANY_PARTS: [413, 'The body has too many small parts'],
};
const NOT_HTTP: Refusal = [400, 'The request is not valid HTTP', 'HTTP_MALFORMED'];

/**
 * Returns an error as raw HTTP text, for a connection without a response object. Its `Connection` header closes the connection.
 */
export function rawError(status: number, message: string, code?: string): string {
  const body = bodyOfStatus(status, message, code);
  const json = JSON.stringify(body);
  return [
    `HTTP/1.1 ${status} ${body.error}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(json)}`,
    '',
    json,
  ].join('\r\n');
}

/** Sends the service's JSON error body for errors that Node answers before routing. */
export function answerInOneShape(server: Server, connections: Connections): void {
  const answered = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // The parser reports an error again when more data of the same request arrives.
    if (answered.has(socket)) return;
    answered.add(socket);
    if (!socket.writable || error.code === 'ECONNRESET' || connections.isAnswering(socket)) {
      socket.destroy(error);
      return;
    }
    endSoon(socket, rawError(...(PARSER_REFUSALS[error.code ?? ''] ?? NOT_HTTP)));
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const json = JSON.stringify(bodyOfStatus(417, 'Only the expectation 100-continue is supported'));
    response.writeHead(417, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(json),
      Connection: 'close',
    });
    response.end(json);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    endSoon(socket, rawError(405, 'Proxying is not supported'));
  });
}

/** Sends the answer and closes the connection a little later, so that the client can read the answer. */
function endSoon(socket: Duplex, answer: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(answer);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
