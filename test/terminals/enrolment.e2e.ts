import { beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { newId } from '../../src/common/crypto/ids.js';
import { NO_LIMITS, startApp } from '../support/app.js';
import { as, type Caller, errorBody } from '../support/bearer.js';
import { createStaff, sql } from '../support/fixtures.js';
import { withEvent } from '../support/setup.js';
import { enrolTerminal, signInOn, type TerminalFixture } from '../support/terminals.js';

const { app, admin, event } = withEvent({
  start: () => startApp({ PUBLIC_URL: 'https://give.example.org' }),
});

interface CodeBody {
  code: string;
  enrolUrl: string;
  expiresAt: string;
}
const newCode = async (fields: object = {}) =>
  (await admin.post('/terminals/codes', { name: 'Table 4', ...fields }).expect(201)).body as CodeBody;
const enrol = (code: string) => supertest(app.url).post('/terminals/enrol').send({ code });
const beat = ({ deviceToken }: { deviceToken: string }, fields: object = {}) =>
  supertest(app.url)
    .post('/terminals/heartbeat')
    .set('X-Device-Token', deviceToken)
    .send({ waiting: 0, ...fields });
const listed = async (id: string) =>
  ((await admin.get('/terminals').expect(200)).body as { data: { id: string }[] }).data.find(
    (one) => one.id === id,
  );
const audited = async (action: string, subject: string) =>
  await sql<{ actor_kind: string; detail: unknown }>(
    app,
    'SELECT actor_kind, detail FROM audit_entry WHERE action = $1 AND subject_id = $2',
    [action, subject],
  );

describe('enrolment codes', () => {
  it('a code is shown once with its QR address, and becomes a device token', async () => {
    const made = await newCode({ eventId: event.slug });
    expect(made.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
    expect(made.enrolUrl).toBe(`https://give.example.org/pos#enrol=${made.code}`);
    const minutes = (Date.parse(made.expiresAt) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(14.5);
    expect(minutes).toBeLessThanOrEqual(15);
    const { body, headers } = await enrol(made.code).expect(201);
    expect(body).toEqual({
      terminal: { id: expect.any(String), name: 'Table 4', eventId: event.id },
      deviceToken: expect.stringMatching(/^[\w-]{64}$/),
    });
    expect(headers['cache-control']).toBe('no-store');
    const { id } = (body as { terminal: { id: string } }).terminal;
    expect(await audited('terminal.enrol', id)).toMatchObject([{ actor_kind: 'system' }]);
  });

  it('the database contains only digests of the code and of the device token', async () => {
    const { code } = await newCode();
    const { body } = await enrol(code).expect(201);
    const { deviceToken } = body as { deviceToken: string };
    const dump = JSON.stringify([
      await sql(app, "SELECT encode(code_digest, 'escape') AS a, name FROM terminal_code"),
      await sql(app, "SELECT encode(token_digest, 'escape') AS a, name FROM terminal"),
      await sql(app, 'SELECT detail FROM audit_entry'),
    ]);
    for (const secret of [code, code.replaceAll('-', ''), deviceToken]) expect(dump).not.toContain(secret);
  });

  it('a code may be typed in lower case, without hyphens, with O for 0 and I for 1', async () => {
    const { code } = await newCode();
    const typed = code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'i');
    await enrol(typed).expect(201);
  });

  it('one of twenty simultaneous requests enrols a terminal with the code', async () => {
    const { code } = await newCode();
    const answers = await Promise.all(Array.from({ length: 20 }, () => enrol(code)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 401);
    expect(refused).toHaveLength(19);
    expect(refused[0]?.body).toEqual(errorBody(401, 'Unauthorized', 'WRONG_CODE'));
  });

  it('a code expires after fifteen minutes', async () => {
    const { code } = await newCode();
    await sql(app, "UPDATE terminal_code SET expires_at = now() - interval '1 second' WHERE used_at IS NULL");
    expect((await enrol(code).expect(401)).body).toEqual(errorBody(401, 'Unauthorized', 'WRONG_CODE'));
  });

  it('an unknown code is refused like an expired one', async () => {
    expect((await enrol('0000-0000-0000').expect(401)).body).toEqual(
      errorBody(401, 'Unauthorized', 'WRONG_CODE'),
    );
  });

  it('a code for an unknown event is refused', async () => {
    await admin.post('/terminals/codes', { name: 'Table 4', eventId: newId() }).expect(404);
  });

  it('wrong enrolment codes are rate limited like wrong sign-ins', async () => {
    const limited = await startApp({}, { limits: { ...NO_LIMITS, authPerMinute: 10 } });
    try {
      const guess = () => supertest(limited.url).post('/terminals/enrol').send({ code: 'AAAA-AAAA-AAAA' });
      for (let tried = 0; tried < 10; tried++) await guess().expect(401);
      await guess().expect(429);
    } finally {
      await limited.close();
    }
  });
});

describe('enrolled terminals', () => {
  it('the list shows the member, waiting records, version and event of a terminal', async () => {
    const terminal = await enrolTerminal(app, admin.token, 'Bar', event.id);
    const member = await createStaff(app, admin.token, event.id, 'Grace Hopper');
    await signInOn(app, terminal, member.code, event.id);
    const answer = await beat(terminal, { waiting: 3, appVersion: '1.4.0', staffId: member.id }).expect(200);
    expect(answer.body).toEqual({
      terminal: { id: terminal.id, name: 'Bar' },
      serverTime: expect.any(String),
      release: null,
      rehearsal: null,
    });
    expect(
      Math.abs(Date.parse((answer.body as { serverTime: string }).serverTime) - Date.now()),
    ).toBeLessThan(10_000);
    expect(await listed(terminal.id)).toEqual({
      id: terminal.id,
      name: 'Bar',
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      staff: { id: member.id, name: 'Grace Hopper' },
      event: { id: event.id, slug: event.slug, name: 'Summer Gala' },
      waiting: 3,
      appVersion: '1.4.0',
      releasedAt: null,
      revokedAt: null,
    });
    await beat(terminal, { waiting: 0, staffId: newId() }).expect(200);
    expect(await listed(terminal.id)).toMatchObject({ staff: null, waiting: 0, appVersion: '1.4.0' });
  });

  it('the list names only a present member who signed in on the terminal within the session lifetime', async () => {
    const [here, there] = [await enrolTerminal(app, admin.token), await enrolTerminal(app, admin.token)];
    const [grace, maria] = [
      await createStaff(app, admin.token, event.id, 'Grace Hopper'),
      await createStaff(app, admin.token, event.id, 'Maria Lopez'),
    ];
    await signInOn(app, here, grace.code, event.id);
    await signInOn(app, there, maria.code, event.id);
    const named = async (member: { id: string }) => {
      await beat(here, { staffId: member.id }).expect(200);
      return await listed(here.id);
    };
    expect(await named(maria)).toMatchObject({ staff: null });
    expect(await named(grace)).toMatchObject({ staff: { id: grace.id } });
    await sql(
      app,
      "UPDATE audit_entry SET created_at = created_at - interval '13 hours' WHERE subject_id = $1 AND action = 'staff.sign_in'",
      [grace.id],
    );
    expect(await named(grace)).toMatchObject({ staff: null });
    await signInOn(app, here, grace.code, event.id);
    expect(await named(grace)).toMatchObject({ staff: { id: grace.id } });
    await admin.delete(`/staff/${grace.id}`).expect(200);
    expect(await named(grace)).toMatchObject({ staff: null });
  });

  it('an admin renames a terminal, with an audit entry', async () => {
    const { id } = await enrolTerminal(app, admin.token);
    expect((await admin.patch(`/terminals/${id}`, { name: 'Bar' }).expect(200)).body).toMatchObject({
      id,
      name: 'Bar',
    });
    expect(await audited('terminal.rename', id)).toMatchObject([{ actor_kind: 'admin' }]);
    await admin.patch(`/terminals/${newId()}`, { name: 'Bar' }).expect(404);
    await admin.patch('/terminals/garbage', { name: 'Bar' }).expect(404);
  });

  it('a heartbeat needs the device token of the terminal', async () => {
    const { deviceToken } = await enrolTerminal(app, admin.token);
    const last = deviceToken.endsWith('A') ? 'B' : 'A';
    for (const token of ['', 'x', deviceToken.slice(1), deviceToken.slice(0, -1) + last])
      expect((await beat({ deviceToken: token }).expect(401)).body).toEqual(
        errorBody(401, 'Unauthorized', 'TERMINAL_REVOKED'),
      );
    await beat({ deviceToken }, { waiting: -1 }).expect(400);
    await beat({ deviceToken }, { waiting: '3' }).expect(400);
  });
});

describe('revoked terminals', () => {
  let terminal: TerminalFixture;
  let staff: Caller;
  let pin: string;

  beforeAll(async () => {
    terminal = await enrolTerminal(app, admin.token, 'Lost tablet');
    const member = await createStaff(app, admin.token, event.id);
    pin = member.code;
    staff = as(app, await signInOn(app, terminal, pin, event.id));
    await staff.get('/donations').expect(200);
    expect((await admin.delete(`/terminals/${terminal.id}`).expect(200)).body).toEqual({
      id: terminal.id,
      deleted: true,
    });
  });

  it('revoking a terminal ends its session at once', async () => {
    await staff.get('/donations').expect(401);
    await staff.post('/donations', { amount: 100, type: 'cash' }).expect(401);
  });

  it('a heartbeat reports the revocation, and the terminal stays in the list', async () => {
    expect((await beat(terminal).expect(401)).body).toEqual(
      errorBody(401, 'Unauthorized', 'TERMINAL_REVOKED'),
    );
    expect(await listed(terminal.id)).toMatchObject({ revokedAt: expect.any(String) });
  });

  it('repeated revocations leave one audit entry', async () => {
    await admin.delete(`/terminals/${terminal.id}`).expect(200);
    expect(await audited('terminal.revoke', terminal.id)).toHaveLength(1);
    await admin.delete(`/terminals/${newId()}`).expect(404);
    await admin.post(`/terminals/${terminal.id}/release`).expect(404);
    await admin.patch(`/terminals/${terminal.id}`, { name: 'x' }).expect(404);
  });

  it('a sign-in on a revoked terminal does not name the terminal', async () => {
    const { body } = await supertest(app.url)
      .post('/auth/staff/login')
      .set('X-Device-Token', terminal.deviceToken)
      .send({ code: pin, eventId: event.id })
      .expect(200);
    const { body: record } = await as(app, (body as { accessToken: string }).accessToken)
      .post('/donations', { amount: 100, type: 'cash' })
      .expect(201);
    expect(record).toMatchObject({ terminalId: null });
  });
});
