import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

export interface HttpBalancer {
  readonly url: string;
  /** Sets the addresses to which the balancer sends requests in turn. */
  use(urls: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * A balancer with the rules of docs/deploy/nginx.conf. It sends a request to the next process if the request reached no
 * process, or if a process answered a GET with 503. It never repeats a request that a process may have begun to handle. Each
 * request has its own connection, because a process may close a shared one.
 */
export async function startHttpBalancer(): Promise<HttpBalancer> {
  let targets: readonly URL[] = [];
  let turn = 0;

  const forward = (
    incoming: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    tries: number,
  ): void => {
    const target = targets[turn++ % Math.max(1, targets.length)];
    const again = () => {
      if (tries > 1) forward(incoming, body, response, tries - 1);
      else response.writeHead(502).end();
    };
    if (!target) {
      again();
      return;
    }
    let isConnected = false;
    const { method, headers } = incoming;
    const outgoing = request(
      {
        host: target.hostname,
        port: target.port,
        path: incoming.url,
        method,
        headers: { ...headers, connection: 'close' },
        agent: false,
      },
      (answer) => {
        if (answer.statusCode === 503 && method === 'GET' && tries > 1) {
          answer.resume();
          again();
          return;
        }
        const { connection: _, ...passed } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, passed);
        answer.pipe(response);
        answer.once('error', () => response.destroy());
      },
    );
    outgoing.on('socket', (socket) => socket.once('connect', () => (isConnected = true)));
    outgoing.on('error', () => {
      if (response.headersSent) response.destroy();
      else if (!isConnected) again();
      else response.writeHead(502).end();
    });
    outgoing.end(body);
  };

  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.once('end', () => {
      forward(incoming, Buffer.concat(parts), response, targets.length * 2);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    use: (urls) => {
      targets = urls.map((url) => new URL(url));
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
