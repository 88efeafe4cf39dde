import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { CORE_VARIABLES } from '../../src/config/core-variables.js';
import { PROVIDERS } from '../../src/payments/providers/provider-registry.js';
import { instructions } from '../support/image-context.js';

const dockerfile = instructions('Dockerfile');
const allowed = instructions('.dockerignore')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

/** Sources of each COPY from the build context. */
const copied = dockerfile
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(/\s+/).slice(1, -1))
  .filter((source) => source !== '.');

/** An image whose tag contains the major and minor version, with a digest that fixes its content. */
const PINNED = /^[a-z]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;

describe('Dockerfile', () => {
  it('the Dockerfile copies only existing files that .dockerignore admits', () => {
    expect(copied).toEqual(expect.arrayContaining(['package.json', 'prisma', 'assets', 'scripts']));
    for (const source of copied) {
      expect(existsSync(source)).toBe(true);
      expect(allowed).toContain(source);
    }
  });

  it('the build context contains the needed files, without secrets or the git history', () => {
    for (const source of [
      'src',
      'web',
      'sandbox',
      'prisma',
      'assets',
      '.swcrc',
      'nest-cli.json',
      'tsconfig.build.json',
    ])
      expect(allowed).toContain(source);
    expect(instructions('.dockerignore')[0]).toBe('*');
    for (const source of ['.env', '.git', '.data', 'node_modules']) expect(allowed).not.toContain(source);
  });

  it('the Dockerfile uses one base image, pinned by minor version and digest, with the Node version of .nvmrc', () => {
    const images = dockerfile
      .filter((line) => line.startsWith('FROM '))
      .map((line) => line.split(' ')[1] ?? '');
    const [wanted] = readFileSync('.nvmrc', 'utf8').trim().split('.');
    expect(images[0]).toMatch(PINNED);
    expect(images[0]).toMatch(new RegExp(`^node:${String(wanted)}\\.`));
    expect(images.slice(1)).toEqual(['base', 'base', 'base']);
  });

  it('the container runs as an ordinary user, and Node receives the stop signal', () => {
    const last = dockerfile.slice(dockerfile.findLastIndex((line) => line.startsWith('FROM ')));
    const user = last.indexOf('USER node');
    expect(user).toBeGreaterThan(0);
    expect(last.slice(user).some((line) => /^(RUN|COPY|USER (?!node))/.test(line))).toBe(false);
    expect(last).toContain('CMD ["node", "dist/main.js"]');
  });

  it.each([
    [200, 0],
    [503, 1],
  ])('after the answer %i, the health check of the image exits with code %i', async (status, code) => {
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

const service = z.strictObject({
  image: z.string(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  profiles: z.array(z.string()).optional(),
  restart: z.enum(['unless-stopped', 'no']),
  environment: z.record(z.string(), z.string().nullable()),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  networks: z.array(z.string()),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  cap_add: z.array(z.string()).optional(),
  security_opt: z.array(z.string()),
  mem_limit: z.string(),
  shm_size: z.string().optional(),
  user: z.string().optional(),
  init: z.boolean().optional(),
  stop_grace_period: z.string().optional(),
  healthcheck: z.record(z.string(), z.unknown()).optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.string() })).optional(),
  logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }),
});
/** Fields of the Compose specification. The test treats any other field as a mistake. */
const composeFile = z.object({
  name: z.string(),
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.strictObject({ internal: z.boolean() }).nullable()),
  volumes: z.record(z.string(), z.null()),
});

describe('docker-compose.yml', () => {
  const text = readFileSync('docker-compose.yml', 'utf8');
  const compose = composeFile.parse(parse(text, { merge: true }));
  const services = Object.entries(compose.services);
  const environmentOf = (name: string) => compose.services[name]?.environment ?? {};

  it('docker-compose.yml is valid YAML, and its services refer to existing networks, volumes, files and services', () => {
    expect(Object.keys(compose.services)).toEqual(['caddy', 'app', 'migrate', 'postgres', 'redis', 'backup']);
    for (const [, { networks, volumes = [], depends_on: needs = {} }] of services) {
      for (const network of networks) expect(Object.keys(compose.networks)).toContain(network);
      for (const needed of Object.keys(needs)) expect(Object.keys(compose.services)).toContain(needed);
      for (const [source = ''] of volumes.map((volume) => volume.split(':')))
        if (source.startsWith('./')) expect(existsSync(source)).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });

  it('docker-compose.yml pins every external image by minor version and digest, and limits the memory of all containers', () => {
    for (const [name, { image, build, mem_limit: memory, logging }] of services) {
      if (build === undefined)
        expect(`${name} ${image}`).toMatch(new RegExp(`^${name} ${PINNED.source.slice(1)}`));
      expect(memory).toMatch(/^\d+[mg]$/);
      expect(logging.options['max-size']).toMatch(/^\d+m$/);
    }
  });

  it('the service runs with a read-only root file system and without privileges', () => {
    for (const name of ['app', 'migrate', 'redis', 'backup', 'caddy'])
      expect(compose.services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    for (const [, one] of services) expect(one.security_opt).toEqual(['no-new-privileges:true']);
    expect(compose.services['app']).toMatchObject({ tmpfs: ['/tmp'], volumes: ['data:/app/.data'] });
  });

  it('the containers run existing scripts, and migrate before the service starts', () => {
    const scripts = [...text.matchAll(/scripts\/[\w./-]+\.\w+/g)].map(([name]) =>
      name.replace(/^scripts\/(?=(backup|restore)\.sh)/, 'scripts/database/'),
    );
    expect(scripts).toEqual(expect.arrayContaining(['scripts/migrate.mjs', 'scripts/database/backup.sh']));
    for (const name of scripts) expect(existsSync(name)).toBe(true);
    expect(compose.services['app']?.depends_on?.['migrate']).toEqual({
      condition: 'service_completed_successfully',
    });
  });

  it('docker-compose.yml contains no secret, and requires each one from the environment', () => {
    for (const [, { environment }] of services)
      for (const [name, value] of Object.entries(environment))
        if (/SECRET|PASSWORD$|_URL$/.test(name) && value !== null)
          expect(value).toMatch(/\$\{(POSTGRES_PASSWORD|REDIS_PASSWORD):\?|\$\{PUBLIC_URL:-/);
    expect(text).toContain('${POSTGRES_PASSWORD:?');
    expect(text).toContain('${REDIS_PASSWORD:?');
  });

  it('docker-compose.yml passes every variable to the app, and to other containers only their own', () => {
    const read = [...CORE_VARIABLES, ...PROVIDERS.flatMap(({ environment }) => environment.variables)];
    expect(Object.keys(environmentOf('app')).sort()).toEqual([...new Set(read)].sort());
    expect(services.filter(([, one]) => 'env_file' in one)).toEqual([]);
    expect(Object.keys(environmentOf('migrate'))).toEqual(['NODE_ENV', 'DATABASE_URL']);
    expect(Object.keys(environmentOf('redis'))).toEqual(['REDIS_PASSWORD']);
    expect(Object.keys(environmentOf('caddy'))).toEqual(['PUBLIC_URL']);
    for (const name of ['postgres', 'backup', 'migrate', 'redis', 'caddy'])
      expect(
        Object.keys(environmentOf(name)).filter((one) => /^(JWT|PIN|STRIPE|PAYPAL|SMTP|IDP)_/.test(one)),
      ).toEqual([]);
  });

  it('docker-compose.yml publishes TLS by Caddy and the app on this machine only, and keeps the database and Redis internal', () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
    expect(published).toEqual([
      'caddy 80:80',
      'caddy 443:443',
      'caddy 443:443/udp',
      'app ${BIND_ADDRESS:-127.0.0.1}:${PUBLISHED_PORT:-3000}:3000',
    ]);
    expect(compose.networks['back']).toEqual({ internal: true });
    for (const name of ['postgres', 'redis', 'migrate', 'backup'])
      expect(compose.services[name]?.networks).toEqual(['back']);
    expect(readFileSync('docs/deploy/Caddyfile', 'utf8')).toMatch(
      /^\{\$PUBLIC_URL\} \{\n\treverse_proxy app:3000 \{$/m,
    );
  });

  it('Redis requires a password, which the health check and the app use', () => {
    const [shell, options, script = ''] = compose.services['redis']?.command ?? [];
    expect([shell, options]).toEqual(['sh', '-euc']);
    expect(script).toContain('requirepass %s');
    expect(environmentOf('app')['REDIS_URL']).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD/);
    expect(JSON.stringify(compose.services['redis']?.healthcheck)).toContain('REDISCLI_AUTH');
  });

  it('docker-compose.yml reads from .env only variables that .env.example explains', () => {
    const example = new Set(
      readFileSync('.env.example', 'utf8')
        .match(/^#? ?([A-Z_]+)=/gm)
        ?.map((line) => line.replace(/[#= ]/g, '')),
    );
    const names = [...text.matchAll(/(?<!\$)\$\{([A-Z_]+)/g)].map(([, name]) => name);
    const passed = Object.entries(environmentOf('app')).flatMap(([name, value]) =>
      value === null ? [name] : [],
    );
    expect([...names, ...passed].filter((name) => !example.has(name ?? ''))).toEqual([]);
  });
});
