import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connections } from './connections.js';

/** Headers whose only purpose is to offer another protocol. */
const OFFERS = new Set(['upgrade', 'http2-settings']);

/**
 * Serves requests that offer an unsupported protocol, such as `h2c` of curl and of Java's client, as if they had no offer.
 * Otherwise these requests would get no answer, because Node hands every request with an `Upgrade` header to the upgrade
 * listeners.
 * Call this function after the upgrade listeners are added. `accepts` selects the requests for these listeners.
 */
export function serveOtherUpgrades(
  server: Server,
  connections: Connections,
  accepts: (request: IncomingMessage) => boolean,
): void {
  server.prependListener('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Closes the connection if an earlier request is unanswered. Real clients do not offer another protocol then, and an
    // attacker could make the server read a thousand requests a thousand times.
    const isWaiting = connections.isWaiting(socket as Socket);
    if (!isWaiting && accepts(request)) return;
    const again = Buffer.concat([Buffer.from(headWithoutOffer(request), 'latin1'), head]);
    // Hides the request from Engine.IO by changing the path. Engine.IO handles requests below its path, and ignores all other
    // requests because of `destroyUpgrade: false`.
    request.url = '';
    if (isWaiting) socket.destroy();
    else {
      // Node reads the request again without the offer. So the body, keep-alive and all limits work as for any request.
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
