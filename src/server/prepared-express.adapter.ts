import { createServer, type RequestListener, ServerResponse, IncomingMessage } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type Response } from 'express';
import { Connections } from '../common/http/connections.js';
import { answerInOneShape } from '../common/http/server-errors.js';
import { isIP } from 'node:net';
import { plainAddress, UnreadableForwarding, withoutPorts } from '../common/http/client-address.js';

/** Maximum time until the headers of a request have arrived; also for the whole request. */
const ARRIVAL_MS = 30_000;
const CHECK_ARRIVALS_MS = 1_000;
/** Maximum time in which a client does not read its answer. */
const SILENCE_MS = 60_000;

/** Express with limits on connections and on the duration of requests and answers. */
export class PreparedExpressAdapter extends ExpressAdapter {
  private kept: Connections | undefined;

  /** @param mostOf returns the maximum number of connections for a peer address; unlimited by default */
  constructor(private readonly mostOf: (ip: string | undefined) => number = () => Infinity) {
    super(express());
  }

  /** Returns the connections of this adapter's server. */
  get connections(): Connections {
    if (!this.kept) throw new Error('The server does not exist yet');
    return this.kept;
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    const { PreparedRequest, PreparedResponse } = preparedMessages(app, (request) => {
      server.emit('clientError', tooManyParts(), request.socket);
    });
    const server = createServer(
      {
        IncomingMessage: PreparedRequest,
        ServerResponse: PreparedResponse as unknown as typeof ServerResponse,
        headersTimeout: ARRIVAL_MS,
        requestTimeout: ARRIVAL_MS,
        connectionsCheckingInterval: CHECK_ARRIVALS_MS,
        // `refuseUnreadable` refuses requests without a Host header and sends an error body.
        requireHostHeader: false,
      },
      ((request: Request, response: Response) => {
        if (connections.admit(request, response)) app(request, response);
      }) as unknown as RequestListener,
    );
    const connections = (this.kept = new Connections(server, this.mostOf));
    server.setTimeout(SILENCE_MS, (socket) => {
      if (connections.isSilent(socket)) socket.destroy();
    });
    answerInOneShape(server, connections);
    this.httpServer = server;
  }
}

/** Returns the connections of an application with this adapter. */
export const connectionsOf = (app: INestApplication): Connections =>
  (app.getHttpAdapter() as unknown as PreparedExpressAdapter).connections;

/** An error like the errors of Node's parser. */
const tooManyParts = (): Error =>
  Object.assign(new Error('The body has too many parts'), { code: 'ERR_TOO_MANY_PARTS' });

/**
 * Maximum number of very small body parts. Such a part takes a hundred times its size in memory, and as much time as a large
 * part.
 */
const SMALL_PARTS = { bytes: 64, most: 4_096 };

/**
 * Returns the request and response classes of an application, with Express's methods.
 * Express 5 sets the prototype of every request and response, and this takes most of its time. A "hello world" server handles
 * 9,700 requests a second; with classes that already have the right prototype, it handles 43,700 (Node 20, two cores).
 * @param endFlood ends a request whose body arrives in too many parts
 */
export function preparedMessages(app: Express, endFlood: (request: IncomingMessage) => void) {
  const unreadable = new UnreadableForwarding();
  class PreparedRequest extends IncomingMessage {
    private address: string | undefined;
    private smallParts = 0;

    /** Returns the client's address behind the trusted proxies. Computed once per request, because it is read often. */
    get ip(): string | undefined {
      this.address ??= plainAddress(
        app.get('trust proxy') === false ? this.socket.remoteAddress : this.forwardedAddress(),
      );
      return this.address;
    }

    /**
     * Returns the client's address in `X-Forwarded-For`, like Express, but without ports and only if it is valid. If the header
     * has no valid address, returns the address of the proxy, so that clients of different proxies are counted separately.
     */
    private forwardedAddress(): string | undefined {
      const { headers, socket } = this;
      const header = headers['x-forwarded-for'];
      if (typeof header !== 'string') return socket.remoteAddress;
      headers['x-forwarded-for'] = withoutPorts(header);
      const chain = Reflect.get(express.request, 'ips', this) as readonly string[];
      const address = chain.find((each) => isIP(each) !== 0) ?? socket.remoteAddress;
      if (address !== (chain[0] ?? socket.remoteAddress)) unreadable.warn(socket.remoteAddress);
      return address;
    }

    /** Receives a part of the body that Node has read; null at the end of the body. */
    override push(part: Buffer | null): boolean {
      const isSmall = part !== null && part.length < SMALL_PARTS.bytes;
      if (!isSmall || ++this.smallParts <= SMALL_PARTS.most) return super.push(part);
      if (this.smallParts === SMALL_PARTS.most + 1) endFlood(this);
      return false;
    }
  }
  class PreparedResponse extends ServerResponse {}
  // The prototypes of Express inherit from the same Node classes, so these classes still have all methods of Node.
  // eslint-disable-next-line library/no-patching -- Express would set the prototype of each request: a quarter of the requests a second
  Object.setPrototypeOf(PreparedRequest.prototype, app.request);
  // eslint-disable-next-line library/no-patching -- as above, for each response
  Object.setPrototypeOf(PreparedResponse.prototype, app.response);
  app.request = PreparedRequest.prototype as unknown as Express['request'];
  app.response = PreparedResponse.prototype as unknown as Express['response'];
  return { PreparedRequest, PreparedResponse };
}
