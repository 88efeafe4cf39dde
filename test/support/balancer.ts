import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  readonly url: string;
  /** Breaks all connections through the balancer, like a network failure. */
  cut(): void;
  /** True if the balancer accepts connections. Tests may change it. */
  open: boolean;
  close(): Promise<void>;
}

/** A plain TCP balancer. It connects to the addresses in turn, and to the next address if one does not answer. */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const targets = urls.map((url) => new URL(url));
  const connections = new Set<Socket>();
  let turn = 0;
  const balancer = { open: true };

  const dial = (client: Socket, attempts: number): void => {
    const target = targets[turn++ % targets.length];
    if (!target || attempts === 0) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    connections.add(upstream);
    let connected = false;
    upstream.once('connect', () => {
      connected = true;
      client.pipe(upstream).pipe(client);
    });
    upstream.once('error', () => {
      if (!connected) dial(client, attempts - 1);
    });
    upstream.once('close', () => {
      connections.delete(upstream);
      if (connected) client.destroy();
    });
    client.once('close', () => upstream.destroy());
  };

  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (!balancer.open) {
      client.destroy();
      return;
    }
    connections.add(client);
    client.once('close', () => connections.delete(client));
    dial(client, targets.length);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const cut = () => {
    for (const connection of connections) connection.destroy();
  };
  return Object.assign(balancer, {
    url: `http://127.0.0.1:${String(address.port)}`,
    cut,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  });
}
