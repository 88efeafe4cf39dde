import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox/server/sandbox.js';
import type { PlayDto } from '../../src/rehearsal/play/dto/play.dto.js';
import type { RehearsalReport } from '../../src/rehearsal/report/dto/report.dto.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN_PASSWORD, createAdmin } from '../support/fixtures.js';
import { PAYPAL, providerEnvironment, STRIPE } from '../support/payments.js';
import { type ServerProcess, startServerProcess } from '../support/process.js';
import { until } from '../support/until.js';

const GUESTS = 120;
const PATIENCE = { everyMs: 250, timeoutMs: 150_000 };

let database: TestDatabase;
let sandbox: Sandbox;
let servers: ServerProcess[];
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  database = await createTestDatabase();
  sandbox = await startSandbox({ stripe: STRIPE, paypal: PAYPAL });
  environment = { ...providerEnvironment(sandbox), DATABASE_URL: database.url };
  servers = await Promise.all([startServerProcess(environment), startServerProcess(environment)]);
}, 90_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await sandbox.close();
  await database.drop();
});

describe('a played evening on two servers', () => {
  it('books each gift once, although both are killed twice in the middle', async () => {
    const { email } = await createAdmin({ databaseUrl: database.url });
    let token = '';
    const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
      const answer = await fetch(`${servers[0]?.url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await answer.json()) as Answer;
    };
    const login = await call<{ accessToken: string }>('POST', '/auth/login', {
      email,
      password: ADMIN_PASSWORD,
    });
    token = login.accessToken;
    await call('POST', '/events', { name: 'Gala', slug: 'gala', goalAmount: 1_000_000, status: 'active' });
    const path = '/events/gala/rehearsal';
    await call('POST', path, { withNames: false, mailTo: [] });
    await call('POST', `${path}/play`, { guests: GUESTS, minutes: 1 });
    const playing = () => call<PlayDto>('GET', `${path}/play`);
    for (const share of [0.25, 0.6]) {
      await until(async () => (await playing()).done >= GUESTS * share, `${share} of the guests`, PATIENCE);
      await Promise.all(servers.map((server) => server.kill('SIGKILL')));
      servers = await Promise.all([startServerProcess(environment), startServerProcess(environment)]);
    }
    await until(async () => (await playing()).endedAt !== null, 'the end of the evening', PATIENCE);
    const { figures, done, reason } = await playing();
    expect({ done, reason, errors: figures.errors }).toEqual({ done: GUESTS, reason: 'finished', errors: 0 });
    expect(figures.cash + figures.pledges + figures.online).toBe(GUESTS);
    const { checks } = await call<RehearsalReport>('GET', `${path}/report`);
    expect(checks.find(({ name }) => name === 'evening')).toMatchObject({ state: 'passed', missing: [] });
  }, 300_000);
});
