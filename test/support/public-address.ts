import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type LookupFunction, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const NAME = 'give.charity.test';

export interface PublicAddressOptions {
  /** Name in the certificate; default: the right one. */
  readonly name?: string;
  readonly days?: number;
  /** Answers all requests itself. */
  readonly answer?: { readonly status: number; readonly headers?: Record<string, string> };
  /** The proxy answers upgrades as ordinary requests. */
  readonly withoutUpgrades?: boolean;
  /** The proxy passes the client's X-Forwarded-For on as it is. */
  readonly believesClients?: boolean;
}

export interface PublicAddress {
  readonly url: string;
  readonly ca: string;
  /** Resolves the name of the address to this machine. */
  readonly lookup: LookupFunction;
  stop(): Promise<void>;
}

/** Starts a proxy with TLS in front of the service, with a certificate of its own authority. */
export async function startPublicAddress(
  target: () => string,
  {
    name = NAME,
    days = 90,
    answer,
    withoutUpgrades = false,
    believesClients = false,
  }: PublicAddressOptions = {},
): Promise<PublicAddress> {
  const folder = mkdtempSync(join(tmpdir(), 'donations-address-'));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const about = ['-subj', '/CN=Test', '-addext', `subjectAltName=DNS:${name}`, '-days', String(days)];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await promisify(execFile)('openssl', [...made, ...about, '-keyout', keyFile, '-out', certFile]);
  const [key, cert] = [readFileSync(keyFile), readFileSync(certFile, 'utf8')];
  rmSync(folder, { recursive: true, force: true });
  const forwarded = (headers: IncomingMessage['headers']) => {
    const given = headers['x-forwarded-for'];
    const own = '203.0.113.9';
    return {
      ...headers,
      'x-forwarded-for': given === undefined ? own : believesClients ? given : `${String(given)}, ${own}`,
    };
  };
  const server = createServer({ key, cert }, (incoming, response) => {
    if (answer) {
      response.writeHead(answer.status, answer.headers).end();
      return;
    }
    const { hostname, port } = new URL(target());
    const outgoing = request(
      {
        hostname,
        port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...forwarded(incoming.headers), connection: 'close' },
      },
      (passed) => {
        response.writeHead(passed.statusCode ?? 502, passed.headers);
        passed.pipe(response);
      },
    );
    outgoing.on('error', () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  if (!withoutUpgrades)
    server.on('upgrade', (incoming: IncomingMessage, socket: Socket) => {
      const { hostname, port } = new URL(target());
      const outer = connect(Number(port), hostname);
      const headers = Object.entries(forwarded(incoming.headers)).map(
        ([field, value]) => `${field}: ${String(value)}`,
      );
      outer.write([`GET ${incoming.url ?? '/'} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
      for (const one of [outer, socket]) one.on('error', () => one.destroy());
      outer.pipe(socket).pipe(outer);
    });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://${NAME}:${(server.address() as AddressInfo).port}`,
    ca: cert,
    lookup: (_host, options, done) => {
      if (options.all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
      else done(null, '127.0.0.1', 4);
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
