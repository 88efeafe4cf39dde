import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Caller, confirmed, type DonationBody } from '../support/bearer.js';
import { ADMIN_PASSWORD, adminToken, createAdmin, createEvent, sql } from '../support/fixtures.js';
import { withService } from '../support/setup.js';

const app = withService();
let admin: Caller;

beforeAll(async () => {
  admin = await confirmed(app, await adminToken(app));
});

describe('e-mail addresses of donors', () => {
  it('counts one donor for all spellings of an e-mail domain and with invisible characters', async () => {
    const { id: eventId } = await createEvent(app, await adminToken(app));
    const give = async (donorEmail: string) =>
      (await admin.post('/donations', { eventId, amount: 500, type: 'cash', donorEmail }).expect(201))
        .body as DonationBody;
    expect((await give('Zoë@bücher.example')).donorEmail).toBe('Zoë@bücher.example');
    await give('zoë@xn--bcher-kva.example');
    expect((await give('\u200Bzoë@bü\u00ADcher.example\uFEFF')).donorEmail).toBe('zoë@bücher.example');
    const rows = await sql(app, 'SELECT DISTINCT donor_key FROM donation WHERE event_id = $1', [eventId]);
    expect(rows).toHaveLength(1);
  });

  it.each(['a..b@example.org', 'a@-x.example', '.a@example.org', 'a@example..org'])(
    'refuses a donor e-mail address that no mail server accepts: %s',
    async (donorEmail) => {
      const { id: eventId } = await createEvent(app, await adminToken(app));
      const sent = { eventId, amount: 500, type: 'cash', donorEmail };
      expect((await admin.post('/donations', sent).expect(400)).body).toMatchObject({
        message: expect.stringContaining('donorEmail must be an e-mail address'),
      });
    },
  );
});

describe('e-mail addresses of accounts', () => {
  const signIn = (email: string) => app.http.post('/auth/login').send({ email, password: ADMIN_PASSWORD });

  it.each(['ada@bücher.example', 'bea@xn--bcher-kva.example'])(
    'an account stored as %s signs in with its domain in Unicode and in punycode',
    async (kept) => {
      await createAdmin(app, kept);
      const [name] = kept.split('@');
      for (const domain of ['bücher.example', 'BÜCHER.example', 'xn--bcher-kva.example'])
        await signIn(`${String(name)}@${domain}`).expect(200);
      await signIn(`${String(name)}@bucher.example`).expect(401);
    },
  );

  it('an e-mail address is invited once, in either spelling of its domain', async () => {
    const { body } = await admin
      .post('/users', { email: 'Cleo@xn--bcher-kva.example', role: 'ADMIN' })
      .expect(201);
    expect((body as { email: string }).email).toBe('cleo@bücher.example');
    await admin.post('/users', { email: 'cleo@BÜCHER.example', role: 'ADMIN' }).expect(409);
  });
});
