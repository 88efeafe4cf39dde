import { get, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { beforeAll, expect, it } from '@jest/globals';
import { SECURITY_HEADERS } from '../../src/common/http/security-headers.js';
import { createEvent } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

const app = withService();
const admin = withAdmin(app);
let slug: string;

beforeAll(async () => {
  ({ slug } = await createEvent(app, admin.token));
});

interface Answer {
  readonly status: number;
  /** Header names in lower case. Each has all its values in the order in which they arrived. */
  readonly headers: ReadonlyMap<string, string[]>;
}

/** Reads every header line. `fetch` would join repeated headers, and Node's `headers` drops some of them. */
async function ask(path: string, headers: IncomingHttpHeaders = {}): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    get(`${app.url}${path}`, { headers }, (response) => {
      const found = new Map<string, string[]>();
      const { rawHeaders } = response;
      for (let at = 0; at < rawHeaders.length; at += 2) {
        const name = String(rawHeaders[at]).toLowerCase();
        found.set(name, [...(found.get(name) ?? []), String(rawHeaders[at + 1])]);
      }
      response.resume().on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: found });
      });
    }).on('error', reject);
  });
}

const LISTS = new Set(['ratelimit', 'ratelimit-policy', 'set-cookie']);
const repeated = ({ headers }: Answer) =>
  [...headers].filter(([name, values]) => values.length > 1 && !LISTS.has(name));
const withoutPolicy = SECURITY_HEADERS.map(([name]) => name.toLowerCase()).filter(
  (name) => name !== 'content-security-policy',
);

it.each([
  ['a cached answer', () => ask(`/events/${slug}`), 200],
  [
    'a 304 answer from the cache',
    async () => {
      const { headers } = await ask(`/events/${slug}`);
      return ask(`/events/${slug}`, { 'if-none-match': headers.get('etag')?.[0] });
    },
    304,
  ],
  ['an answer of a route', () => ask('/events', { authorization: `Bearer ${admin.token}` }), 200],
  ['an answer with an ETag', () => ask('/settings/global'), 200],
  ['a route that does not exist', () => ask('/nothing/of/the/kind'), 404],
  ['a refused sign-in', () => ask('/auth/me'), 401],
  ['an unreadable address', () => ask('/events/%ff'), 400],
  ['a page', () => ask(`/donate/${slug}`), 200],
  ['the page of the tills', () => ask('/pos'), 200],
])('%s has every security header, and each header once', async (_name, asked, status) => {
  const answer = await asked();
  expect(answer.status).toBe(status);
  expect(repeated(answer)).toEqual([]);
  for (const name of withoutPolicy) expect([name, answer.headers.get(name)?.length]).toEqual([name, 1]);
  expect(answer.headers.get('content-security-policy')).toHaveLength(1);
  expect(answer.headers.get('x-request-id')?.[0]).toMatch(/^[\w.-]{1,64}$/);
});

it.each([
  ['a handshake', '/socket.io/?EIO=4&transport=polling', 200],
  ['an error', '/socket.io/?EIO=4&transport=pigeon', 400],
  ['the script', '/socket.io/socket.io.esm.min.js', 200],
])('%s of Socket.IO has every security header, and each header once', async (_name, path, status) => {
  const answer = await ask(path);
  expect(answer.status).toBe(status);
  expect(repeated(answer)).toEqual([]);
  for (const [name, value] of SECURITY_HEADERS)
    expect([name, answer.headers.get(name.toLowerCase())]).toEqual([name, [value]]);
});

it('a private answer has exactly one Cache-Control: no-store', async () => {
  const [listed, refused, open] = await Promise.all([
    ask('/events', { authorization: `Bearer ${admin.token}` }),
    ask('/events'),
    ask(`/events/${slug}`),
  ]);
  expect([listed.status, refused.status, open.status]).toEqual([200, 401, 200]);
  for (const { headers } of [listed, refused]) expect(headers.get('cache-control')).toEqual(['no-store']);
  expect(open.headers.has('cache-control')).toBe(false);
});

it('a page keeps its own Content-Security-Policy', async () => {
  const { headers } = await ask(`/donate/${slug}`);
  expect(headers.get('content-security-policy')?.[0]).toContain('script-src');
  const { headers: ofData } = await ask('/events/public');
  expect(ofData.get('content-security-policy')).toEqual(["default-src 'none';frame-ancestors 'none'"]);
});

it('an answer names every rate limit that applies, and the strictest one in the older headers', async () => {
  const { headers } = await ask('/auth/idp/callback');
  expect(headers.get('ratelimit-policy')?.map((value) => value.split(';')[0])).toEqual([
    '"default"',
    '"auth"',
  ]);
  expect(headers.get('ratelimit')).toHaveLength(2);
  const [, ofAuth = ''] = headers.get('ratelimit-policy') ?? [];
  expect(headers.get('ratelimit-limit')).toEqual([/q=(\d+)/.exec(ofAuth)?.[1]]);
});

it('HEAD returns the headers of GET, and an unknown origin gets no CORS header', async () => {
  const foreign = await ask('/settings/payments', { origin: 'https://elsewhere.example' });
  const names = [...foreign.headers.keys()].filter((name) => name.startsWith('access-control'));
  expect(names).toEqual([]);
  const [asGet, asHead] = await Promise.all(
    ['GET', 'HEAD'].map((method) => fetch(`${app.url}/settings/global`, { method })),
  );
  for (const name of ['content-type', 'content-length', 'etag'])
    expect([name, asHead?.headers.get(name)]).toEqual([name, asGet?.headers.get(name)]);
});

it('a non-ASCII origin is not repeated in the answer', async () => {
  const bytes = Buffer.from('https://é.example').toString('latin1');
  const { headers } = await ask('/settings/payments', { origin: bytes });
  expect(headers.has('access-control-allow-origin')).toBe(false);
});

it('pipelined requests get their own answers and headers', async () => {
  const asked = [
    `/events/${slug}`,
    '/health',
    '/settings/payments',
    `/events/${slug}`,
    '/nothing',
    '/settings/global',
  ];
  const alone = await Promise.all(asked.map((path) => ask(path)));
  const { port } = new URL(app.url);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  const last = '/events/public';
  const requests = [...asked, last].map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${path === last ? 'Connection: close\r\n' : ''}\r\n`,
  );
  socket.write(requests.join(''));
  const text = (await buffer(socket)).toString();
  // Each answer begins where the previous answer ends, according to its content length.
  const answers: string[] = [];
  for (let at = 0; at < text.length;) {
    const head = text.slice(at, text.indexOf('\r\n\r\n', at));
    answers.push(head);
    at += head.length + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
  }
  expect(answers).toHaveLength(requests.length);
  const namesOf = (head: string) =>
    [...head.matchAll(/^([\w-]+):/gm)].map(([, name = '']) => name.toLowerCase());
  const stays = (name: string) => !['connection', 'keep-alive', 'retry-after'].includes(name);
  asked.forEach((path, at) => {
    const expected = [...(alone[at]?.headers ?? [])].flatMap(([name, values]) => values.map(() => name));
    expect([
      path,
      answers[at]?.slice(9, 12),
      namesOf(answers[at] ?? '')
        .filter(stays)
        .sort(),
    ]).toEqual([path, String(alone[at]?.status), expected.filter(stays).sort()]);
  });
});
