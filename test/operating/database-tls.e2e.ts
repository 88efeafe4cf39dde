import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { TEST_SECRETS } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { startServerProcess } from '../support/process.js';
import { withOpened } from '../support/setup.js';
import { startTlsDatabase } from '../support/tls-database.js';
import { describeWithTool } from '../support/tools.js';

describeWithTool('openssl', 'a database with TLS', () => {
  const database = withOpened(() => createTestDatabase());
  const tls = withOpened(() => startTlsDatabase(database.url));

  const withMode = (url: string, query: Record<string, string>) => {
    const address = new URL(url);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    return address.href;
  };
  const env = (DATABASE_URL: string) => ({
    PATH: process.env.PATH,
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    ...TEST_SECRETS,
    DATABASE_URL,
  });
  /** Runs a program in a child process until it ends. Meanwhile this process can answer as the database. */
  const run = async (program: string, url: string) => {
    const child = spawn(process.execPath, [resolve(program)], {
      env: { ...env(url), ADMIN_EMAIL: 'office@charity.example', ADMIN_PASSWORD: 'correct horse battery 7' },
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (printed += text.toString()));
    const code = await new Promise<number | null>((ended) => child.once('exit', ended));
    return { code, printed };
  };

  it.each(['require', 'verify-full'])(
    'the server and the operator commands work with sslmode=%s',
    async (sslmode) => {
      const url = withMode(tls.url, { sslmode, sslrootcert: tls.authority });
      const server = await startServerProcess({ DATABASE_URL: url });
      await server.stop();
      expect(server.output()).not.toContain('SECURITY WARNING');
      for (const program of ['scripts/migrate.mjs', 'scripts/admin-seed.mjs'])
        expect(await run(program, url)).toEqual({ code: 0, printed: expect.not.stringContaining('WARNING') });
    },
  );

  it.each(['dist/main.js', 'scripts/migrate.mjs', 'scripts/admin-seed.mjs'])(
    '%s explains at once how to trust the certificate of the database',
    async (program) => {
      const { code, printed } = await run(program, withMode(tls.url, { sslmode: 'require' }));
      expect(code).toBe(1);
      expect(printed).toMatch(/does not trust the issuer of its certificate.*sslrootcert=/);
      expect(printed).not.toMatch(/Waiting|WARNING|^ +at /m);
    },
  );

  it.each([
    [
      'a server without TLS',
      () => withMode(database.url, { sslmode: 'verify-full' }),
      /does not support SSL/,
    ],
    [
      'a missing file',
      () => withMode(tls.url, { sslmode: 'verify-full', sslrootcert: '/no/such/ca.pem' }),
      /the file \/no\/such\/ca\.pem cannot be read \(ENOENT\)/,
    ],
    [
      'a name missing in the certificate',
      () =>
        withMode(tls.url.replace('127.0.0.1', 'localhost'), {
          sslmode: 'require',
          sslrootcert: tls.authority,
        }),
      /does not match certificate's altnames/,
    ],
  ])('a start with %s fails at once', async (_what, url, says) => {
    const { code, printed } = await run('dist/main.js', url());
    expect(code).toBe(1);
    expect(printed).toMatch(says);
    expect(printed).not.toMatch(/Waiting|^ +at /m);
  });
});
