import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface CharitySite {
  /** Another origin than the service, with TLS, because `embed.origins` accepts only https. */
  readonly origin: string;
  /** The body of the page at `/`, and its content policy. */
  show(body: string, policy?: string): void;
  close(): Promise<void>;
}

/** Starts the website of a charity on this machine. Its certificate is self-signed, so the browser must ignore TLS errors. */
export async function startCharitySite(): Promise<CharitySite> {
  const folder = mkdtempSync(join(tmpdir(), 'donations-site-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const about = ['-subj', '/CN=www.charity.localhost', '-days', '2'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...about, '-keyout', key, '-out', cert],
    { stdio: 'ignore' },
  );
  let page = '';
  let policy: string | undefined;
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    if (request.url !== '/') {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    if (policy !== undefined) response.setHeader('Content-Security-Policy', policy);
    response.end(page);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  rmSync(folder, { recursive: true });
  return {
    origin: `https://www.charity.localhost:${String((server.address() as AddressInfo).port)}`,
    show: (body, given) => {
      policy = given;
      page = `<!doctype html><html lang="en"><head><title>Harbour Lights</title>
        <meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"></head>
        <body><main>${body}</main></body></html>`;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
