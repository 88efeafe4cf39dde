import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { expect, it } from '@jest/globals';

const onLinux = existsSync('/proc/net/tcp') ? it : it.skip;

onLinux('npm start says which process holds its port, and how to end it', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  const start = spawn('node', ['scripts/start.mjs'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  start.stderr.on('data', (text: Buffer) => (said += text.toString()));
  await once(start, 'exit');
  holder.close();
  expect(said).toContain(`Port ${port} is in use by process ${process.pid} (`);
  expect(said).toContain(`kill ${process.pid}`);
});
