import type { Duplex } from 'node:stream';

const held = new Set<Duplex>();

/**
 * Has whatever is written onto a connection leave in one write, at the end of this turn of the event loop. A system call
 * costs as much as all that goes before it, and the more when it wakes who waits for it: a hall that connects is answered
 * by many writes in a row, after all that came in the same turn has been read.
 */
export function holdForThisTurn(connection: Duplex): void {
  if (held.has(connection)) return;
  connection.cork();
  held.add(connection);
  if (held.size === 1) setImmediate(release);
}

/** Whether what is written onto the connection waits for the end of this turn. */
export const isHeld = (connection: Duplex): boolean => held.has(connection);

function release(): void {
  const connections = [...held];
  held.clear();
  for (const connection of connections) connection.uncork();
}
