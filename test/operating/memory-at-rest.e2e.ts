import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '../support/database.js';
import { startServerProcess } from '../support/process.js';
import { withOpened } from '../support/setup.js';

/** The goal is 110 MB; what the processor's own pages of a shared file take differs by some megabytes. */
const MOST_MB = 120;
const WITHIN_MS = 60_000;

const database = withOpened(() => createTestDatabase());
const server = withOpened(() => startServerProcess({ DATABASE_URL: database.url }));

function heldMb(): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

describe('a server with nothing to do', () => {
  it('gives back what its start has left behind, and answers as before', async () => {
    const began = Date.now();
    while (heldMb() > MOST_MB && Date.now() - began < WITHIN_MS) await sleep(500);
    expect(heldMb()).toBeLessThanOrEqual(MOST_MB);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  }, 90_000);
});
