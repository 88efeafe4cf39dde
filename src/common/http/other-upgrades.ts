import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connections } from './connections.js';

/** Headers that only offer another protocol. */
const OFFERS = new Set(['upgrade', 'http2-settings']);

/**
 * Serves requests that offer an upgrade nobody here takes, such as `h2c` of curl and of Java's client, as if
 * they had not offered it. Node hands every request with an `Upgrade` header to the upgrade listeners, which
 * leave such a request without an answer.
 *
 * Call after those listeners are there. `accepts` says which requests are theirs; no other reaches them under its address.
 */
export function serveOtherUpgrades(
  server: Server,
  connections: Connections,
  accepts: (request: IncomingMessage) => boolean,
): void {
  server.prependListener('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // No client offers another protocol while it waits for an answer in this one; a thousand such would be read a thousand times.
    const isWaiting = connections.isWaiting(socket as Socket);
    if (!isWaiting && accepts(request)) return;
    const again = Buffer.concat([Buffer.from(headWithoutOffer(request), 'latin1'), head]);
    // Engine.IO takes what stands under its path, and with `destroyUpgrade: false` leaves all else alone.
    request.url = '';
    if (isWaiting) socket.destroy();
    else {
      // Read again without the offer; the body, keep-alive and all limits are then those of any request.
      socket.unshift(again);
      server.emit('connection', socket);
    }
  });
}

function headWithoutOffer(request: IncomingMessage): string {
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/${request.httpVersion}`];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(at, at + 2);
    if (OFFERS.has(name.toLowerCase())) continue;
    lines.push(`${name}: ${name.toLowerCase() === 'connection' ? withoutOffers(value) : value}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

const withoutOffers = (connection: string): string =>
  connection
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option !== '' && !OFFERS.has(option.toLowerCase()))
    .join(', ') || 'keep-alive';
