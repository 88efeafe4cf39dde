import { createServer } from 'node:net';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AppConfig } from '../config/app-config.js';

/** Of a machine without IPv6. */
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Listens where HOST says. Without it, in production at every address of the machine: `::`, which is reached by IPv4 and IPv6
 * alike, or `0.0.0.0` where IPv6 is switched off. Elsewhere at those of the machine itself, `127.0.0.1` and `::1`: nothing should be
 * reachable from another machine by accident, and browsers try either first for `localhost`.
 */
export async function listen(
  app: NestExpressApplication,
  { port, host, production }: Pick<AppConfig, 'port' | 'host' | 'production'>,
): Promise<void> {
  if (host !== undefined) await app.listen(port, host);
  else if (production) await app.listen(port);
  else {
    await app.listen(port, '127.0.0.1');
    await listenAlsoAt(app, '::1');
  }
}

/** A second address for the application's server: what connects there is handed to it. */
async function listenAlsoAt(app: NestExpressApplication, host: string): Promise<void> {
  const server = app.getHttpServer();
  const address = server.address();
  if (address === null || typeof address === 'string') return;
  // As Node's HTTP server makes its own.
  const door = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    if (server.listening) server.emit('connection', socket);
    else socket.destroy();
  });
  server.once('close', () => door.close());
  await new Promise<void>((resolve) => {
    door.once('listening', resolve);
    door.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (!NO_IPV6.has(code ?? ''))
        new Logger('Start').warn(
          `Not listening at [${host}]:${address.port} (${code ?? 'unknown'}): use http://127.0.0.1:${address.port}`,
        );
      resolve();
    });
    door.listen(address.port, host);
  });
}

/** The service cannot listen at its configured address; the message is one line for the operator. */
export class AddressUnusableError extends Error {}

const MEANINGS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not; ports below 1024 are for administrators',
  ENOTFOUND: 'nobody knows this name',
};

/**
 * Says what it means that listening failed, for the server of the application and for that of its metrics.
 * @throws AddressUnusableError, or `error` itself where it is about something else
 */
export function explainAddress(error: unknown): never {
  const { syscall, code, address, hostname, port } = error as NodeJS.ErrnoException & {
    address?: string;
    hostname?: string;
    port?: number;
  };
  const meaning = MEANINGS[code ?? ''];
  const listening = syscall === 'listen' || syscall === 'getaddrinfo';
  if (!meaning || !listening) throw error;
  const where = [address ?? hostname, port].filter((part) => part !== undefined).join(' port ');
  throw new AddressUnusableError(
    `Cannot listen at ${where}: ${meaning}. PORT and HOST say where, METRICS_PORT and METRICS_HOST for metrics.`,
    { cause: error },
  );
}
