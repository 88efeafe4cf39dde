import type { INestApplication } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server, ServerOptions } from 'socket.io';
import { originAllowed } from '../common/http/origins.js';
import { AppConfig } from '../config/app-config.js';

/** Socket.IO on the HTTP server: known origins only, on every transport, and small messages. */
export class LiveAdapter extends IoAdapter {
  private readonly config: AppConfig;

  constructor(app: INestApplication) {
    super(app);
    this.config = app.get(AppConfig);
  }

  override createIOServer(port: number, options?: ServerOptions): Server {
    return super.createIOServer(port, {
      ...options,
      cors: { origin: [...this.config.corsOrigins], credentials: true },
      // The `cors` option does not stop a foreign page's websocket; this does.
      allowRequest: (request, callback) => {
        callback(null, originAllowed(this.config, request.headers.origin));
      },
      maxHttpBufferSize: 4096,
    } as ServerOptions);
  }
}
