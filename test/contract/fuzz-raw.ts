import { connect } from 'node:net';
import fc from 'fast-check';
import type { Route } from './described.js';
import { tally } from './fuzz-tally.js';
import { oddText, type World } from './fuzz-requests.js';

/** How a request arrives: at once, in pieces with pauses, or never completely. */
type Arrival = 'whole' | 'slow' | 'unfinished';

/** A request that the test sends as bytes on its own connection. */
export interface RawShot {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly string[];
  readonly body: string | undefined;
  readonly chunked: boolean;
  readonly arrival: Arrival;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'LINK'];
const UPGRADES = ['websocket', 'WebSocket', 'websocket, h2c', 'h2c', 'TLS/1.0', ',', 'x'.repeat(300)];
const CONNECTIONS = ['Upgrade', 'close, upgrade', 'Upgrade, HTTP2-Settings', 'keep-alive'];
const WEBSOCKET = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
/** Time in milliseconds after which the test closes an unfinished request. Another test covers the server's own limit. */
const HELD_MS = 400;
const PIECE_MS = 15;
const ANSWER_MS = 20_000;

const CONTINUE = /^HTTP\/1\.1 100 Continue\r\n\r\n/;

const safePath = (text: string) => encodeURIComponent(text.toWellFormed()) || '%20';

/** Generates unusual methods on routes, pages and long-polling sessions, upgrade offers, and slow or missing bodies. */
export function rawShotsOf(
  routes: readonly Route[],
  sessions: readonly string[],
  { known, tokens }: World,
): fc.Arbitrary<RawShot> {
  const place = fc.oneof(fc.constantFrom(...known), oddText).map(safePath);
  const ofRoute = fc
    .tuple(fc.constantFrom(...routes), place)
    .map(([{ path }, value]) => path.replace(/\{[^}]+\}/g, value));
  const engine = fc
    .record({
      EIO: fc.constantFrom('4', '3', '', 'x'),
      transport: fc.constantFrom('polling', 'websocket', 'webtransport', ''),
      sid: fc.option(fc.oneof(fc.constantFrom(...sessions), place), { nil: undefined }),
      more: fc.constantFrom('', '&j=0', '&b64=1', '&t=x'),
    })
    .map(
      ({ EIO, transport, sid, more }) =>
        `/socket.io/?EIO=${EIO}&transport=${transport}${sid === undefined ? '' : `&sid=${sid}`}${more}`,
    );
  const page = fc
    .tuple(fc.constantFrom('/donate/', '/wall/', '/events/', '/files/', '/docs/', '/images/', '/'), place)
    .map(([folder, value]) => folder + value);
  const packets = fc.constantFrom('40', '42["joinEvent"]', '3', '1', '\u001e', '4x', '451-["x",{}]', '40{');
  return fc.record({
    method: fc.constantFrom(...METHODS),
    path: fc.oneof(ofRoute, engine, page),
    fields: fc
      .tuple(
        fc.oneof(
          { weight: 2, arbitrary: fc.constant(['Connection: close']) },
          {
            weight: 1,
            arbitrary: fc
              .tuple(
                fc.constantFrom(...UPGRADES),
                fc.constantFrom(...CONNECTIONS),
                fc.constantFrom([], WEBSOCKET),
              )
              .map(([upgrade, connection, more]) => [
                `Upgrade: ${upgrade}`,
                `Connection: ${connection}`,
                ...more,
              ]),
          },
        ),
        fc.constantFrom(...tokens.map((token) => (token ? [`Authorization: Bearer ${token}`] : []))),
        fc.constantFrom([], ['Content-Type: application/json'], ['Content-Type: text/plain;charset=UTF-8']),
        fc.constantFrom(
          [],
          [],
          [],
          ['Expect: 100-continue'],
          ['Content-Encoding: gzip'],
          ['Range: bytes=0-0'],
        ),
      )
      .map((parts) => parts.flat()),
    body: fc.oneof(
      fc.constant(undefined),
      fc.constant('{}'),
      packets,
      fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
      fc.constant(`{"name":"${'x'.repeat(120_000)}"}`),
    ),
    chunked: fc.boolean(),
    arrival: fc.constantFrom<Arrival>('whole', 'whole', 'slow', 'unfinished'),
  });
}

/** Returns the bytes of a request in pieces. */
function piecesOf({ method, path, fields, body, chunked, arrival }: RawShot): string[] {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...fields];
  if (body === undefined && arrival !== 'unfinished') return [[...lines, '', ''].join('\r\n')];
  const text = body ?? '';
  const length = Buffer.byteLength(text);
  const missing = arrival === 'unfinished' ? 10 : 0;
  const head = [
    ...lines,
    chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${length + missing}`,
    '',
    '',
  ].join('\r\n');
  if (!chunked) return arrival === 'slow' ? [head, ...halves(text)] : [head + text];
  const asChunk = (part: string) =>
    part === '' ? '' : `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`;
  const end = missing > 0 ? '' : '0\r\n\r\n';
  return arrival === 'slow' ? [head, ...halves(text).map(asChunk), end] : [head + asChunk(text) + end];
}

const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

/** Returns the problem with the answer to a raw request, or undefined. */
export async function problemOfRaw(url: string, shot: RawShot): Promise<string | undefined> {
  const final = (await exchange(url, shot)).replace(CONTINUE, '');
  if (final === '') tally(0);
  // The server does not have to answer an incomplete request, or a long poll that waits for messages.
  if (final === '')
    return shot.arrival === 'unfinished' || /[?&]sid=/.test(shot.path) ? undefined : 'no answer';
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(final)?.[1]);
  if (Number.isNaN(status)) return `no HTTP: ${final.slice(0, 200)}`;
  tally(status);
  if (status >= 500 && status !== 503) return final.slice(0, 400);
  if (status < 400 || shot.method === 'HEAD') return undefined;
  const [head = '', ...rest] = final.split('\r\n\r\n');
  if (/^transfer-encoding: chunked/im.test(head)) return undefined;
  try {
    const { code, statusCode } = JSON.parse(rest.join('\r\n\r\n')) as {
      code?: unknown;
      statusCode?: unknown;
    };
    return typeof code === 'string' && statusCode === status ? undefined : `not the one body: ${final}`;
  } catch {
    // Pages for people answer errors in HTML.
    return /^content-type: text\/html/im.test(head) ? undefined : `not the one body: ${final.slice(0, 400)}`;
  }
}

/** Reads until the answer is complete, the connection closes or the time is over. */
async function exchange(url: string, shot: RawShot): Promise<string> {
  const { hostname, port } = new URL(url);
  const patience = shot.arrival === 'unfinished' || /[?&]sid=/.test(shot.path) ? HELD_MS : ANSWER_MS;
  return await new Promise<string>((resolve) => {
    let got = '';
    const socket = connect(Number(port), hostname);
    const end = setTimeout(() => socket.destroy(), patience);
    const send = async () => {
      for (const piece of piecesOf(shot)) {
        if (socket.writable) socket.write(piece);
        if (shot.arrival === 'slow') await new Promise((next) => setTimeout(next, PIECE_MS));
      }
    };
    socket.once('connect', () => void send());
    socket.on('data', (bytes) => {
      got += bytes.toString('latin1');
      if (isWhole(got, shot.method)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(end);
      resolve(got);
    });
  });
}

function isWhole(text: string, method: string): boolean {
  const final = text.replace(CONTINUE, '');
  const [head, ...rest] = final.split('\r\n\r\n');
  if (head === undefined || rest.length === 0) return false;
  if (method === 'HEAD' || /^HTTP\/1\.1 (101|204|304) /.test(head)) return true;
  const body = rest.join('\r\n\r\n');
  if (/^transfer-encoding: chunked/im.test(head)) return body.endsWith('0\r\n\r\n');
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  return length !== undefined && body.length >= Number(length);
}
