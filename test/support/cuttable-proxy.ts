import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface CuttableProxy {
  /** The target's address through the proxy. */
  readonly url: string;
  /** Breaks every connection and refuses new connections, as if the server had stopped. */
  cut(): Promise<void>;
  /** Transfers no data but breaks no connection, like a network that drops packets. */
  hang(): void;
  /** Works normally again after `cut` or `hang`. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a TCP proxy on 127.0.0.1 in front of a database or another server. Tests can make it fail. */
export async function startCuttableProxy(target: string): Promise<CuttableProxy> {
  const url = new URL(target);
  const [host, targetPort] = [url.hostname, Number(url.port || 5432)];
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  let hanging = false;

  const listen = async () => {
    server = createServer((inner) => {
      const outer = connect(targetPort, host);
      for (const socket of [inner, outer]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          sockets.delete(socket);
          inner.destroy();
          outer.destroy();
        });
        if (hanging) socket.pause();
      }
      inner.on('data', (bytes) => {
        if (!hanging) outer.write(bytes);
      });
      outer.on('data', (bytes) => {
        if (!hanging) inner.write(bytes);
      });
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as { port: number }).port;
  };
  const cut = async () => {
    const closed = server && once(server, 'close');
    server?.close();
    server = undefined;
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  await listen();
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    cut,
    hang: () => {
      hanging = true;
    },
    mend: async () => {
      hanging = false;
      await cut();
      await listen();
    },
    close: cut,
  };
}
