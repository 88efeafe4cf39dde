import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

/** Built from sandbox/main.ts. */
const PROGRAM = fileURLToPath(new URL('../../dist-sandbox/main.js', import.meta.url));

describe('sandbox program', () => {
  it('the sandbox starts from the environment, prints its address, and ends on SIGTERM', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-main-'));
    const child = spawn(process.execPath, [PROGRAM], {
      env: { SANDBOX_PORT: '0', SANDBOX_CA_FILE: join(folder, 'ca.pem'), STRIPE_SECRET_KEY: 'sk_test_env' },
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (chunk: Buffer) => {
        resolve(chunk.toString());
      });
      child.stderr.once('data', (chunk: Buffer) => {
        reject(new Error(chunk.toString()));
      });
    });
    const url = /^Payment sandbox at (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(line)?.[1] ?? '';
    const response = await fetch(`${url}/v1/payment_intents`, {
      headers: { authorization: 'Bearer sk_test_env' },
    });
    expect(await response.json()).toMatchObject({ object: 'list', data: [] });
    expect(await readFile(join(folder, 'ca.pem'), 'utf8')).toContain('BEGIN CERTIFICATE');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    await rm(folder, { recursive: true });
  });
});
