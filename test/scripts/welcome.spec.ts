import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';

const { welcome } = (await import(pathToFileURL(resolve('scripts/welcome.mjs')).href)) as {
  welcome(context: object): string;
};

it('npm start prints a valid shell command, also for a folder with spaces and quotes', () => {
  const folder = mkdtempSync(join(tmpdir(), "the gala's data "));
  const script = join(folder, 'try-it.sh');
  writeFileSync(script, 'echo works');
  const printed = welcome({
    ...{ url: 'http://127.0.0.1:3000', sandboxUrl: 'http://127.0.0.1:3001', script, dataDir: folder },
    database: { embedded: true },
    login: { email: 'admin@example.org' },
    demo: { slug: 'gala', id: 'x' },
  });
  const [, command = ''] = /\(also: (bash .*)\):$/m.exec(printed) ?? [];
  expect(execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' })).toBe('works\n');
  rmSync(folder, { recursive: true });
});
