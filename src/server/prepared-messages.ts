import { IncomingMessage, ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import express, { type Express } from 'express';
import {
  type HeaderLines,
  jsonOf,
  JsonText,
  lineOf,
  storeWithLines,
  strongTag,
} from '../common/http/answers.js';
import { plainAddress, UnreadableForwarding, withoutPorts } from '../common/http/forwarded-for.js';

/** Parts of a body that hold hardly anything: each takes a hundred times its size in memory, and as much time as a large one. */
const SMALL_PARTS = { bytes: 64, most: 4_096 };
const JSON_TYPE = lineOf('Content-Type', 'application/json; charset=utf-8');
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** As Node's server makes one, with what it was told of answers. */
const NodeResponse = ServerResponse as unknown as new (
  request: IncomingMessage,
  options: object,
) => ServerResponse;

/**
 * The classes of an application's requests and responses, with Express's methods.
 * @param endFlood ends a request whose body comes in too many parts
 */
export function preparedMessages(app: Express, endFlood: (request: IncomingMessage) => void) {
  const unreadable = new UnreadableForwarding();
  class PreparedRequest extends IncomingMessage {
    private address: string | undefined = undefined;
    private smallParts = 0;
    // What Express, its middleware and our guards write on it, each route another part. Requests of which one has more than
    // another are two kinds of objects to V8, and where it meets more than four kinds it looks up each property by its name, in
    // Node's own code as in ours: every read was dearer by a tenth once others had asked for something else.
    res = undefined;
    next = undefined;
    baseUrl = undefined;
    originalUrl = undefined;
    _parsedUrl = undefined;
    params = undefined;
    route = undefined;
    body = undefined;
    override id = undefined as never;
    secret = undefined;
    cookies = undefined;
    signedCookies = undefined;
    principal = undefined;
    sessionId = undefined;

    // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- without it arguments are gathered in a list and taken out of it again
    constructor(socket: Socket) {
      super(socket);
    }

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
  const whole = Reflect.get(express.response, 'json') as (
    this: ServerResponse,
    value: unknown,
  ) => ServerResponse;
  class PreparedResponse extends NodeResponse implements HeaderLines {
    lines = '';
    lastLines = '';
    isSecured = false;
    isConfidential = false;
    head: Buffer | undefined = undefined;
    // Written on it later, as on requests.
    locals = undefined;
    override statusCode = 200;
    override statusMessage = undefined as never;

    // eslint-disable-next-line @typescript-eslint/no-useless-constructor -- as above
    constructor(request: IncomingMessage, options: object) {
      super(request, options);
    }

    /** As Express has it, unless the client has something that the answer is to be compared with. */
    json(value: unknown): ServerResponse {
      const { method, headers } = this.req;
      const cacheControl = this.getHeader('Cache-Control');
      // Nobody keeps it, or asks for it again by its tag.
      const isKept = cacheControl === undefined ? !this.isConfidential : cacheControl !== 'no-store';
      const isCompared =
        isKept && (headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined);
      const text = isCompared || BODYLESS.has(this.statusCode) ? undefined : jsonOf(value);
      if (text === undefined) return whole.call(this, value);
      if (!this.hasHeader('Content-Type')) this.lines += JSON_TYPE;
      if (isKept && !this.hasHeader('ETag'))
        this.lines += lineOf('ETag', value instanceof JsonText ? value.tag : strongTag(text));
      if (method !== 'HEAD') return this.end(text);
      this.setHeader('Content-Length', Buffer.byteLength(text));
      return this.end();
    }
  }
  Reflect.set(PreparedResponse.prototype, '_storeHeader', storeWithLines);
  // Express's own prototypes end in IncomingMessage and ServerResponse, so they fit in between.
  Object.setPrototypeOf(PreparedRequest.prototype, app.request);
  Object.setPrototypeOf(PreparedResponse.prototype, app.response);
  app.request = PreparedRequest.prototype as unknown as Express['request'];
  app.response = PreparedResponse.prototype as unknown as Express['response'];
  return { PreparedRequest, PreparedResponse };
}
