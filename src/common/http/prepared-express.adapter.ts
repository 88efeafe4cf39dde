import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express } from 'express';

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
      { IncomingMessage: PreparedRequest, ServerResponse: PreparedResponse },
      app as unknown as RequestListener,
    );
  }
}
