import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { startApp } from '../support/app.js';
import { as, confirmed } from '../support/bearer.js';
import {
  ADMIN_PASSWORD,
  adminToken,
  createAdmin,
  createEvent,
  createStaff,
  sql,
} from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';

interface Entry {
  id: string;
  actor: string;
  actorId: string | null;
  action: string;
  subjectId: string | null;
  detail: Record<string, unknown>;
  address: string | null;
}
interface Page {
  data: Entry[];
  nextCursor: string | null;
  names: Record<string, string>;
}

const app = withService(() => startApp({ TRUST_PROXY: '1' }));
const lines: unknown[] = [];

beforeAll(() => {
  app.app.useLogger({
    log: () => undefined,
    error: () => undefined,
    warn: (line: unknown) => lines.push(line),
  });
});
afterAll(() => {
  Logger.overrideLogger(false);
});
const admin = withAdmin(app);

const from = (address: string, method: 'get' | 'post' | 'patch', path: string, token = admin.token) =>
  app.http[method](path).set('X-Forwarded-For', address).auth(token, { type: 'bearer' });
const audit = async (query: Record<string, string>, token = admin.token): Promise<Page> =>
  (await app.http.get('/audit').query(query).auth(token, { type: 'bearer' }).expect(200)).body as Page;

const tokenOf = async (email: string): Promise<string> => {
  const { body } = await app.http.post('/auth/login').send({ email, password: ADMIN_PASSWORD }).expect(200);
  return (body as { accessToken: string }).accessToken;
};

describe('the audit', () => {
  it('the audit records every successful and failed sign-in of an admin with the address, without e-mail or password', async () => {
    const { id, email } = await createAdmin(app);
    const login = (address: string, body: object) =>
      app.http.post('/auth/login').set('X-Forwarded-For', address).send(body);
    await login('198.51.100.1', { email, password: 'not it at all' }).expect(401);
    await login('198.51.100.2', { email: 'nobody@example.org', password: 'not it at all' }).expect(401);
    await login('198.51.100.3', { email, password: ADMIN_PASSWORD }).expect(200);
    const method = { method: 'password' };
    const ofAdmin = (await audit({ subjectId: id })).data;
    expect(ofAdmin.map(({ action, address, actor, detail }) => ({ action, address, actor, detail }))).toEqual(
      [
        { action: 'admin.sign_in', address: '198.51.100.3', actor: 'admin', detail: method },
        { action: 'admin.sign_in_failed', address: '198.51.100.1', actor: 'system', detail: method },
      ],
    );
    expect((await audit({ address: '198.51.100.2' })).data).toEqual([
      expect.objectContaining({ action: 'admin.sign_in_failed', subjectId: null, detail: method }),
    ]);
    const stored = await sql<{ row: string }>(app, 'SELECT a::text AS row FROM audit_entry a');
    for (const { row } of stored) {
      expect(row).not.toContain('nobody@example.org');
      expect(row).not.toContain('not it at all');
    }
  });

  it('the audit records sign-ins of staff and wrong PIN attempts, but never the PIN', async () => {
    const event = await createEvent(app, admin.token);
    const { id, code } = await createStaff(app, admin.token, event.id);
    const login = (pin: string) =>
      app.http
        .post('/auth/staff/login')
        .set('X-Forwarded-For', '198.51.100.9')
        .send({ code: pin, eventId: event.id });
    await login('0192837465').expect(401);
    await login(code).expect(200);
    const { data } = await audit({ address: '198.51.100.9' });
    expect(data.map(({ action, actor, subjectId }) => ({ action, actor, subjectId }))).toEqual([
      { action: 'staff.sign_in', actor: 'staff', subjectId: id },
      { action: 'staff.sign_in_failed', actor: 'system', subjectId: null },
    ]);
    expect(JSON.stringify(data)).not.toContain('0192837465');
  });

  it('the audit names the person and address of each view of PINs, export, correction and unlock of sign-ins', async () => {
    const event = await createEvent(app, admin.token);
    const { id: member } = await createStaff(app, admin.token, event.id);
    const address = '198.51.100.20';
    await from(address, 'get', '/staff').expect(200);
    await from(address, 'get', `/staff/${member}`).expect(200);
    await from(address, 'get', `/events/${event.id}/staff`).expect(200);
    const { body: donation } = await from(address, 'post', '/donations')
      .send({ amount: 500, type: 'cash', eventId: event.id, donorName: 'Ada' })
      .expect(201);
    const { id } = donation as { id: string };
    await from(address, 'patch', `/donations/${id}`).send({ donorName: 'Augusta' }).expect(200);
    await from(address, 'get', '/donations/export').expect(200);
    await from(address, 'get', `/export/receipts/zip?eventId=${event.id}`).expect(200);
    await from(address, 'post', '/auth/staff/unlock').expect(200);
    const { data } = await audit({ address });
    expect(data.map(({ action, subjectId }) => [action, subjectId]).reverse()).toEqual([
      ['staff.see_pins', null],
      ['staff.see_pins', member],
      ['staff.see_pins', event.id],
      ['donation.correct', id],
      ['donations.export', null],
      ['receipts.export', event.id],
      ['staff.unlock', null],
    ]);
  });

  it('the audit shows the current names of accounts and events, and no name of a deleted account', async () => {
    const { id: boss, email } = await createAdmin(app);
    const token = await tokenOf(email);
    const event = await createEvent(app, token, { name: 'Summer Gala' });
    const { id: member, code } = await createStaff(app, token, event.id, 'Sam before');
    await app.http.post('/auth/staff/login').send({ code, eventId: event.id }).expect(200);
    await as(app, token).put(`/staff/${member}`, { name: 'Sam after' }).expect(200);
    const ofMember = await audit({ subjectId: member });
    expect(ofMember.names).toEqual({
      [boss]: email,
      [member]: 'Sam after',
      [event.id]: 'Summer Gala',
    });
    expect((await audit({ subjectId: 'nobody' })).names).toEqual({});
    await sql(app, 'UPDATE admin SET name = $1 WHERE id = $2', ['Ada Lovelace', boss]);
    expect((await audit({ actorId: boss })).names[boss]).toBe('Ada Lovelace');
    await (await confirmed(app, admin.token)).delete(`/users/${boss}`).expect(200);
    const { data, names } = await audit({ actorId: boss });
    expect(data.length).toBeGreaterThan(0);
    expect(names[boss]).toBeUndefined();
  });

  it('admins and accountants read the audit by page and by filter', async () => {
    const accountant = await adminToken(app, 'ACCOUNTANT');
    const all: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await audit({ limit: '3', ...(cursor ? { cursor } : {}) }, accountant);
      expect(page.data.length).toBeLessThanOrEqual(3);
      all.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    const [count] = await sql<{ count: number }>(app, 'SELECT count(*)::int AS count FROM audit_entry');
    expect(all).toHaveLength(count?.count ?? -1);
    expect(all).toEqual([...all].sort().reverse());
    const staff = (await audit({ action: 'staff' })).data;
    expect(staff.length).toBeGreaterThan(3);
    expect(staff.every(({ action }) => action.startsWith('staff.'))).toBe(true);
    expect((await audit({ actor: 'accountant' })).data.map(({ action }) => action)).toEqual([
      'admin.sign_in',
    ]);
    expect((await audit({ to: '2020-01-01T00:00:00Z' })).data).toEqual([]);
    await admin.get('/audit?cursor=x').expect(400);
  });

  it('a failed sign-in also writes a log line with the address', () => {
    expect(lines).toContainEqual({
      msg: 'Sign-in failed',
      account: 'admin',
      subject: null,
      address: '198.51.100.2',
      method: 'password',
    });
  });
});
