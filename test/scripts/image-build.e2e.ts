import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { copyBuildContext, instructions } from '../support/image-context.js';
import { startServerProcess } from '../support/process.js';

/** Runs the steps of the Dockerfile without Docker. Stages are folders, and the installed packages replace `npm ci`. */

interface Stage {
  readonly name: string;
  readonly lines: readonly string[];
}

function stages(): Stage[] {
  const found: { name: string; lines: string[] }[] = [];
  for (const line of instructions('Dockerfile')) {
    const [, name = 'final'] = /^FROM \S+(?: AS (\w+))?$/.exec(line) ?? [];
    if (line.startsWith('FROM ')) found.push({ name, lines: [] });
    else found.at(-1)?.lines.push(line);
  }
  return found;
}

describe('the image, built from exactly the files that .dockerignore admits', () => {
  let root: string;
  let context: string;
  let database: TestDatabase;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'donations-image-'));
    context = join(root, 'context');
    database = await createTestDatabase();
    expect(copyBuildContext(context)).toBeGreaterThan(1_000);
    for (const stage of stages()) await build(stage);
  }, 300_000);

  afterAll(async () => {
    rmSync(root, { recursive: true, force: true });
    await database.drop();
  });

  const folderOf = (stage: string) => join(root, stage, 'app');

  async function build({ name, lines }: Stage): Promise<void> {
    const folder = folderOf(name);
    mkdirSync(folder, { recursive: true });
    for (const line of lines) {
      if (line.startsWith('COPY ')) copy(line, folder);
      if (line.startsWith('RUN ')) await run(line.slice('RUN '.length), name, folder);
    }
  }

  function copy(line: string, folder: string): void {
    const words = line.split(/\s+/).slice(1);
    const [, from] = /^--from=(\w+)$/.exec(words[0] ?? '') ?? [];
    const target = words.at(-1) ?? '';
    for (const source of words.slice(from ? 1 : 0, -1)) {
      const path = from ? join(root, from, source) : join(context, source);
      // Here the packages are symbolic links, so Node resolves them to the folder of their target.
      if (source.includes('node_modules') || target.includes('node_modules')) {
        if (!existsSync(join(folder, 'node_modules'))) linkPackages(folder);
        continue;
      }
      if (!existsSync(path)) throw new Error(`${line}: ${source} does not exist`);
      cpSync(path, /\/$|^\.$/.test(target) && source !== '.' ? join(folder, source) : join(folder, target), {
        recursive: true,
      });
    }
  }

  const linkPackages = (folder: string) => {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  };

  async function run(command: string, stage: string, folder: string): Promise<void> {
    if (command.startsWith('npm ci')) linkPackages(folder);
    // production-install.e2e.ts tests the removal of packages, with copies.
    else if (command.includes('prune-production') || stage === 'base') return;
    else {
      const here = command.replace(/ && chown .*/, '');
      await promisify(execFile)('/bin/sh', ['-euc', here], { cwd: folder, timeout: 240_000 });
    }
  }

  it('server, sandbox and pages build from the admitted files alone', () => {
    for (const file of ['main.js', 'web/manifest.json'])
      expect(existsSync(join(folderOf('build'), 'dist', file))).toBe(true);
    // The digests in the file names depend on the location of the packages, which are links here.
    const named = (folder: string) =>
      readdirSync(join(folder, 'dist/web/files'))
        .map((name) => name.replace(/-[A-Z0-9]{8}(?=\.)/, ''))
        .sort();
    expect(named(folderOf('build'))).toEqual(named('.'));
    expect(existsSync(join(folderOf('build'), 'dist-sandbox/main.js'))).toBe(true);
  });

  it('the image excludes secrets, git history, tests and earlier builds', () => {
    for (const name of ['.env', '.git', '.data', 'node_modules', 'dist', 'test', 'src/data/generated'])
      expect(existsSync(join(context, name))).toBe(false);
  });

  it('the image migrates, starts and serves the donate page with its script', async () => {
    const folder = folderOf('final');
    const environment = { DATABASE_URL: database.url, PATH: process.env.PATH, NODE_ENV: 'production' };
    const migrated = await promisify(execFile)(process.execPath, ['scripts/migrate.mjs'], {
      cwd: folder,
      env: environment,
    });
    expect(migrated.stdout).toBe('The database is up to date.\n');
    const server = await startServerProcess({ DATABASE_URL: database.url }, join(folder, 'dist/main.js'));
    try {
      const page = await fetch(`${server.url}/pos`);
      expect(page.status).toBe(200);
      const [, script = ''] = /<script[^>]+src="([^"]+)"/.exec(await page.text()) ?? [];
      expect((await fetch(new URL(script, server.url))).status).toBe(200);
    } finally {
      await server.stop();
    }
  });
});
