import { randomFillSync } from 'node:crypto';
import { type IncomingMessage, ServerResponse } from 'node:http';

/** As many as those of Engine.IO have. */
const ID_BYTES = 15;
const pool = Buffer.alloc(ID_BYTES * 256);
let taken = pool.length;

/** The secret name of a connection. Random bytes are asked of the system for many at once; each serves one, and is forgotten. */
export function connectionId(): string {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  const bytes = pool.subarray(taken, (taken += ID_BYTES));
  const id = bytes.toString('base64url');
  bytes.fill(0);
  return id;
}

/** What Engine.IO keeps to itself: its middlewares, and the query of a request, which it reads where there is none yet. */
interface Engine {
  _applyMiddlewares(request: IncomingMessage, response: unknown, callback: (error?: unknown) => void): void;
}
interface EngineRequest extends IncomingMessage {
  _query?: Record<string, string>;
}

/**
 * Websockets pass the middlewares of Engine.IO by: all of them are for answers of HTTP, an upgrade has none, and each is a
 * promise for everybody who connects.
 */
export function skipMiddlewaresOfUpgrades(engine: object): void {
  const inner = engine as Engine;
  const apply = inner._applyMiddlewares.bind(engine);
  inner._applyMiddlewares = (request, response, callback) => {
    if (response instanceof ServerResponse) apply(request, response, callback);
    else callback();
  };
}

/** The query that nearly every client connects with needs no parser of addresses. */
export function readUsualQuery(request: IncomingMessage, path: string): void {
  if (request.url === `${path}/?EIO=4&transport=websocket`)
    (request as EngineRequest)._query = { EIO: '4', transport: 'websocket' };
}
