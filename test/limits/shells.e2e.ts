import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withAdmin, withService } from '../support/setup.js';

/** The routes without a request limit, except probes and webhooks. */
const SHELLS = ['/admin', '/admin/events', '/pos', '/pos/manifest.webmanifest', '/pos/service-worker.js'];
const READS = 150;
const ROUNDS = 5;
/**
 * The pages may take twice the time of a file, because the machine may be busy. `made-once.spec.ts` checks that the service
 * builds each page once.
 */
const AS_A_FILE = 2;

describe('the first pages of the dashboard and the terminal', () => {
  const app = withService();
  const admin = withAdmin(app);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  beforeAll(() => patchSettings({ locales: { supported: ['en', 'de'] } }));
  afterAll(() => {
    agent.destroy();
  });

  const patchSettings = (settings: object) => admin.patch('/settings/global', settings).expect(200);
  const read = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      request(app.url + path, { agent, headers: { 'accept-encoding': 'identity' } }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          resolve(Buffer.concat(parts).toString());
        });
      })
        .on('error', reject)
        .end();
    });

  /** Returns the CPU time of the process for many consecutive reads, in microseconds. The client runs in the same process. */
  async function cpuOf(path: string): Promise<number> {
    const before = process.cpuUsage();
    for (let reads = 0; reads < READS; reads++) await read(path);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }

  it('the first pages cost no more CPU than a file', async () => {
    const file = /src="(\/assets\/[^"]+\.js)"/.exec(await read('/admin'))?.[1] ?? '';
    for (const path of [file, ...SHELLS]) await cpuOf(path);
    for (const path of SHELLS) {
      let least = Infinity;
      for (let round = 0; round < ROUNDS && least >= AS_A_FILE; round++)
        least = Math.min(least, (await cpuOf(path)) / (await cpuOf(file)));
      expect({ path, isCheap: least < AS_A_FILE, least }).toMatchObject({ path, isCheap: true });
    }
  }, 60_000);

  it('the first pages come in the requested language for each client', async () => {
    for (const path of ['/admin', '/pos'])
      for (const lang of ['en', 'de', 'en'])
        expect(await read(`${path}?lang=${lang}`)).toContain(`<html lang="${lang}"`);
  });

  it('the first pages show changed settings at once', async () => {
    for (const path of SHELLS) await read(path);
    for (const organization of ['Harbour Trust', 'Lantern Fund']) {
      const before = await read('/pos/service-worker.js');
      await patchSettings({ organization });
      for (const path of ['/admin', '/pos', '/pos/manifest.webmanifest'])
        expect(await read(path)).toContain(organization);
      expect(await read('/pos/service-worker.js')).not.toBe(before);
    }
  });
});
