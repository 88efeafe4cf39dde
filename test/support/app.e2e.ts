import { connect } from 'node:net';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { expect, it } from '@jest/globals';
import { io } from 'socket.io-client';
import { startApp } from './app.js';

const SOON_MS = 10_000;

it('a test application closes quickly although clients keep connections open, as browsers do', async () => {
  const app = await startApp();
  const silent = connect(Number(new URL(app.url).port), '127.0.0.1');
  silent.on('error', () => undefined);
  await once(silent, 'connect');
  const agent = new Agent({ keepAlive: true });
  await new Promise((answered) => {
    get(`${app.url}/health/live`, { agent }, (response) => response.resume().on('end', answered));
  });
  const socket = io(app.url, { transports: ['websocket'], reconnectionDelay: 10 });
  await new Promise<void>((connected) => socket.on('connect', connected));
  const began = Date.now();
  await app.close();
  expect(Date.now() - began).toBeLessThan(SOON_MS);
  socket.close();
  silent.destroy();
  agent.destroy();
});
