import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const lines = (file: string) => readFileSync(file, 'utf8').replaceAll('\\\n', ' ').split('\n');
const dockerfile = lines('Dockerfile').map((line) => line.trim());
const compose = readFileSync('docker-compose.yml', 'utf8');
const allowed = lines('.dockerignore')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

/** The sources of a COPY from the build context. */
const copied = dockerfile
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1))
  .filter((source) => source !== '.');

describe('the Dockerfile', () => {
  it('copies only what is there, and what .dockerignore lets in', () => {
    expect(copied).toEqual(expect.arrayContaining(['package.json', 'prisma', 'assets', 'scripts']));
    for (const source of copied) {
      expect(existsSync(source)).toBe(true);
      expect(allowed).toContain(source);
    }
  });

  it('lets in what the build needs, and neither secrets nor the history', () => {
    for (const source of ['src', 'sandbox', 'prisma', '.swcrc', 'nest-cli.json', 'tsconfig.build.json'])
      expect(allowed).toContain(source);
    expect(lines('.dockerignore')[0]).toBe('*');
    for (const source of ['.env', '.git', '.data', 'node_modules']) expect(allowed).not.toContain(source);
  });

  it('has one version of Node, that of .nvmrc', () => {
    const versions = dockerfile.flatMap((line) => /^FROM node:(\d+)-/.exec(line)?.[1] ?? []);
    const [wanted] = readFileSync('.nvmrc', 'utf8').trim().split('.');
    expect(versions).toHaveLength(3);
    expect([...new Set(versions)]).toEqual([wanted]);
  });

  it('runs as an ordinary user, and Node gets the signal to stop', () => {
    const last = dockerfile.slice(dockerfile.findLastIndex((line) => line.startsWith('FROM ')));
    const user = last.indexOf('USER node');
    expect(user).toBeGreaterThan(0);
    expect(last.slice(user).some((line) => /^(RUN|COPY|USER (?!node))/.test(line))).toBe(false);
    expect(last).toContain('CMD ["node", "dist/main.js"]');
  });

  it.each([
    [200, 0],
    [503, 1],
  ])('has a health check that ends, on %i, with %i', async (status, code) => {
    const check = dockerfile.find((line) => line.startsWith('HEALTHCHECK '));
    const [program, ...args] = JSON.parse(check?.slice(check.indexOf('CMD ') + 4) ?? '[]') as string[];
    expect(program).toBe('node');
    const answer: RequestListener = (request, response) => {
      response.writeHead(request.url === '/health/live' ? status : 404).end();
    };
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const PORT = String((server.address() as AddressInfo).port);
    const ended = await promisify(execFile)(process.execPath, args, { env: { PORT } }).then(
      () => 0,
      (error: unknown) => (error as { code: number }).code,
    );
    server.close();
    server.closeAllConnections();
    expect(ended).toBe(code);
  });
});

describe('docker-compose.yml', () => {
  it('runs the service with a root file system that cannot be written, and without privileges', () => {
    for (const line of ['read_only: true', "tmpfs: ['/tmp']", "cap_drop: ['ALL']", 'no-new-privileges:true'])
      expect(compose).toContain(line);
    expect(compose).toContain('data:/app/.data');
  });

  it('runs scripts that are there, and migrates before the service starts', () => {
    const scripts = [...compose.matchAll(/scripts\/[\w.-]+/g)].map(([name]) => name);
    expect(scripts).toContain('scripts/migrate.mjs');
    for (const name of scripts) expect(existsSync(name)).toBe(true);
    expect(compose).toMatch(/migrate:\n\s+condition: service_completed_successfully/);
  });

  it('has no secret of its own', () => {
    expect(compose).toContain('${POSTGRES_PASSWORD:?');
    expect(compose).not.toMatch(/(?:SECRET|PASSWORD)\w*: (?!\$\{)/);
  });
});
