import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type Response } from 'express';
import { Connections } from '../common/http/connections.js';
import { preparedMessages } from './prepared-messages.js';
import { answerInOneShape } from '../common/http/server-errors.js';

/** How long a request may take to arrive, its body no less than its headers. */
const ARRIVAL_MS = 30_000;
const CHECK_ARRIVALS_MS = 1_000;
/** How long a client may accept nothing of its answer. */
const SILENCE_MS = 60_000;

/** Express on a server of ours, with limits on connections and on the time that requests and answers may take. */
export class PreparedExpressAdapter extends ExpressAdapter {
  private kept: Connections | undefined;

  /** @param mostOf how many connections the peer with this address may hold; without a limit by default */
  constructor(private readonly mostOf: (ip: string | undefined) => number = () => Infinity) {
    super(express());
  }

  /** Those of its server. */
  get connections(): Connections {
    if (!this.kept) throw new Error('There is no server yet');
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
        // Answered by `refuseUnreadable`, with a body.
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

/** The connections of an application on this adapter. */
export const connectionsOf = (app: INestApplication): Connections =>
  (app.getHttpAdapter() as unknown as PreparedExpressAdapter).connections;

/** As the errors of Node's parser. */
const tooManyParts = (): Error =>
  Object.assign(new Error('The body comes in too many parts'), { code: 'ERR_TOO_MANY_PARTS' });
