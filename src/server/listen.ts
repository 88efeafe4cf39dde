import { createServer } from 'node:net';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AppConfig } from '../config/app-config.js';

/** Errors of a machine without IPv6. */
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Listens at HOST. Without HOST in production, listens at all addresses: `::`, which accepts IPv4 and IPv6, or `0.0.0.0` if
 * IPv6 is off. Otherwise listens only at the loopback addresses `127.0.0.1` and `::1`, so that other machines cannot reach the
 * service by accident. Both are needed, because browsers use either of them for `localhost`.
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

/** Listens at a second address and passes its connections to the application's server. */
async function listenAlsoAt(app: NestExpressApplication, host: string): Promise<void> {
  const server = app.getHttpServer();
  const address = server.address();
  if (address === null || typeof address === 'string') return;
  // The same options as in Node's HTTP server.
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
          `Cannot listen at [${host}]:${address.port} (${code ?? 'unknown'}); use http://127.0.0.1:${address.port}`,
        );
      resolve();
    });
    door.listen(address.port, host);
  });
}

/** The service cannot listen at its configured address. The message is one line for the operator. */
export class AddressUnusableError extends Error {}

const MEANINGS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program is listening there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not; ports below 1024 are for administrators',
  ENOTFOUND: 'this host name is unknown',
};

/**
 * Throws an error with an explanation if the application's server or the metrics server cannot listen.
 * @throws AddressUnusableError, or `error` itself if it has another reason
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
    `Cannot listen at ${where}: ${meaning}. Set PORT and HOST for the service, METRICS_PORT and METRICS_HOST for metrics.`,
    { cause: error },
  );
}
