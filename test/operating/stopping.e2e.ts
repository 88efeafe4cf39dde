import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '../support/database.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { freePort } from '../support/redis.js';
import { withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

/** Orchestrators kill a process after 30 s. The service promises to stop within 20 s. */
const PROMISED_MS = 20_000;

const database = withOpened(() => createTestDatabase());
let server: ServerProcess | undefined;

afterEach(() => server?.kill('SIGKILL'));

const start = async () =>
  (server = await startServerProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'info' }));

/** Sends SIGTERM. Returns the exit code of the process and the time until its end, in milliseconds. */
async function stopOf({ child }: ServerProcess): Promise<{ code: number | null; ms: number }> {
  const started = Date.now();
  const exited = once(child, 'exit') as Promise<[number | null]>;
  child.kill('SIGTERM');
  const [code] = await exited;
  return { code, ms: Date.now() - started };
}

function silentConnection(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  return new Promise((connected) => socket.once('connect', () => connected(socket)));
}

describe('SIGTERM', () => {
  it('SIGTERM ends the server at once in spite of a silent open connection', async () => {
    const running = await start();
    const socket = await silentConnection(running.url);
    const { code, ms } = await stopOf(running);
    expect({ code, inTime: ms < PROMISED_MS / 2 }).toEqual({ code: 0, inTime: true });
    expect(running.output()).toMatch(/Stopping on SIGTERM[^]*"Stopped"/);
    socket.destroy();
  });

  it('SIGTERM ends the server while a client sends one request after another on one connection', async () => {
    const running = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const client = { over: false };
    const closings: (string | undefined)[] = [];
    const busy = (async () => {
      while (!client.over)
        await new Promise<void>((answered) => {
          httpRequest(`${running.url}/health/live`, { agent }, (response) => {
            closings.push(response.headers.connection);
            response.resume().on('end', () => answered());
          })
            .on('error', () => setTimeout(answered, 5))
            .end();
        });
    })();
    await sleep(200);
    const { code, ms } = await stopOf(running);
    client.over = true;
    await busy;
    agent.destroy();
    expect({ code, inTime: ms < PROMISED_MS / 2 }).toEqual({ code: 0, inTime: true });
    expect(closings[0]).toBe('keep-alive');
  });

  it('SIGTERM lets a running request finish and asks the client to close its connection', async () => {
    const running = await start();
    const body = JSON.stringify({ email: 'nobody@example.org', password: 'not the right one' });
    const socket = await silentConnection(running.url);
    let answer = '';
    socket.on('data', (text: Buffer) => (answer += text.toString()));
    socket.write(
      `POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await sleep(200);
    const stopped = stopOf(running);
    await sleep(300);
    socket.write(body.slice(10));
    expect(await stopped).toMatchObject({ code: 0 });
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  });

  it('SIGTERM cuts open connections before an orchestrator would kill the server', async () => {
    const running = await start();
    const socket = await silentConnection(running.url);
    socket.write('POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    await sleep(200);
    const { ms } = await stopOf(running);
    expect(ms).toBeLessThan(PROMISED_MS + 5_000);
    socket.destroy();
  });

  it('a second SIGTERM ends the server at once', async () => {
    const running = await start();
    const socket = await silentConnection(running.url);
    socket.write('POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    await sleep(200);
    const stopped = stopOf(running);
    await sleep(300);
    running.child.kill('SIGTERM');
    const { code, ms } = await stopped;
    expect({ code, inTime: ms < PROMISED_MS / 2 }).toEqual({ code: 1, inTime: true });
    socket.destroy();
  });
});

describe('npm run start:prod', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'npm run start:prod leaves no server process when npm receives %s',
    async (signal) => {
      const port = await freePort();
      const npm = spawn('npm', ['run', 'start:prod'], {
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          NODE_ENV: 'test',
          DATABASE_URL: database.url,
          HOST: '127.0.0.1',
          PORT: String(port),
          JWT_SECRET: 'jwt-Zk3v9Qm1xT7bL5nR2cW8yD4hF6gS0aUj',
          PIN_SECRET: 'pin-Yp8w2Nf6eK4tB1mV9zX3qH7rC5dJ0sGl',
          LOG_LEVEL: 'silent',
        },
        stdio: 'ignore',
      });
      const lives = async () =>
        await fetch(`http://127.0.0.1:${port}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        );
      await until(lives);
      npm.kill(signal);
      await until(async () => !(await lives()));
    },
  );
});
