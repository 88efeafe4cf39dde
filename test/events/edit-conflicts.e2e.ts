import { beforeAll, describe, expect, it } from '@jest/globals';
import { EditConflicts } from '../../src/audit/edit-conflicts.service.js';
import { EditConflictError } from '../../src/common/errors/domain-errors.js';
import type { PrismaService } from '../../src/data/prisma.service.js';
import { as, confirmed } from '../support/bearer.js';
import { adminToken, createAdmin, createEvent, createStaff, sql } from '../support/fixtures.js';
import { enrolTerminal } from '../support/terminals.js';
import { withAdmin, withMade, withService } from '../support/setup.js';

const NAME = 'Summer Gala';

const app = withService();
const admin = withAdmin(app);
const maria = withMade(async () => {
  const token = await adminToken(app);
  const { id } = ((await as(app, token).get('/auth/me').expect(200)).body as { user: { id: string } }).user;
  await sql(app, "UPDATE admin SET name = 'Maria Lopez' WHERE id = $1", [id]);
  return { ...(await confirmed(app, token)), id };
}, beforeAll);
const me = withMade(() => confirmed(app, admin.token), beforeAll);

const byMaria = () => ({ by: { actor: 'admin', id: maria.id, name: 'Maria Lopez' }, at: expect.any(String) });
const conflict = (...details: object[]) => ({
  statusCode: 409,
  code: 'EDIT_CONFLICT',
  error: 'Conflict',
  message: expect.any(String),
  details,
});

describe('PATCH /events/:id with expected values', () => {
  it('refuses to overwrite a goal that another admin changed, and names field, value, person and time', async () => {
    const event = await createEvent(app, admin.token, { name: NAME, goalAmount: 400_000 });
    const before = Date.now();
    await maria.patch(`/events/${event.id}`, { goalAmount: 500_000 }).expect(200);
    const refused = await admin
      .patch(`/events/${event.id}`, {
        goalAmount: 600_000,
        name: 'New Name',
        expected: { goalAmount: 400_000, name: NAME },
      })
      .expect(409);
    expect(refused.body).toEqual(conflict({ field: 'goalAmount', value: 500_000, ...byMaria() }));
    const [{ at }] = (refused.body as { details: [{ at: string }] }).details;
    expect(Date.parse(at)).toBeGreaterThan(before - 5_000);
    expect((await admin.get(`/events/${event.slug}`)).body).toMatchObject({
      goalAmount: 500_000,
      name: NAME,
    });
  });

  it('keeps both changes if two admins change different fields', async () => {
    const event = await createEvent(app, admin.token, { name: NAME, goalAmount: 400_000 });
    await maria.patch(`/events/${event.id}`, { goalAmount: 500_000 }).expect(200);
    await admin.patch(`/events/${event.id}`, { name: 'New Name', expected: { name: NAME } }).expect(200);
    expect((await admin.get(`/events/${event.slug}`)).body).toMatchObject({
      goalAmount: 500_000,
      name: 'New Name',
    });
  });

  it('accepts a change to the value that the other admin has saved already, and a date in another notation', async () => {
    const event = await createEvent(app, admin.token, { name: NAME, date: '2026-12-05T18:00:00.000Z' });
    await maria.patch(`/events/${event.id}`, { goalAmount: 500_000 }).expect(200);
    const expected = { goalAmount: 1, date: '2026-12-05T19:00:00+01:00', description: null };
    await admin
      .patch(`/events/${event.id}`, { goalAmount: 500_000, date: '2026-12-06T18:00:00Z', expected })
      .expect(200);
  });

  it('lets the last change win without expected values, as before', async () => {
    const event = await createEvent(app, admin.token, { name: NAME });
    await maria.patch(`/events/${event.id}`, { goalAmount: 500_000 }).expect(200);
    await admin.patch(`/events/${event.id}`, { goalAmount: 600_000 }).expect(200);
  });

  it('refuses exactly one of two changes that were sent at once', async () => {
    const event = await createEvent(app, admin.token, { name: NAME, goalAmount: 1 });
    const send = (goalAmount: number) =>
      admin.patch(`/events/${event.id}`, { goalAmount, expected: { goalAmount: 1 } });
    const answers = await Promise.all([send(2), send(3), send(4)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  it.each([
    [{ expected: 'x' }],
    [{ expected: [] }],
    [{ expected: { colour: 'red' } }],
    [{ expected: { id: 'x' } }],
    [{ expected: { goalAmount: '5' } }],
    [{ expected: { name: 7 } }],
    [JSON.parse('{"expected":{"__proto__":{"a":1},"constructor":1}}') as object],
  ])('refuses the invalid body %j and changes nothing', async (body) => {
    const event = await createEvent(app, admin.token, { name: NAME });
    const refused = await admin.patch(`/events/${event.id}`, { name: 'Other', ...body }).expect(400);
    expect(refused.body).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect((await admin.get(`/events/${event.slug}`)).body).toMatchObject({ name: NAME });
  });

  it('answers 404 if the event was deleted meanwhile', async () => {
    const event = await createEvent(app, admin.token, { name: NAME });
    await maria.delete(`/events/${event.id}`).expect(200);
    const refused = await admin
      .patch(`/events/${event.id}`, { name: 'Other', expected: { name: NAME } })
      .expect(404);
    expect(refused.body).toMatchObject({ code: 'EVENT_NOT_FOUND' });
  });
});

describe('settings with expected values', () => {
  it('refuse to overwrite a global setting that another admin changed', async () => {
    const { minAmount } = ((await admin.get('/settings/global')).body as { donation: { minAmount: number } })
      .donation;
    await maria.patch('/settings/global', { donation: { minAmount: 700 } }).expect(200);
    const patch = {
      donation: { minAmount: 900 },
      organization: 'Other',
      expected: { donation: { minAmount } },
    };
    const refused = await me.patch('/settings/global', patch).expect(409);
    expect(refused.body).toEqual(conflict({ field: 'donation.minAmount', value: 700, ...byMaria() }));
    await me.patch('/settings/global', { ...patch, expected: { donation: { minAmount: 700 } } }).expect(200);
  });

  it('refuse to overwrite a setting of an event, also if the global setting below it changed', async () => {
    const event = await createEvent(app, admin.token, { name: NAME });
    await maria.patch(`/events/${event.id}/settings`, { live: { theme: 'gala' } }).expect(200);
    const refused = await admin
      .patch(`/events/${event.id}/settings`, {
        live: { theme: 'light' },
        expected: { live: { theme: 'dark' } },
      })
      .expect(409);
    expect(refused.body).toEqual(conflict({ field: 'live.theme', value: 'gala', ...byMaria() }));
    await maria.patch('/settings/global', { legal: { footer: 'Thank you' } }).expect(200);
    const below = await admin
      .patch(`/events/${event.id}/settings`, {
        legal: { footer: 'Danke' },
        expected: { legal: { footer: null } },
      })
      .expect(409);
    expect(below.body).toEqual(conflict({ field: 'legal.footer', value: 'Thank you', ...byMaria() }));
  });

  it('refuse to overwrite a colour and a logo of the branding', async () => {
    const event = await createEvent(app, admin.token, { name: NAME });
    const path = `/events/${event.id}/branding`;
    await maria.patch(path, { themeVariables: { '--brand-color': '#0a5c2f' } }).expect(200);
    const refused = await admin
      .patch(path, {
        themeVariables: { '--brand-color': '#0000aa' },
        expected: { themeVariables: { '--brand-color': null } },
      })
      .expect(409);
    expect(refused.body).toEqual(
      conflict({ field: 'theme.variables.--brand-color', value: '#0a5c2f', ...byMaria() }),
    );
    await admin
      .patch(path, {
        assets: { logo: '/logo.svg' },
        expected: { assets: { logo: null } },
      })
      .expect(200);
  });

  it.each([[{ expected: 1 }], [{ expected: { nothing: 1 } }], [{ expected: { organization: 7 } }]])(
    'refuse the invalid body %j',
    async (body) => {
      const refused = await me.patch('/settings/global', { timezone: 'Asia/Tokyo', ...body }).expect(400);
      expect(refused.body).toMatchObject({ code: 'VALIDATION_FAILED' });
      expect((await admin.get('/settings/global')).body).not.toMatchObject({ timezone: 'Asia/Tokyo' });
    },
  );
});

describe('people with expected values', () => {
  it('refuse to overwrite the name and the PIN of a staff member, and never show the PIN', async () => {
    const event = await createEvent(app, admin.token, { name: NAME });
    const { id, code } = await createStaff(app, admin.token, event.id, 'Ben');
    await maria.put(`/staff/${id}`, { name: 'Benjamin', code: '918273' }).expect(200);
    const refused = await admin
      .put(`/staff/${id}`, { name: 'Benny', code: '645342', expected: { name: 'Ben', code } })
      .expect(409);
    expect(refused.body).toEqual(
      conflict({ field: 'name', value: 'Benjamin', ...byMaria() }, { field: 'code', ...byMaria() }),
    );
    expect(JSON.stringify(refused.body)).not.toContain('918273');
    await admin.delete(`/staff/${id}`).expect(200);
    await admin.put(`/staff/${id}`, { name: 'Benny', expected: { name: 'Benjamin' } }).expect(404);
  });

  it('refuse to overwrite the role and the name of a user', async () => {
    const { id } = await createAdmin(app, undefined, 'ACCOUNTANT');
    await maria.patch(`/users/${id}`, { role: 'ADMIN', name: 'Ada' }).expect(200);
    const refused = await me
      .patch(`/users/${id}`, { name: 'Eve', expected: { name: null, role: 'ACCOUNTANT' } })
      .expect(409);
    expect(refused.body).toEqual(
      conflict(
        { field: 'name', value: 'Ada', ...byMaria() },
        { field: 'role', value: 'ADMIN', ...byMaria() },
      ),
    );
    await me.patch(`/users/${id}`, { name: 'Eve', expected: { name: 'Ada' } }).expect(200);
    await me.patch(`/users/${id}`, { name: 'Eva', expected: { name: 5 } }).expect(400);
  });
});

describe('commands with expected values', () => {
  it('refuse to close an event that another admin paused meanwhile', async () => {
    const event = await createEvent(app, admin.token, { name: NAME });
    await maria.patch(`/events/${event.id}`, { status: 'paused' }).expect(200);
    const refused = await admin
      .patch(`/events/${event.id}`, { status: 'closed', expected: { status: 'active' } })
      .expect(409);
    expect(refused.body).toEqual(conflict({ field: 'status', value: 'paused', ...byMaria() }));
  });

  it('refuse to rename a terminal that another admin renamed, and keep its last name', async () => {
    const event = await createEvent(app, admin.token, { name: NAME });
    const { id } = await enrolTerminal(app, admin.token, 'Bar', event.id);
    await maria.patch(`/terminals/${id}`, { name: 'Entrance' }).expect(200);
    await admin.post(`/terminals/${id}/release`, {}).expect(200);
    const rename = (name: string, expected: unknown) =>
      admin.patch(`/terminals/${id}`, { name, expected: { name: expected } });
    for (const expected of ['Bar', null]) {
      const { body } = await rename('Table 4', expected).expect(409);
      expect(body).toEqual(conflict({ field: 'name', value: 'Entrance', ...byMaria() }));
    }
    await rename('Table 4', 7).expect(400);
    expect((await rename('Entrance', 'Bar').expect(200)).body).toMatchObject({ name: 'Entrance' });
    expect((await rename('Table 4', 'Entrance').expect(200)).body).toMatchObject({ name: 'Table 4' });
    await admin.delete(`/terminals/${id}`).expect(200);
    await rename('Table 5', 'Table 4').expect(404);
  });

  it('refuse exactly one of two renames of a terminal that were sent at once', async () => {
    const event = await createEvent(app, admin.token, { name: NAME });
    const { id } = await enrolTerminal(app, admin.token, 'Bar', event.id);
    const rename = (name: string) => admin.patch(`/terminals/${id}`, { name, expected: { name: 'Bar' } });
    const answers = await Promise.all([rename('Table 1'), rename('Table 2'), rename('Table 3')]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409]);
  });
});

describe('PATCH /donations/:id with expected values', () => {
  const record = async () => {
    const event = await createEvent(app, admin.token, { name: NAME });
    const body = { eventId: event.id, amount: 5_000, type: 'check', donorName: 'Ada', reference: '0815' };
    return (await admin.post('/donations', body).expect(201)).body as { id: string };
  };
  const donationOf = async (id: string) =>
    (
      await sql<{ donor_name: string; note: string | null }>(
        app,
        'SELECT donor_name, note FROM donation WHERE id = $1',
        [id],
      )
    )[0];

  it('refuses to overwrite a donor name that another admin corrected, and names field, value, person and time', async () => {
    const { id } = await record();
    await maria.patch(`/donations/${id}`, { donorName: 'Grace', message: 'Hello' }).expect(200);
    const refused = await admin
      .patch(`/donations/${id}`, {
        donorName: 'Ada L.',
        message: 'Hi',
        note: 'Typing error',
        expected: { donorName: 'Ada', message: null, note: null },
      })
      .expect(409);
    expect(refused.body).toEqual(
      conflict(
        { field: 'donorName', value: 'Grace', ...byMaria() },
        { field: 'message', value: 'Hello', ...byMaria() },
      ),
    );
    expect(await donationOf(id)).toEqual({ donor_name: 'Grace', note: null });
  });

  it('keeps both corrections if two admins correct different fields', async () => {
    const { id } = await record();
    await maria.patch(`/donations/${id}`, { donorName: 'Grace' }).expect(200);
    const { body } = await admin
      .patch(`/donations/${id}`, {
        note: 'Found',
        reference: null,
        expected: { note: '', reference: '0815' },
      })
      .expect(200);
    expect(body).toMatchObject({ donorName: 'Grace', note: 'Found' });
    expect(body).not.toHaveProperty('reference');
  });

  it('accepts a correction to the value that the other admin has saved already', async () => {
    const { id } = await record();
    await maria.patch(`/donations/${id}`, { isAnonymous: true, donorEmail: 'ada@example.org' }).expect(200);
    const change = { isAnonymous: true, donorEmail: ' ada@example.org ' };
    const expected = { isAnonymous: false, donorEmail: null };
    await admin.patch(`/donations/${id}`, { ...change, expected }).expect(200);
  });

  it('refuses exactly one of two corrections that were sent at once', async () => {
    const { id } = await record();
    const send = (donorName: string) =>
      admin.patch(`/donations/${id}`, { donorName, expected: { donorName: 'Ada' } });
    const answers = await Promise.all([send('Eve'), send('Eva'), send('Evi')]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  it.each([[null], ['x'], [{ amount: 5_000 }], [{ donorName: 7 }], [{ isAnonymous: 'true' }]])(
    'refuses the invalid precondition %j and changes nothing',
    async (expected) => {
      const { id } = await record();
      const refused = await admin.patch(`/donations/${id}`, { donorName: 'Eve', expected }).expect(400);
      expect(refused.body).toMatchObject({ code: 'VALIDATION_FAILED' });
      expect(await donationOf(id)).toMatchObject({ donor_name: 'Ada' });
    },
  );
});

describe('an edit conflict', () => {
  it('does not name the person and the time to a caller who may not read the audit log', async () => {
    const prisma = { client: () => Promise.reject(new Error('the audit log was read')) };
    const conflicts = new EditConflicts(prisma as unknown as PrismaService, {} as never);
    const details = [{ field: 'name', value: 'Ada' }];
    const volunteer = { role: 'STAFF' } as never;
    const refused = conflicts.explaining(volunteer, [{ subjectId: 'x', actions: ['event.update'] }], () =>
      Promise.reject(new EditConflictError(details)),
    );
    await expect(refused).rejects.toMatchObject({ code: 'EDIT_CONFLICT', details });
  });

  it('does not name anybody if the audit log has no entry of the change', async () => {
    const event = await createEvent(app, admin.token, { name: NAME, goalAmount: 1 });
    await sql(app, 'UPDATE event SET goal_amount = 2 WHERE id = $1', [event.id]);
    const refused = await admin
      .patch(`/events/${event.id}`, { goalAmount: 3, expected: { goalAmount: 1 } })
      .expect(409);
    expect(refused.body).toEqual(conflict({ field: 'goalAmount', value: 2 }));
  });
});
