import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { sendRaw } from '../contract/raw-http.js';
import { withService } from '../support/setup.js';

const app = withService();

/** Sends bytes on one connection. Reads until the server ends the connection or the expected number of answers has arrived. */
async function send(bytes: string, expected = Infinity): Promise<{ statuses: number[]; isCut: boolean }> {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  const whole = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (statuses().length >= expected) resolve();
    });
  });
  const cut = once(socket, 'close').then(
    () => true,
    () => true,
  );
  socket.on('error', () => undefined);
  socket.write(bytes);
  const isCut = await Promise.race([cut, whole.then(() => false)]);
  socket.destroy();
  return { statuses: statuses(), isCut };
}

const get = (path: string, ...fields: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...fields, '', ''].join('\r\n');
const healthy = async () => {
  await app.http.get('/health/live').expect(200);
};

describe('pipelined requests', () => {
  it.each(['/health/live', '/events/public', '/donations'])(
    'GET %s on one connection: thirty-two pipelined requests are answered, thousands end the connection',
    async (path) => {
      const few = await send(get(path).repeat(32), 32);
      expect(few).toMatchObject({ isCut: false });
      expect(new Set(few.statuses).size).toBe(1);
      expect((await send(get(path).repeat(2_000))).isCut).toBe(true);
      await healthy();
    },
  );

  it('pipelined requests that each offer another protocol end the connection', async () => {
    const offering = get('/health/live', 'Connection: Upgrade', 'Upgrade: h2c');
    expect(await send(offering.repeat(500))).toMatchObject({ isCut: true });
    expect(await send(offering, 1)).toEqual({ statuses: [200], isCut: false });
    await healthy();
  });
});

describe('a body in thousands of one-byte parts', () => {
  const chunked = (path: string, parts: number) =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      '',
      `${'1\r\n \r\n'.repeat(parts)}2\r\n{}\r\n0\r\n\r\n`,
    ].join('\r\n');

  it.each(['/auth/login', '/donations/cardprocessor/webhook'])(
    'POST %s with a body in too many parts answers 413',
    async (path) => {
      const answer = await sendRaw(app.url, chunked(path, 50_000));
      expect(answer?.status).toBe(413);
      expect(JSON.parse(answer?.body ?? '')).toMatchObject({ statusCode: 413, code: 'BODY_TOO_LARGE' });
      await healthy();
    },
  );

  it('a body in a few thousand parts is read', async () => {
    expect((await sendRaw(app.url, chunked('/auth/login', 4_000)))?.status).toBe(400);
  });
});
