import { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import express, { type Express } from 'express';
import { plainAddress, UnreadableForwarding, withoutPorts } from '../common/http/forwarded-for.js';

/** Parts of a body that hold hardly anything: each takes a hundred times its size in memory, and as much time as a large one. */
const SMALL_PARTS = { bytes: 64, most: 4_096 };

/**
 * The classes of an application's requests and responses, with Express's methods.
 *
 * Express 5 sets the prototype of every request and response, which costs more than all the rest of it: hello world 9,700
 * requests a second, 43,700 where they are made from classes that have the right prototype already (Node 20, two cores).
 * @param endFlood ends a request whose body comes in too many parts
 */
export function preparedMessages(app: Express, endFlood: (request: IncomingMessage) => void) {
  const unreadable = new UnreadableForwarding();
  class PreparedRequest extends IncomingMessage {
    private address: string | undefined;
    private smallParts = 0;

    /** The client's address behind the proxies that are trusted; many ask for it, and it is worked out once. */
    get ip(): string | undefined {
      this.address ??= plainAddress(
        app.get('trust proxy') === false ? this.socket.remoteAddress : this.forwardedAddress(),
      );
      return this.address;
    }

    /** As Express has it, ports aside: the furthest that is an address, so that a header without one cannot join the clients of all proxies. */
    private forwardedAddress(): string | undefined {
      const { headers, socket } = this;
      const header = headers['x-forwarded-for'];
      if (typeof header !== 'string') return socket.remoteAddress;
      headers['x-forwarded-for'] = withoutPorts(header);
      const chain = Reflect.get(express.request, 'ips', this) as readonly string[];
      const address = chain.find((each) => isIP(each) !== 0) ?? socket.remoteAddress;
      if (address !== (chain[0] ?? socket.remoteAddress)) unreadable.warn(socket.remoteAddress);
      return address;
    }

    /** What Node has read of the body, and null at its end. */
    override push(part: Buffer | null): boolean {
      const isSmall = part !== null && part.length < SMALL_PARTS.bytes;
      if (!isSmall || ++this.smallParts <= SMALL_PARTS.most) return super.push(part);
      if (this.smallParts === SMALL_PARTS.most + 1) endFlood(this);
      return false;
    }
  }
  class PreparedResponse extends ServerResponse {}
  // Express's own prototypes end in IncomingMessage and ServerResponse, so they fit in between.
  // eslint-disable-next-line library/no-patching -- Express would set the prototype of each request: a quarter of the requests a second
  Object.setPrototypeOf(PreparedRequest.prototype, app.request);
  // eslint-disable-next-line library/no-patching -- as above, of each response
  Object.setPrototypeOf(PreparedResponse.prototype, app.response);
  app.request = PreparedRequest.prototype as unknown as Express['request'];
  app.response = PreparedResponse.prototype as unknown as Express['response'];
  return { PreparedRequest, PreparedResponse };
}
