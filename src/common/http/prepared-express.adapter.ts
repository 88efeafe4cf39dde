import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { type HeaderLines, jsonOf, JsonText, lineOf, storeWithLines, strongTag } from './answers.js';
import { answerInOneShape } from './server-errors.js';

/**
 * Requests of one connection that wait for their answers. Browsers and proxies wait for each; who sends thousands in one go
 * takes the time and the memory of everybody.
 */
const MOST_UNANSWERED = 32;

export interface Connection {
  /** By `performance.now()`. */
  readonly since: number;
  readonly unanswered: ReadonlySet<ServerResponse>;
}

interface Kept extends Connection {
  readonly unanswered: Set<ServerResponse>;
  /** Called as a listener of a response. */
  readonly answered: (this: ServerResponse) => void;
}

/** The connections of a server, each with its requests that are not answered yet. */
export class Connections {
  private readonly open = new Map<Socket, Kept>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      // Such a one is read from its beginning again when a request offered another protocol.
      if (this.open.has(socket)) return;
      const unanswered = new Set<ServerResponse>();
      const answered = function (this: ServerResponse): void {
        unanswered.delete(this);
      };
      this.open.set(socket, { since: performance.now(), unanswered, answered });
      socket.once('close', () => this.open.delete(socket));
    });
  }

  all(): IterableIterator<[Socket, Connection]> {
    return this.open.entries();
  }

  /** Whether an answer is still due on the connection. */
  isWaiting(socket: Socket): boolean {
    return (this.open.get(socket)?.unanswered.size ?? 0) > 0;
  }

  /** Counts a request until it is answered; false where its connection is cut, or was. */
  admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const kept = this.open.get(socket);
    // What came in the same piece of the network's is read still.
    if (!kept || socket.destroyed) return false;
    const { unanswered, answered } = kept;
    if (unanswered.size === MOST_UNANSWERED) {
      socket.destroy();
      return false;
    }
    unanswered.add(response);
    response.on('close', answered);
    return true;
  }
}

/** How long a request may take to arrive, its body no less than its headers. */
const ARRIVAL_MS = 30_000;
const CHECK_ARRIVALS_MS = 1_000;
/** Parts of a body that hold hardly anything: each takes a hundred times its size in memory, and as much time as a large one. */
const SMALL_PARTS = { bytes: 64, most: 4_096 };
const JSON_TYPE = lineOf('Content-Type', 'application/json; charset=utf-8');
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Answers what it can at once of what is read; everything else goes, untouched, to the routes. */
export type FrontDoor = (request: Request, response: Response, toRoutes: () => void) => void;

/**
 * Express on request and response classes that already carry Express's methods.
 *
 * Express 5 sets the prototype of every request and response it sees, which costs more than all the rest of
 * it. Made from these classes they have the right prototype from birth, and the call finds nothing to change.
 */
export class PreparedExpressAdapter extends ExpressAdapter {
  private frontDoor: FrontDoor | undefined;
  private kept: Connections | undefined;

  constructor() {
    super(express());
  }

  /** Those of its server. */
  get connections(): Connections {
    if (!this.kept) throw new Error('There is no server yet');
    return this.kept;
  }

  /** Puts something before Express itself; before the server listens. */
  setFrontDoor(door: FrontDoor): void {
    this.frontDoor = door;
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    class PreparedRequest extends IncomingMessage {
      private address: string | undefined;
      private smallParts = 0;

      /** As Express has it; many ask for it, and it is worked out once. */
      get ip(): string | undefined {
        if (this.address === undefined) {
          const found: unknown =
            app.get('trust proxy') === false
              ? this.socket.remoteAddress
              : Reflect.get(express.request, 'ip', this);
          if (typeof found === 'string') this.address = found;
        }
        return this.address;
      }

      /** What Node has read of the body, and null at its end. */
      override push(part: Buffer | null): boolean {
        const isSmall = part !== null && part.length < SMALL_PARTS.bytes;
        if (!isSmall || ++this.smallParts <= SMALL_PARTS.most) return super.push(part);
        if (this.smallParts === SMALL_PARTS.most + 1) server.emit('clientError', tooManyParts(), this.socket);
        return false;
      }
    }
    const whole = Reflect.get(express.response, 'json') as (
      this: ServerResponse,
      value: unknown,
    ) => ServerResponse;
    class PreparedResponse extends ServerResponse implements HeaderLines {
      lines = '';
      lastLines = '';
      isSecured = false;
      isConfidential = false;

      /** As Express has it, unless the client has something that the answer is to be compared with. */
      json(value: unknown): ServerResponse {
        const { method, headers } = this.req;
        const cacheControl = this.getHeader('Cache-Control');
        // Nobody keeps it, or asks for it again by its tag.
        const isKept = cacheControl === undefined ? !this.isConfidential : cacheControl !== 'no-store';
        const isCompared =
          isKept && (headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined);
        const text = isCompared || BODYLESS.has(this.statusCode) ? undefined : jsonOf(value);
        if (text === undefined) return whole.call(this, value);
        if (!this.hasHeader('Content-Type')) this.lines += JSON_TYPE;
        if (isKept && !this.hasHeader('ETag'))
          this.lines += lineOf('ETag', value instanceof JsonText ? value.tag : strongTag(text));
        if (method !== 'HEAD') return this.end(text);
        this.setHeader('Content-Length', Buffer.byteLength(text));
        return this.end();
      }
    }
    Reflect.set(PreparedResponse.prototype, '_storeHeader', storeWithLines);
    // Express's own prototypes end in IncomingMessage and ServerResponse, so they fit in between.
    Object.setPrototypeOf(PreparedRequest.prototype, app.request);
    Object.setPrototypeOf(PreparedResponse.prototype, app.response);
    app.request = PreparedRequest.prototype as unknown as Express['request'];
    app.response = PreparedResponse.prototype as unknown as Express['response'];
    const server = createServer(
      {
        IncomingMessage: PreparedRequest,
        ServerResponse: PreparedResponse as unknown as typeof ServerResponse,
        headersTimeout: ARRIVAL_MS,
        requestTimeout: ARRIVAL_MS,
        connectionsCheckingInterval: CHECK_ARRIVALS_MS,
        // Answered by `refuseUnreadable`, with a body.
        requireHostHeader: false,
      },
      ((request: Request, response: Response) => {
        if (!connections.admit(request, response)) return;
        const toRoutes = () => {
          app(request, response);
        };
        if (this.frontDoor && request.method === 'GET') this.frontDoor(request, response, toRoutes);
        else toRoutes();
      }) as unknown as RequestListener,
    );
    const connections = (this.kept = new Connections(server));
    answerInOneShape(server);
    this.httpServer = server;
  }
}

/** The connections of an application on this adapter. */
export const connectionsOf = (app: INestApplication): Connections =>
  (app.getHttpAdapter() as unknown as PreparedExpressAdapter).connections;

/** As the errors of Node's parser. */
const tooManyParts = (): Error =>
  Object.assign(new Error('The body comes in too many parts'), { code: 'ERR_TOO_MANY_PARTS' });

/** Several steps as one: Express looks at every path, and opens a try, for each that it knows of. */
export const inOrder =
  (...steps: readonly RequestHandler[]): RequestHandler =>
  (request, response, next) => {
    let at = 0;
    const goOn = (error?: unknown): void => {
      const step = error ? undefined : steps[at++];
      if (step) void step(request, response, goOn);
      else next(error);
    };
    goOn();
  };
