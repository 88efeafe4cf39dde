import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ADMIN_PASSWORD, createAdmin } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

const run = promisify(execFile);
const node = (...args: string[]) => run(process.execPath, args, { maxBuffer: 1 << 24 });

/** Code of a client developer who has only the API description. The strict compiler must accept every line. */
const PROGRAM = `
import { client } from './client.gen.js';
import { authLogin, cancellationCancel, donationsList, donationsRecord, eventsRead, paymentsCreate } from './sdk.gen.js';
import type { ErrorBody, RecordDonationDto } from './types.gen.js';

const [, , baseUrl = '', email = '', password = '', eventId = '', slug = ''] = process.argv;
client.setConfig({ baseUrl });

const signedIn = await authLogin({ body: { email, password }, throwOnError: true });
const role: 'ADMIN' | 'ACCOUNTANT' = signedIn.data.user.role;
client.setConfig({ auth: () => signedIn.data.accessToken });

// Neither the key nor what has a default is required.
const cash: RecordDonationDto = { amount: 2500, type: 'cash', eventId, donorName: 'Ada Lovelace' };
const recorded = await donationsRecord({ body: cash, throwOnError: true });
const again = await donationsRecord({ body: cash, headers: { 'Idempotency-Key': 'key-1' }, throwOnError: true });
const intent = await paymentsCreate({ body: { amount: 1000, metadata: { eventId: slug } }, throwOnError: true });
const secret: string = 'clientSecret' in intent.data ? intent.data.clientSecret : '';
const list = await donationsList({ query: { eventId, limit: 10 }, throwOnError: true });
// An API key without personal data gets no names.
const names: (string | null | undefined)[] = list.data.data.map((donation) => donation.donorName);
const cancelled = await cancellationCancel({
  path: { id: recorded.data.id },
  body: { shouldRefund: false },
  throwOnError: true,
});
const event = await eventsRead({ path: { id: slug }, throwOnError: true });
const total: number = event.data.totalRaised;

const refused = await donationsRecord({ body: { ...cash, amount: 0 } });
let error: ErrorBody | undefined;
if (refused.error && 'code' in refused.error) error = refused.error;
const code: string | undefined = error?.code;

console.log(JSON.stringify({ role, first: recorded.data, second: again.data.id, secret, names, total,
  cancelled: cancelled.data.status, refund: cancelled.data.refund, code, status: refused.response?.status }));
`;

const { app, event } = withEvent({ start: startPaymentsApp });
const folder = mkdtempSync(join(tmpdir(), 'generated-client-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a client generated from openapi.json', () => {
  it('a client generated from openapi.json passes the strict compiler and runs a whole evening', async () => {
    const { email } = await createAdmin(app);
    await node(
      'node_modules/@hey-api/openapi-ts/bin/run.js',
      ...['--input', 'openapi.json', '--output', join(folder, 'client'), '--no-log-file', '--silent'],
    );
    const source = join(folder, 'client');
    writeFileSync(join(source, 'program.ts'), PROGRAM);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noUncheckedIndexedAccess: true,
          target: 'es2022',
          module: 'nodenext',
          lib: ['es2022', 'dom', 'dom.iterable'],
          typeRoots: [join(process.cwd(), 'node_modules/@types')],
          types: ['node'],
          rootDir: source,
          outDir: join(folder, 'out'),
        },
        include: ['client'],
      }),
    );
    await node('node_modules/typescript/bin/tsc', '--project', folder).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout);
    });
    const { stdout } = await node(
      join(folder, 'out/program.js'),
      ...[app.url, email, ADMIN_PASSWORD, event.id, event.slug],
    );
    const said = JSON.parse(stdout) as Record<string, unknown> & { first: { id: string } };
    expect(said).toMatchObject({
      role: 'ADMIN',
      first: { eventId: event.id, amount: 2500, status: 'COMPLETED', donorName: 'Ada Lovelace' },
      secret: expect.stringMatching(/^pi_.+_secret_/),
      cancelled: 'CANCELLED',
      refund: null,
      total: 2500,
      code: 'VALIDATION_FAILED',
      status: 400,
    });
    expect(said.second).not.toBe(said.first.id);
    expect(said.names).toEqual(expect.arrayContaining(['Ada Lovelace']));
  }, 240_000);
});
