import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { INestApplication, WsMessageHandler } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server, ServerOptions, Socket } from 'socket.io';
import { Decoder } from 'socket.io-parser';
import { repeatsHost } from '../common/http/unreadable-requests.js';
import type { Connections } from '../common/http/connections.js';
import { clientConnections } from '../common/http/connection-limit.js';
import { hostOf, originAllowed } from '../common/http/origins.js';
import { serveOtherUpgrades } from '../common/http/other-upgrades.js';
import { AppConfig } from '../config/app-config.js';
import { RedisService } from '../redis/redis.service.js';
import { AddressBudgets, addressOf } from './address-budgets.js';
import { AnswerEncoder } from './answer-encoder.js';
import { checkRequest } from './checked-requests.js';
import { serveClientScript } from './client-script.js';
import { refuseInOneShape, answerUpgradeInOneShape, TOO_MANY_HANDSHAKES } from './engine-errors.js';
import { CountedWebSockets, cutFloods } from './floods.js';
import { OpenSockets } from './open-sockets.js';
import { connectionId, readUsualQuery, skipMiddlewaresOfUpgrades } from './quick-handshakes.js';
import { redisRooms } from './redis-rooms.js';

/** The most one message of a client may have. */
const MAX_MESSAGE_BYTES = 4_096;
/** How long closing waits for answers to its goodbye. */
const GOODBYE_MS = 1_500;

/** Socket.IO on the HTTP server: known origins only, on every transport, small messages, rooms shared by Redis. */
export class LiveAdapter extends IoAdapter {
  private readonly config: AppConfig;
  private readonly redis: RedisService;
  private readonly budgets: AddressBudgets;
  private readonly sockets: OpenSockets;

  constructor(
    app: INestApplication,
    private readonly connections: Connections,
  ) {
    super(app);
    this.config = app.get(AppConfig);
    this.redis = app.get(RedisService);
    this.budgets = app.get(AddressBudgets);
    this.sockets = new OpenSockets(clientConnections(this.config));
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
      // The `cors` option does not stop a foreign page's websocket; this does.
      allowRequest: (request: IncomingMessage, callback: (error: string | null, allow: boolean) => void) => {
        const allowed = this.allows(request);
        if (allowed && isHandshake(request) && !this.mayOpen(request)) callback(TOO_MANY_HANDSHAKES, false);
        else callback(null, allowed);
      },
      serveClient: false,
      parser: { Encoder: AnswerEncoder, Decoder },
      maxHttpBufferSize: MAX_MESSAGE_BYTES,
      wsEngine: CountedWebSockets,
      // A wall notices within half a minute that its network is gone, also when the connection was not closed.
      pingInterval: 10_000,
      pingTimeout: 15_000,
      connectTimeout: 10_000,
    } as ServerOptions);
    server.engine.on('connection', cutFloods);
    server.engine.on('connection', this.sockets.count);
    server.engine.use(checkRequest);
    server.engine.use(serveClientScript);
    server.engine.use(refuseInOneShape);
    skipMiddlewaresOfUpgrades(server.engine);
    server.engine.generateId = connectionId;
    this.serveUpgrades(server.path());
    if (this.config.redisUrl) server.adapter(redisRooms(this.redis));
    return server;
  }

  /**
   * As the library's, without its pipeline of observables: a message has one answer, and none of the handlers gives
   * anything else.
   */
  override bindMessageHandlers(socket: Socket, handlers: readonly WsMessageHandler[]): void {
    for (const { message, callback, isAckHandledManually } of handlers)
      socket.on(message, (...sent: unknown[]) => {
        const ack = sent.at(-1);
        const isAsked = typeof ack === 'function';
        const parts = isAsked ? sent.slice(0, -1) : sent;
        (callback(parts.length > 1 ? parts : parts[0], ack) as Promise<unknown>).then(
          (answer) => {
            if (isAsked && !isAckHandledManually) (ack as (answer: unknown) => void)(answer);
          },
          (error: unknown) => {
            this.logger.error(error);
          },
        );
      });
  }

  /** Says goodbye to everybody; who does not answer, such as a telephone that fell asleep, is not waited for. */
  override async close(server: Server): Promise<void> {
    const websockets = websocketsOf(server);
    const timer = setTimeout(() => {
      for (const websocket of websockets) websocket?.terminate();
    }, GOODBYE_MS);
    try {
      await super.close(server);
    } finally {
      clearTimeout(timer);
    }
  }

  private serveUpgrades(path: string): void {
    const http = this.httpServer as HttpServer;
    // Before the listener of Engine.IO, which writes its refusals onto the connection.
    http.prependListener('upgrade', (request: IncomingMessage, socket: Duplex) => {
      answerUpgradeInOneShape(socket);
      readUsualQuery(request, path);
    });
    serveOtherUpgrades(
      http,
      this.connections,
      // With any other method Engine.IO may end its part without a word, and leave the connection open for ever.
      ({ headers, url, method, rawHeaders }) =>
        method === 'GET' &&
        !repeatsHost(rawHeaders) &&
        headers.upgrade?.toLowerCase() === 'websocket' &&
        url?.startsWith(`${path}/`) === true,
    );
  }

  private mayOpen(request: IncomingMessage): boolean {
    return this.sockets.hasRoom(request) && this.budgets.of('handshake', addressOf(request)).take();
  }

  private allows(request: IncomingMessage): boolean {
    const { origin, host } = request.headers;
    return originAllowed(this.config, origin) || (origin !== undefined && hostOf(origin) === host);
  }
}

/** Later requests of a connection name its session. */
const isHandshake = ({ url = '' }: IncomingMessage): boolean => !/[?&]sid=/.test(url);

interface Terminable {
  terminate(): void;
}

/** The websockets under all connections; Engine.IO keeps them to itself, and long polling has none. */
function websocketsOf(server: Server): (Terminable | undefined)[] {
  const { clients } = server.engine as unknown as {
    clients: Record<string, { transport: { socket?: Terminable } }>;
  };
  return Object.values(clients).map(({ transport }) => transport.socket);
}
