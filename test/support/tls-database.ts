import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

/** The first bytes of a client that wants TLS, and the answer of a server that supports TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 'S';

export interface TlsDatabase {
  /** Address of the database, which accepts only TLS. The address has no `sslmode`. */
  readonly url: string;
  /** File with the certificate of the authority that signed the certificate for 127.0.0.1. */
  readonly authority: string;
  close(): Promise<void>;
}

/** Starts a TLS server in front of a database, like a database host. By default, no machine trusts its certificate. */
export async function startTlsDatabase(target: string): Promise<TlsDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'donations-tls-'));
  const [keyFile, authority] = [join(folder, 'key.pem'), join(folder, 'ca.pem')];
  const about = ['-subj', '/CN=Test database', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...about, '-keyout', keyFile, '-out', authority],
    { stdio: 'ignore' },
  );
  const [key, cert] = [readFileSync(keyFile), readFileSync(authority)];
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();

  const server = createServer((inner) => {
    sockets.add(inner);
    inner.on('error', () => inner.destroy());
    inner.once('data', (first) => {
      if (!first.equals(SSL_REQUEST)) return inner.destroy();
      inner.write(YES);
      const open = new TLSSocket(inner, { isServer: true, key, cert });
      const outer = connect(Number(port || 5432), hostname);
      for (const socket of [open, outer]) {
        socket.on('error', () => undefined);
        socket.on('close', () => {
          open.destroy();
          outer.destroy();
        });
      }
      open.pipe(outer).pipe(open);
      return undefined;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    authority,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
