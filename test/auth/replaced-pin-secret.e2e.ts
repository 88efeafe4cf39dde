import { beforeAll, describe, expect, it } from '@jest/globals';
import { TEST_SECRETS, startApp, type TestApp } from '../support/app.js';
import { as, errorBody } from '../support/bearer.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import {
  ADMIN_PASSWORD as password,
  adminToken,
  createEvent,
  createStaff,
  sql,
  staffToken,
} from '../support/fixtures.js';
import { startServerProcess } from '../support/process.js';
import { sealReceipt } from '../support/sealed-receipts.js';
import { codeOf, forgetSteps, login, withSecondFactor } from '../support/second-factor.js';
import { withEvent, withMade, withOpened, withService, withStaff } from '../support/setup.js';
import { enrolTerminal, signInOn } from '../support/terminals.js';
import { until } from '../support/until.js';

const OLD = TEST_SECRETS.PIN_SECRET;
const NEW = 'pin-new-sGlYp8w2Nf6eK4tB1mV9zX3qH7rC5dJ0';
const NEWER = 'pin-newer-9zX3qH7rC5dJ0sGlYp8w2Nf6eK4tB1mV';

const on = (database: Pick<TestDatabase, 'url'>, PIN_SECRET: string): Promise<TestApp> =>
  startApp({ PIN_SECRET }, {}, database.url);

const give = (app: TestApp, token: string, donorEmail: string, recordedAt?: string) =>
  as(app, token)
    .post('/donations', { type: 'cash', amount: 5_000, donorName: 'Ada', donorEmail, recordedAt })
    .expect(201);

const donors = async (app: TestApp, eventId: string): Promise<number> =>
  (await sql(app, 'SELECT donor_key FROM event_donor WHERE event_id = $1 AND donations > 0', [eventId]))
    .length;

const createMember = (app: TestApp, admin: string, code: string) =>
  as(app, admin).post('/staff', { name: 'Rosa Diaz', code });

describe('PIN_SECRET replaced in three steps', () => {
  const database = withOpened(() => createTestDatabase());
  const evening = withEvent({ start: () => on(database, OLD) });
  const { app: before, admin, event } = evening;
  const staff = withStaff(evening);
  const factor = withMade(() => withSecondFactor(before), beforeAll);
  const terminal = withMade(() => enrolTerminal(before, admin.token), beforeAll);
  beforeAll(() => give(before, staff.token, 'ada@example.org'));
  let sealed = '';
  beforeAll(async () => {
    sealed = await sealReceipt(before, admin.token);
  });
  const oldFirst = withService(() => on(database, `${OLD},${NEW}`));
  const newFirst = withService(() => on(database, `${NEW}, ${OLD}`));
  const after = withService(() => on(database, NEW));

  it('a staff member signs in with an old PIN while both values are set and afterwards', async () => {
    for (const app of [oldFirst, newFirst, after]) await staffToken(app, staff.code, event.id);
  });

  it('admins see an old PIN while both values are set and afterwards', async () => {
    for (const app of [oldFirst, newFirst, after]) {
      const { body } = await as(app, admin.token).get('/staff').expect(200);
      expect((body as { code: string }[]).map(({ code }) => code)).toContain(staff.code);
    }
  });

  it('auditors open a sealed receipt while both values are set and afterwards; without its key they get a clear answer', async () => {
    const open = (app: TestApp) => as(app, admin.token).get(`/export/sealed-receipts/${sealed}`);
    for (const app of [oldFirst, newFirst, after])
      expect((await open(app).expect(200)).body).toMatchObject({ donorName: 'Grace Hopper' });
    const lost = await on(database, NEWER);
    try {
      expect((await open(lost).expect(409)).body).toMatchObject({ code: 'SEALED_RECEIPT_UNREADABLE' });
    } finally {
      await lost.close();
    }
  });

  it('a PIN is found although another process with the opposite order of values created it', async () => {
    const { code } = await createStaff(oldFirst, admin.token, event.id, 'Made by the old value');
    await staffToken(newFirst, code, event.id);
    const { code: other } = await createStaff(newFirst, admin.token, event.id, 'Made by the new value');
    await staffToken(oldFirst, other, event.id);
  });

  it('two members never get the same PIN, also if the other value created the first PIN', async () => {
    await createMember(oldFirst, admin.token, '271828').expect(201);
    expect((await createMember(newFirst, admin.token, '271828').expect(409)).body).toEqual(
      errorBody(409, 'Conflict', 'PIN_TAKEN'),
    );
    await createMember(newFirst, admin.token, '314159').expect(201);
    await createMember(oldFirst, admin.token, '314159').expect(409);
    const { body } = await createMember(oldFirst, admin.token, '662607').expect(201);
    await as(newFirst, admin.token)
      .put(`/staff/${(body as { id: string }).id}`, { name: 'Rosa Diaz', code: '271828' })
      .expect(409);
  });

  it('if two processes with different orders give two members the same PIN at once, one request is refused', async () => {
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        [oldFirst, newFirst].map((app) => createMember(app, admin.token, `77000${round}`)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });

  it('the old second factor is still required while both values are set and afterwards', async () => {
    for (const app of [oldFirst, newFirst, after]) {
      await login(app, { email: factor.email, password, totp: codeOf(factor.secret) }).expect(200);
      await forgetSteps(app, factor.id);
    }
  });

  it('old recovery codes are accepted while both values are set', async () => {
    const [first, second, third] = factor.recoveryCodes;
    await login(oldFirst, { email: factor.email, password, totp: first }).expect(200);
    await login(newFirst, { email: factor.email, password, totp: second }).expect(200);
    await login(newFirst, { email: factor.email, password, totp: second }).expect(401);
    await login(after, { email: factor.email, password, totp: third }).expect(401);
  });

  it('enrolled terminals are recognized while both values are set', async () => {
    const used = async (app: TestApp) => {
      await sql(app, 'UPDATE terminal SET last_used_at = NULL');
      await signInOn(app, terminal, staff.code, event.id);
      const [row] = await sql<{ last_used_at: Date | null }>(app, 'SELECT last_used_at FROM terminal');
      return row?.last_used_at !== null;
    };
    expect([await used(oldFirst), await used(newFirst), await used(after)]).toEqual([true, true, false]);
  });

  it('a donor who gives before, during and after the replacement counts once', async () => {
    for (const app of [oldFirst, newFirst, after])
      await give(app, await staffToken(app, staff.code, event.id), 'ADA@example.org');
    await give(before, await staffToken(oldFirst, staff.code, event.id), 'ada@example.org');
    expect(await donors(before, event.id)).toBe(1);
  });

  it('a record that arrives late does not restore an erased donor', async () => {
    const takenAt = new Date(Date.now() - 3_600_000).toISOString();
    await give(before, await staffToken(after, staff.code, event.id), 'grace@example.org');
    const [row] = await sql<{ key: string }>(
      before,
      `SELECT encode(donor_key, 'hex') AS key FROM donation WHERE donor_email = 'grace@example.org'`,
    );
    await as(before, admin.token).delete(`/donors/${row?.key}`).expect(200);
    const { body } = await give(
      after,
      await staffToken(after, staff.code, event.id),
      'grace@example.org',
      takenAt,
    );
    expect(body).toMatchObject({ donorEmail: null });
  });
});

describe('the key that counts donors', () => {
  const database = withOpened(() => createTestDatabase());

  it('existing donations keep their donor key when both values were set before a key was stored', async () => {
    const before = await on(database, OLD);
    const admin = await adminToken(before);
    const event = await createEvent(before, admin);
    const { token } = await createStaff(before, admin, event.id);
    await give(before, token, 'ada@example.org');
    for (const order of [`${NEW},${OLD}`, `${OLD},${NEW}`]) {
      // Brings the database into the state that the previous release left.
      await sql(before, 'DELETE FROM kept_key');
      const both = await on(database, order);
      await give(both, token, 'ada@example.org');
      await both.close();
    }
    expect(await donors(before, event.id)).toBe(1);
    await before.close();
  });

  it('the donor key stays the same after a second replacement', async () => {
    const first = await on(database, OLD);
    const admin = await adminToken(first);
    const event = await createEvent(first, admin);
    const { token } = await createStaff(first, admin, event.id);
    await give(first, token, 'ada@example.org');
    for (const secret of [`${NEW},${OLD}`, NEW, `${NEWER},${NEW}`, NEWER]) {
      const app = await on(database, secret);
      await give(app, token, 'ada@example.org');
      await app.close();
    }
    expect(await donors(first, event.id)).toBe(1);
    await first.close();
  });
});

it('donors are not counted until the donor key is read; then counting continues', async () => {
  const database = await createTestDatabase();
  const before = await on(database, OLD);
  const admin = await adminToken(before);
  const event = await createEvent(before, admin);
  const { token } = await createStaff(before, admin, event.id);
  await give(before, token, 'ada@example.org');
  await sql(before, 'ALTER TABLE kept_key RENAME TO away');
  const late = await on(database, `${NEW},${OLD}`);
  try {
    const gift = { type: 'cash', amount: 100, donorName: 'Ada', donorEmail: 'ada@example.org' };
    expect((await as(late, token).post('/donations', gift).expect(503)).body).toEqual(
      errorBody(503, 'Service Unavailable', 'DEPENDENCY_UNAVAILABLE'),
    );
    await sql(before, 'ALTER TABLE away RENAME TO kept_key');
    await until(
      async () => (await as(late, token).post('/donations', gift)).status === 201,
      'the key of donors',
      { everyMs: 100 },
    );
    expect(await donors(before, event.id)).toBe(1);
  } finally {
    await late.close();
    await before.close();
    await database.drop();
  }
});

it('the service warns but starts if no value of PIN_SECRET decrypts the donor key', async () => {
  const database = await createTestDatabase();
  await (await on(database, OLD)).close();
  const server = await startServerProcess({ DATABASE_URL: database.url, PIN_SECRET: NEW });
  await server.stop();
  await database.drop();
  expect(server.output()).toContain('The donor key was encrypted with another PIN_SECRET');
});

it('the service names at start the records that still need the second value of PIN_SECRET', async () => {
  const database = await createTestDatabase();
  const before = await on(database, OLD);
  const admin = await adminToken(before);
  const event = await createEvent(before, admin);
  await createStaff(before, admin, event.id);
  await enrolTerminal(before, admin);
  await withSecondFactor(before);
  const lineOf = async (PIN_SECRET: string) => {
    const server = await startServerProcess({ DATABASE_URL: database.url, PIN_SECRET, LOG_LEVEL: 'info' });
    await server.stop();
    return /PIN_SECRET has two values[^"]*/.exec(server.output())?.[0];
  };
  try {
    expect(await lineOf(`${OLD},${NEW}`)).toMatch(/nothing needs the second$/);
    expect(await lineOf(`${NEW},${OLD}`)).toMatch(
      /all encrypted values in the database use the first; .*may still need the second: 1 enrolled terminal, recovery codes of 1 account, .*pledges until/,
    );
    await sql(
      before,
      `UPDATE staff_member SET pin_sealed = set_byte(pin_sealed, 30, get_byte(pin_sealed, 30) # 1)`,
    );
    expect(await lineOf(`${NEW},${OLD}`)).toMatch(/neither decrypts 1 staff PIN$/);
    expect(await lineOf(NEW)).toBeUndefined();
  } finally {
    await before.close();
    await database.drop();
  }
});
