import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { DonationBook } from '../support/donations.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { freePort, type RedisProcess, startRedis } from '../support/redis.js';
import { describeWithTool } from '../support/tools.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

/** The balancer files of docs/deploy in front of two processes, with other addresses and without TLS. */

let database: TestDatabase;
let redis: RedisProcess | null;
let book: DonationBook;
let servers: ServerProcess[];
let balancer: ChildProcess | undefined;

beforeAll(async () => {
  redis = await startRedis();
  database = await createTestDatabase();
  book = new DonationBook({ databaseUrl: database.url });
  const environment = { DATABASE_URL: database.url, REDIS_URL: redis?.url, TRUST_PROXY: '1' };
  servers = await Promise.all([startServerProcess(environment), startServerProcess(environment)]);
}, 120_000);
afterEach(() => {
  balancer?.kill('SIGTERM');
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
  await redis?.stop();
});

const folder = mkdtempSync(join(tmpdir(), 'balancer-'));

/** Returns a file of docs/deploy, changed for the two processes and without TLS. */
function fileFor(name: string, plain: (text: string) => string): string {
  let text = plain(readFileSync(join('docs/deploy', name), 'utf8'));
  servers.forEach(({ url }, index) => {
    text = text.replace(`127.0.0.1:${3001 + index}`, new URL(url).host);
  });
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function launch(program: string, parameters: string[], url: string): Promise<void> {
  let printed = '';
  balancer = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [balancer.stdout, balancer.stderr])
    stream?.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  const answers = async () => (await fetch(`${url}/health/live`).catch(() => undefined))?.ok ?? false;
  await until(answers, `an answer through ${program}`).catch((error: unknown) => {
    throw new Error(printed, { cause: error });
  });
}

/** Connects twenty clients with the default transports of the client library: first long polling, then a websocket. */
async function twentyWallsJoin(url: string): Promise<void> {
  const event = await book.event();
  const walls = await Promise.all(
    Array.from({ length: 20 }, () =>
      WallClient.connect(url, { transports: ['polling', 'websocket'], withCredentials: true }),
    ),
  );
  try {
    for (const wall of walls) expect(await wall.join(event.id)).toMatchObject({ joined: true });
    await book.give(event.id);
    for (const wall of walls) await wall.until(() => wall.donations.length === 1, 'the donation', 20_000);
  } finally {
    for (const wall of walls) wall.close();
  }
}

describeWithTool('nginx', 'nginx with docs/deploy/nginx.conf', () => {
  it('every client joins with its default transports, and images of 5 MB pass', async () => {
    const port = await freePort();
    const site = fileFor('nginx.conf', (text) =>
      text.replace('listen 443 ssl;', `listen 127.0.0.1:${port};`).replace(/^ *ssl_certificate.*$/gm, ''),
    );
    const file = join(folder, 'main.conf');
    writeFileSync(
      file,
      `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}
       http { access_log off; client_body_buffer_size 6m; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
         fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; include ${site}; }`,
    );
    const url = `http://127.0.0.1:${port}`;
    await launch('nginx', ['-c', file, '-e', 'stderr'], url);
    await twentyWallsJoin(url);
    // Returns the answer to an image of this size. The service accepts an image of the maximum size; nginx accepts one byte
    // more.
    const picture = (bytes: number) =>
      fetch(`${url}/images`, {
        method: 'POST',
        headers: { 'content-type': 'image/png' },
        body: new Uint8Array(bytes),
      });
    expect((await picture(5 * 1024 * 1024)).status).toBe(401);
    expect((await picture(5 * 1024 * 1024 + 1)).status).toBe(413);
  }, 120_000);
});

describeWithTool('haproxy', 'haproxy with docs/deploy/haproxy.cfg', () => {
  it('a client that keeps its cookie, as browsers do, can join', async () => {
    const port = await freePort();
    const file = fileFor('haproxy.cfg', (text) =>
      text.replace(/bind :443 ssl crt \S+/, `bind 127.0.0.1:${port}`),
    );
    const url = `http://127.0.0.1:${port}`;
    await launch('haproxy', ['-db', '-f', file], url);
    await twentyWallsJoin(url);
  }, 120_000);
});
