import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express } from 'express';
import { answerInOneShape } from './server-errors.js';

/** How long a request may take to arrive, its body no less than its headers. */
const ARRIVAL_MS = 30_000;
const CHECK_ARRIVALS_MS = 1_000;

/**
 * Express on request and response classes that already carry Express's methods.
 *
 * Express 5 sets the prototype of every request and response it sees, which costs more than all the rest of
 * it. Made from these classes they have the right prototype from birth, and the call finds nothing to change.
 */
export class PreparedExpressAdapter extends ExpressAdapter {
  constructor() {
    super(express());
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    class PreparedRequest extends IncomingMessage {}
    class PreparedResponse extends ServerResponse {}
    // Express's own prototypes end in IncomingMessage and ServerResponse, so they fit in between.
    Object.setPrototypeOf(PreparedRequest.prototype, app.request);
    Object.setPrototypeOf(PreparedResponse.prototype, app.response);
    app.request = PreparedRequest.prototype as unknown as Express['request'];
    app.response = PreparedResponse.prototype as unknown as Express['response'];
    this.httpServer = createServer(
      {
        IncomingMessage: PreparedRequest,
        ServerResponse: PreparedResponse,
        headersTimeout: ARRIVAL_MS,
        requestTimeout: ARRIVAL_MS,
        connectionsCheckingInterval: CHECK_ARRIVALS_MS,
        // Answered by `refuseUnreadable`, with a body.
        requireHostHeader: false,
      },
      app as unknown as RequestListener,
    );
    answerInOneShape(this.httpServer);
  }
}
