import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { INestApplication } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server, ServerOptions } from 'socket.io';
import { repeatsHost } from '../common/http/unreadable-requests.js';
import type { Connections } from '../common/http/connections.js';
import { hostOf, originAllowed } from '../common/http/origins.js';
import { serveOtherUpgrades } from '../common/http/other-upgrades.js';
import { AppConfig } from '../config/app-config.js';
import { RedisService } from '../redis/redis.service.js';
import { AddressBudgets, addressOf, OpenSockets } from './address-limits.js';
import { CountedWebSockets, type EngineConnection, limitConnections } from './connection-limits.js';
import { serveEngineRequests, TOO_MANY_HANDSHAKES } from './engine-requests.js';
import { redisRooms } from './redis-rooms.js';

/** Maximum size of a client message. */
const MAX_MESSAGE_BYTES = 4_096;
/** Maximum time that the server waits at shutdown for clients to close their connections. */
const GOODBYE_MS = 1_500;

/**
 * Runs Socket.IO on the HTTP server. Checks the origin on every transport, limits the size of messages and shares rooms through
 * Redis.
 */
export class LiveAdapter extends IoAdapter {
  private readonly config: AppConfig;
  private readonly redis: RedisService;
  private readonly budgets: AddressBudgets;
  private readonly sockets: OpenSockets;
  private readonly upgraded = new Set<Duplex>();

  constructor(
    app: INestApplication,
    private readonly connections: Connections,
  ) {
    super(app);
    this.config = app.get(AppConfig);
    this.redis = app.get(RedisService);
    this.budgets = app.get(AddressBudgets);
    this.sockets = new OpenSockets(this.config);
  }

  override createIOServer(port: number, options?: ServerOptions): Server {
    const server = super.createIOServer(port, {
      ...options,
      cors: {
        origin: (origin: string | undefined, callback: (error: Error | null, allow?: boolean) => void) => {
          callback(null, originAllowed(this.config, origin));
        },
        credentials: true,
      },
      // This check refuses other origins. The `cors` option is not enough, because browsers ignore it for websockets.
      allowRequest: (request: IncomingMessage, callback: (error: string | null, allow: boolean) => void) => {
        const allowed = this.allows(request);
        if (allowed && isHandshake(request) && !this.mayOpen(request)) callback(TOO_MANY_HANDSHAKES, false);
        else callback(null, allowed);
      },
      serveClient: false,
      // Other upgrades stay open, because `serveOtherUpgrades` answers them.
      destroyUpgrade: false,
      maxHttpBufferSize: MAX_MESSAGE_BYTES,
      wsEngine: CountedWebSockets,
      // With these times, a wall notices a lost network within half a minute, even if the connection was not closed.
      pingInterval: 10_000,
      pingTimeout: 15_000,
      connectTimeout: 10_000,
    } as ServerOptions);
    limitConnections(server.engine);
    server.engine.on('connection', (connection: EngineConnection) => {
      this.sockets.count(connection);
    });
    serveEngineRequests(server.engine);
    this.serveUpgrades(server.path());
    if (this.config.redisUrl) server.adapter(redisRooms(this.redis));
    return server;
  }

  /** Closes all client connections. If a client does not answer, such as a sleeping phone, the server ends its connection. */
  override async close(server: Server): Promise<void> {
    const timer = setTimeout(() => {
      for (const connection of this.upgraded) connection.destroy();
    }, GOODBYE_MS);
    try {
      await super.close(server);
    } finally {
      clearTimeout(timer);
    }
  }

  private serveUpgrades(path: string): void {
    const http = this.httpServer as HttpServer;
    // Only GET is accepted. For another method, Engine.IO may neither answer nor close the connection.
    const isWebsocket = ({ headers, url, method, rawHeaders }: IncomingMessage) =>
      method === 'GET' &&
      !repeatsHost(rawHeaders) &&
      headers.upgrade?.toLowerCase() === 'websocket' &&
      url?.startsWith(`${path}/`) === true;
    http.on('upgrade', (request: IncomingMessage, connection: Duplex) => {
      if (!isWebsocket(request)) return;
      this.upgraded.add(connection);
      connection.once('close', () => this.upgraded.delete(connection));
    });
    serveOtherUpgrades(http, this.connections, isWebsocket);
  }

  private mayOpen(request: IncomingMessage): boolean {
    return this.sockets.hasRoom(request) && this.budgets.of('handshake', addressOf(request)).take();
  }

  private allows(request: IncomingMessage): boolean {
    const { origin, host } = request.headers;
    return originAllowed(this.config, origin) || (origin !== undefined && hostOf(origin) === host);
  }
}

/** The first request of a connection has no session id; later requests have one. */
const isHandshake = ({ url = '' }: IncomingMessage): boolean => !/[?&]sid=/.test(url);
