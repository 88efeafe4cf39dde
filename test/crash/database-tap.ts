import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A moment in the communication between server and database. */
export type Moment =
  /** A named statement, such as `donation_attach_payment`. */
  | { readonly statement: string }
  /** The COMMIT of the transaction in which a named statement ran. */
  | { readonly commitOf: string };

/**
 * A TCP proxy between the server and PostgreSQL. It can stop the server at any statement: before PostgreSQL receives the
 * statement, or before the server receives its result. The test then kills the server or breaks its connection. The server
 * contains no code for this.
 */
export interface DatabaseTap {
  /** The database's address through the proxy. */
  readonly url: string;
  /** Stops the next connection at this moment, once. Resolves when the connection is stopped. */
  holdBefore(moment: Moment): Promise<void>;
  holdAfter(moment: Moment): Promise<void>;
  /** Breaks the stopped connections, like a database outage. */
  breakHeld(): void;
  close(): Promise<void>;
}

interface Hold {
  readonly moment: Moment;
  readonly side: 'before' | 'after';
  readonly reached: () => void;
}

const PATIENCE_MS = 15_000;

export async function startDatabaseTap(target: string): Promise<DatabaseTap> {
  const url = new URL(target);
  const [host, port] = [url.hostname, Number(url.port || 5432)];
  const open = new Set<Socket>();
  const held = new Set<Socket>();
  let holds: Hold[] = [];

  const take = (message: string, transaction: string): Hold | undefined => {
    const hold = holds.find(({ moment }) => isAt(moment, message, transaction));
    holds = holds.filter((one) => one !== hold);
    return hold;
  };

  const server = createServer((inner) => {
    const outer = connect(port, host);
    for (const socket of [inner, outer]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        open.delete(socket);
        held.delete(socket);
        inner.destroy();
        outer.destroy();
      });
    }
    let transaction = '';
    let silenced: Hold | undefined;
    inner.on('data', (bytes) => {
      const message = bytes.toString('latin1');
      transaction = message.includes('BEGIN') ? message : transaction + message;
      const hold = held.has(inner) ? undefined : take(message, transaction);
      if (hold) held.add(inner);
      if (hold?.side === 'before') {
        hold.reached();
        return;
      }
      silenced ??= hold;
      outer.write(bytes);
    });
    outer.on('data', (bytes) => {
      if (silenced) silenced.reached();
      else inner.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const hold = (side: Hold['side'], moment: Moment) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`the server never reached ${JSON.stringify(moment)}`));
      }, PATIENCE_MS);
      const reached = () => {
        clearTimeout(timer);
        resolve();
      };
      holds.push({ side, moment, reached });
    });
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    holdBefore: (moment) => hold('before', moment),
    holdAfter: (moment) => hold('after', moment),
    breakHeld: () => {
      for (const socket of held) socket.destroy();
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Statement names are plain text in PostgreSQL's protocol. COMMIT is a statement without a name. */
function isAt(moment: Moment, message: string, transaction: string): boolean {
  if ('statement' in moment) return message.includes(`${moment.statement}\0`);
  return message.includes('COMMIT\0') && transaction.includes(`${moment.commitOf}\0`);
}
