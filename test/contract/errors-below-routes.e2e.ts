import { describe, expect, it } from '@jest/globals';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { newId } from '../../src/common/crypto/ids.js';
import { createEvent } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';
import { type RawAnswer, sendRaw } from './raw-http.js';

const app = withService();
const admin = withAdmin(app);

const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

function expectOneBody(
  answer: { status: number; type: string | undefined; text: string },
  status: number,
  code?: string,
) {
  expect(answer.status).toBe(status);
  expect(answer.type).toMatch(/^application\/json/);
  const body = JSON.parse(answer.text) as Record<string, unknown>;
  expect(Object.keys(body).sort()).toEqual(['code', 'error', 'message', 'statusCode']);
  expect(body.statusCode).toBe(status);
  expect(body.message).toEqual(expect.stringMatching(/./));
  expect(body.code).toEqual(expect.stringMatching(CODE));
  if (code !== undefined) expect(body.code).toBe(code);
}

function expectRaw(answer: RawAnswer | undefined, status: number, code?: string): void {
  expect(answer).toBeDefined();
  if (answer)
    expectOneBody(
      { status: answer.status, type: answer.headers['content-type'], text: answer.body },
      status,
      code,
    );
}

const head = (line: string, ...fields: string[]) =>
  [line, 'Host: localhost', 'Connection: close', ...fields, '', ''].join('\r\n');

describe('errors outside the routes have the standard body with a code', () => {
  it.each([
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'PROPFIND',
    'REPORT',
    'LINK',
    'TRACE',
    'QUERY',
    'M-SEARCH',
  ])('an unknown route with %s answers 404', async (method) => {
    const answer = await sendRaw(app.url, head(`${method} /nothing/here HTTP/1.1`));
    // Older Node versions do not know the method QUERY.
    if (answer?.status === 400) expectRaw(answer, 400, 'HTTP_MALFORMED');
    else expectRaw(answer, 404, 'ROUTE_NOT_FOUND');
  });

  it.each([
    '/%E0%A4%A',
    '/events/%E0%A4%A',
    '/events/%',
    '/events/%ff%fe',
    '/events/public?x=%E0%A4%A',
    '/donations?search=a%00b',
    '/docs/%E0%A4%A',
    '/wall/%c0%80',
  ])('an undecodable address answers 400: %s', async (path) => {
    expectRaw(await sendRaw(app.url, head(`GET ${path} HTTP/1.1`)), 400, 'URL_UNREADABLE');
  });

  it('an id with a NUL byte is never found and cannot be captured', async () => {
    expectRaw(await sendRaw(app.url, head('GET /events/%00 HTTP/1.1')), 404, 'NOT_FOUND');
    expectRaw(
      await sendRaw(app.url, head('POST /donations/wallet/%00/capture HTTP/1.1')),
      400,
      'URL_UNREADABLE',
    );
  });

  it('an address with a non-ASCII byte answers 400', async () => {
    const bytes = Buffer.from(head('GET /events/caf\u00e9 HTTP/1.1'), 'latin1');
    // Some versions of Node's parser refuse this byte. Others pass it to the service.
    expectRaw(await sendRaw(app.url, bytes), 400);
  });

  it('a request without a Host header answers 400', async () => {
    const answer = await sendRaw(app.url, 'GET /events/public HTTP/1.1\r\nConnection: close\r\n\r\n');
    expectRaw(answer, 400, 'HOST_MISSING');
  });

  it.each([
    ['a cached read', 'GET /events/public'],
    ['a read of a route', 'GET /settings/payments'],
    ['a record', 'POST /donations'],
    ['long polling', 'GET /socket.io/?EIO=4&transport=polling'],
    ['the script of Socket.IO', 'GET /socket.io/socket.io.esm.min.js'],
    ['a page', 'GET /admin'],
    ['a file', 'GET /files/nothing.js'],
  ])('%s with two Host headers answers 400, equal or not', async (_, line) => {
    for (const other of ['localhost', 'evil.example']) {
      const request = `${line} HTTP/1.1\r\nHost: localhost\r\nhost: ${other}\r\nConnection: close\r\n\r\n`;
      expectRaw(await sendRaw(app.url, request), 400, 'HOST_REPEATED');
    }
  });

  it('a websocket handshake with two Host headers answers 400', async () => {
    const answer = await sendRaw(
      app.url,
      'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n' +
        'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expectRaw(answer, 400, 'HOST_REPEATED');
  });

  it.each([
    ['no HTTP syntax', 'nonsense\r\n\r\n'],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n'],
    [
      'two Content-Length headers',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    ['a Content-Length that is not a number', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n'],
    ['a broken chunk', 'POST /events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('a malformed request with %s answers 400', async (_, request) => {
    expectRaw(await sendRaw(app.url, request), 400, 'HTTP_MALFORMED');
  });

  it('oversized headers answer 431', async () => {
    const answer = await sendRaw(
      app.url,
      head('GET /events/public HTTP/1.1', `X-Large: ${'x'.repeat(20_000)}`),
    );
    expectRaw(answer, 431, 'HEADERS_TOO_LARGE');
  });

  it('an unknown Expect header answers 417', async () => {
    const answer = await sendRaw(app.url, head('POST /events HTTP/1.1', 'Expect: tea', 'Content-Length: 0'));
    expectRaw(answer, 417, 'EXPECTATION_FAILED');
  });

  it('CONNECT answers 405', async () => {
    expectRaw(await sendRaw(app.url, head('CONNECT example.org:443 HTTP/1.1')), 405, 'METHOD_NOT_ALLOWED');
  });

  it('a body that is too large answers 413, and an unknown charset or encoding answers 415', async () => {
    const post = (text: string | Buffer, type: string) =>
      admin.post('/events').set('Content-Type', type).send(text);
    const cases = [
      [await post(JSON.stringify({ name: 'x'.repeat(110_000) }), 'application/json'), 413, 'BODY_TOO_LARGE'],
      [await post('{}', 'application/json; charset=klingon'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [await post('{}', 'application/json; charset=utf-16le'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [await post('{}', 'application/json').set('Content-Encoding', 'snappy'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ] as const;
    for (const [answer, status, code] of cases)
      expectOneBody(
        { status: answer.status, type: answer.headers['content-type'], text: answer.text },
        status,
        code,
      );
  });

  it('a body with invalid UTF-8 answers 400', async () => {
    const json = Buffer.from('{"name":"Jos\u00e9","slug":"x","goalAmount":1}', 'latin1');
    const request = Buffer.concat([
      Buffer.from(
        head(
          'POST /events HTTP/1.1',
          `Authorization: Bearer ${admin.token}`,
          'Content-Type: application/json',
          `Content-Length: ${json.length}`,
        ),
      ),
      json,
    ]);
    expectRaw(await sendRaw(app.url, request), 400, 'BODY_NOT_UTF8');
  });
});

describe('a request that never ends', () => {
  it.each([
    ['in its headers', 'POST /auth/login HTTP/1.1\r\nHost: x\r\n'],
    [
      'in its body',
      'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ],
  ])('a request that stops %s is closed with 408', async (_, request) => {
    const server = app.app.getHttpServer();
    const { requestTimeout, headersTimeout } = server;
    try {
      expect(requestTimeout).toBe(headersTimeout);
      Object.assign(server, { requestTimeout: 200, headersTimeout: 200 });
      expectRaw(await sendRaw(app.url, request, 30_000), 408, 'REQUEST_TIMEOUT');
    } finally {
      Object.assign(server, { requestTimeout, headersTimeout });
    }
  });
});

describe('errors of Engine.IO have the standard body', () => {
  const polling = '/socket.io/?EIO=4&transport=polling';

  it.each([
    ['GET', '/socket.io/?EIO=4&transport=pigeon', 400, 'TRANSPORT_UNKNOWN'],
    ['GET', `${polling}&sid=nobody`, 400, 'SESSION_ID_UNKNOWN'],
    ['POST', polling, 400, 'HANDSHAKE_METHOD_INVALID'],
    ['PUT', polling, 400, 'HANDSHAKE_METHOD_INVALID'],
    ['GET', '/socket.io/?EIO=4&transport=websocket', 400, 'HANDSHAKE_INVALID'],
    ['GET', '/socket.io/?EIO=2&transport=polling', 400, 'PROTOCOL_UNSUPPORTED'],
  ])('%s %s answers with the standard error body', async (method, path, status, code) => {
    expectRaw(await sendRaw(app.url, head(`${method} ${path} HTTP/1.1`)), status, code);
  });

  it('long polling from a foreign origin answers 403', async () => {
    const answer = await sendRaw(app.url, head(`GET ${polling} HTTP/1.1`, 'Origin: https://evil.example'));
    expectRaw(answer, 403, 'ORIGIN_FORBIDDEN');
  });

  it.each(['PUT', 'DELETE', 'PATCH'])(
    '%s on a long-polling session answers 400, and the session continues',
    async (method) => {
      const sid = await openPolling();
      const answer = await sendRaw(app.url, head(`${method} ${polling}&sid=${sid} HTTP/1.1`));
      expectRaw(answer, 400, 'HANDSHAKE_METHOD_INVALID');
      await app.http.post(`${polling}&sid=${sid}`).set('Content-Type', 'text/plain').send('40').expect(200);
    },
  );

  it.each([
    ['an upgrade offer without the Connection option', 'Upgrade: websocket'],
    ['an upgrade offer of an unknown protocol', 'Upgrade: x\r\nConnection: Upgrade'],
    ['an upgrade offer on a closing connection', 'Upgrade: h2c\r\nConnection: close, upgrade'],
  ])('DELETE on a long-polling session with %s answers 400', async (_, offer) => {
    const text = `DELETE ${polling}&sid=${await openPolling()} HTTP/1.1\r\nHost: localhost\r\n${offer}\r\n\r\n`;
    expectRaw(await sendRaw(app.url, text), 400, 'HANDSHAKE_METHOD_INVALID');
  });

  it('HEAD on a long-polling session answers 400', async () => {
    const answer = await app.http.head(`${polling}&sid=${await openPolling()}`);
    expect(answer.status).toBe(400);
  });

  it('an oversized long-polling message answers 413, and a binary one 400', async () => {
    const large = await app.http
      .post(`${polling}&sid=${await openPolling()}`)
      .set('Content-Type', 'text/plain')
      .send(`4${'x'.repeat(5_000)}`);
    expectOneBody(
      { status: large.status, type: large.headers['content-type'], text: large.text },
      413,
      'BODY_TOO_LARGE',
    );
    const binary = await app.http
      .post(`${polling}&sid=${await openPolling()}`)
      .set('Content-Type', 'application/octet-stream')
      .send(Buffer.from([1, 2, 3]));
    expectOneBody({ status: binary.status, type: binary.headers['content-type'], text: binary.text }, 400);
  });

  it.each([
    ['an unknown session', '/socket.io/?EIO=4&transport=websocket&sid=nobody', {}],
    ['a foreign origin', '/socket.io/?EIO=4&transport=websocket', { origin: 'https://evil.example' }],
  ])('a websocket handshake with %s is refused with the standard error body', async (_, path, options) => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = new WebSocket(app.url.replace('http', 'ws') + path, options);
      socket.once('open', () => {
        reject(new Error('connected although it should be refused'));
      });
      socket.once('error', () => undefined);
      socket.once('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (chunk) => (body += String(chunk)));
        response.on('end', () => {
          resolve(body);
        });
      });
    });
    expectOneBody({ status: 400, type: 'application/json', text }, 400, 'HANDSHAKE_INVALID');
  });

  it('honest clients connect on both transports', async () => {
    for (const transports of [['websocket'], ['polling']]) {
      const socket = io(app.url, { transports, forceNew: true, reconnection: false });
      await new Promise((resolve, reject) => {
        socket.once('connect', () => {
          resolve(undefined);
        });
        socket.once('connect_error', reject);
      });
      socket.disconnect();
    }
  });

  async function openPolling(): Promise<string> {
    const { text } = await app.http.get(polling).expect(200);
    return (JSON.parse(text.slice(1)) as { sid: string }).sid;
  }
});

describe('requests that offer an upgrade to another protocol', () => {
  const offer = [
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
  ];
  const offering = (line: string, ...fields: string[]) =>
    [line, 'Host: localhost', ...offer, ...fields, '', ''].join('\r\n');

  it('GET with the upgrade offer of curl --http2 is answered', async () => {
    const answer = await sendRaw(app.url, offering('GET /events/public HTTP/1.1'));
    expect(answer?.status).toBe(200);
    expect(Array.isArray(JSON.parse(answer?.body ?? ''))).toBe(true);
  });

  it("POST with a body and the upgrade offer of Java's HTTP client is answered", async () => {
    const slug = `upgrade-${newId()}`;
    const body = JSON.stringify({ name: 'Gal\u00e0', slug, goalAmount: 1 });
    const answer = await sendRaw(
      app.url,
      offering(
        'POST /events HTTP/1.1',
        `Authorization: Bearer ${admin.token}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
      ) + body,
    );
    expect(answer?.status).toBe(201);
    await app.http.get(`/events/${slug}`).expect(200);
  });

  it('two requests with upgrade offers on one connection are both answered', async () => {
    const answer = await sendRaw(
      app.url,
      offering('GET /health/live HTTP/1.1') + head('GET /nothing HTTP/1.1'),
      2_000,
    );
    expect(answer?.status).toBe(200);
  });

  it.each(['OPTIONS', 'HEAD', 'POST', 'DELETE'])(
    'a websocket request with %s gets an ordinary answer, and the connection does not stay open',
    async (method) => {
      const line = `${method} /socket.io/?EIO=4&transport=websocket HTTP/1.1`;
      const fields = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
      const text = [line, 'Host: x', ...fields, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''];
      const answer = await sendRaw(app.url, text.join('\r\n'), 2_000);
      expect(answer?.status).toBe(method === 'OPTIONS' ? 204 : 400);
    },
  );

  it.each(['/nothing', '/nothing/here'])(
    'a websocket request to the unknown path %s answers 404',
    async (path) => {
      const answer = await sendRaw(
        app.url,
        ['GET ' + path + ' HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', '', ''].join(
          '\r\n',
        ),
      );
      expectRaw(answer, 404, 'ROUTE_NOT_FOUND');
    },
  );
});

describe('invisible text', () => {
  it.each([
    ['zero-width joiners', '\u200d\u200d'],
    ['a Hangul filler', '\u3164'],
    ['a braille blank', '\u2800'],
    ['a variation selector', '\ufe0f'],
    ['marks on nothing', '\u0301\u0301'],
    ['tags', '\u{e0041}'],
  ])('a name of invisible text is refused: %s', async (_, name) => {
    const answer = await admin.post('/events', { name, slug: `e-${newId()}`, goalAmount: 1 });
    expect(answer.status).toBe(400);
    const event = await createEvent(app, admin.token);
    const donation = await admin.post('/donations', {
      amount: 100,
      type: 'cash',
      eventId: event.id,
      donorName: name,
    });
    expect(donation.status).toBe(400);
  });
});
