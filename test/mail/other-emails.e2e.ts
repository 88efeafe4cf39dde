import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { PrismaService } from '../../src/data/prisma.service.js';
import { Mailer } from '../../src/mail/mailer.service.js';
import { startApp } from '../support/app.js';
import { confirmed, errorBody } from '../support/bearer.js';
import { sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { withAdmin, withOpened, withService } from '../support/setup.js';
import { until } from '../support/until.js';

const mail = withOpened(() => MailServer.start());
const app = withService(() => startApp(mail.environment, { mailTimes: FAST_MAIL }));
const admin = withAdmin(app);

beforeAll(async () => {
  await admin
    .patch('/settings/global', { organization: 'Haus am See', locales: { default: 'nl', supported: ['nl'] } })
    .expect(200);
});
afterEach(() => {
  mail.mode = 'accept';
});

describe('test e-mails', () => {
  it('a test e-mail arrives at once, in the language of the organization', async () => {
    const { body } = await admin.post('/settings/test-email', { to: 'treasurer@example.org' }).expect(200);
    expect(body).toEqual({ sent: true });
    expect(mail.to('treasurer@example.org')).toMatchObject([{ subject: 'Testmail van Haus am See' }]);
  });

  it('a refused test e-mail answers with the reply of the mail server', async () => {
    mail.mode = 550;
    const { body } = await admin.post('/settings/test-email', { to: 'nobody@example.org' }).expect(503);
    expect(body).toMatchObject({
      code: 'MAIL_NOT_SENT',
      message: expect.stringContaining('is not wanted here'),
    });
    mail.mode = 'no-password';
    mail.cut();
    const wrong = await admin.post('/settings/test-email', { to: 'nobody@example.org' }).expect(503);
    expect(wrong.body).toMatchObject({ message: expect.stringContaining('535') });
    expect(JSON.stringify(wrong.body)).not.toContain('pass@');
  });

  it('a test e-mail accepts only one plain address', async () => {
    for (const to of ['', 'a', 'a@example.org\r\nBcc: b@example.org', ['a@example.org'], null]) {
      const { body } = await admin.post('/settings/test-email', { to }).expect(400);
      expect(body).toEqual(errorBody(400, 'Bad Request', 'VALIDATION_FAILED'));
    }
  });
});

describe('invitation e-mails', () => {
  const invite = (userId: string, to: string, token: string, hours = 72) => ({
    userId,
    to,
    name: null,
    isNew: true,
    url: `https://give.example/admin#invite=${token}`,
    expiresAt: new Date(Date.now() + hours * 3_600_000),
  });
  const mailer = () => app.app.get(Mailer, { strict: false });

  it('sends an invitation once and deletes its sealed link after that', async () => {
    const to = `new-${newId()}@example.org`;
    const prisma = app.app.get(PrismaService, { strict: false });
    mail.mode = 451;
    expect(
      await prisma.transaction((tx) => mailer().enqueueInvitation(tx, invite(newId(), to, 'SECRETTOKEN'))),
    ).toBe(true);
    await until(() => mail.tries.includes(to), 'a try');
    const [waiting] = await sql<{ row: string }>(
      app,
      "SELECT e::text AS row FROM email e WHERE kind = 'invitation'",
    );
    expect(waiting?.row).not.toContain('SECRETTOKEN');
    expect(waiting?.row).not.toContain(to);
    mail.mode = 'accept';
    await until(() => mail.to(to).length === 1, 'the e-mail');
    const [received] = mail.to(to);
    expect(received?.subject).toBe('Uw toegang tot Haus am See');
    for (const text of [received?.text, received?.html])
      expect(text).toContain('https://give.example/admin#invite=SECRETTOKEN');
    await until(async () => {
      const [row] = await sql<{ sealed: Buffer | null; state: string }>(
        app,
        'SELECT sealed, state FROM email',
      );
      return row?.state === 'sent' && row.sealed === null;
    }, 'the end of the link');
  });

  it('an invitation replaces a waiting one and is not saved when its transaction rolls back', async () => {
    const [userId, to] = [newId(), `again-${newId()}@example.org`];
    const prisma = app.app.get(PrismaService, { strict: false });
    mail.mode = 451;
    await prisma.transaction((tx) => mailer().enqueueInvitation(tx, invite(userId, to, 'FIRST', 1)));
    await prisma.transaction((tx) => mailer().enqueueInvitation(tx, invite(userId, to, 'SECOND', 2)));
    await expect(
      prisma.transaction(async (tx) => {
        await mailer().enqueueInvitation(tx, invite(newId(), 'never@example.org', 'NEVER'));
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    mail.mode = 'accept';
    await until(() => mail.to(to).length === 1, 'the e-mail');
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(mail.to(to)).toHaveLength(1);
    expect(mail.to(to)[0]?.text).toContain('SECOND');
    expect(mail.tries).not.toContain('never@example.org');
  });

  it('the API sends invitations and password reset e-mails', async () => {
    const email = `treasurer-${newId()}@example.org`;
    const sure = await confirmed(app, admin.token);
    const { body } = await sure.post('/users', { email, role: 'ACCOUNTANT', name: 'Ada' }).expect(201);
    const { id, inviteUrl } = body as { id: string; inviteUrl: string };
    await until(() => mail.to(email).length === 1, 'the invitation');
    expect(mail.to(email)[0]?.text).toContain(inviteUrl);
    expect(mail.to(email)[0]?.text).toContain('Beste Ada,');
    const link = inviteUrl.split('#invite=')[1];
    await app.http
      .post('/auth/invitations/accept')
      .send({ token: link, password: 'kwartel trommel zeilboot' })
      .expect(200);
    await sure.post(`/users/${id}/invite`).expect(200);
    await until(() => mail.to(email).length === 3, 'the link');
    expect(mail.to(email).map(({ subject }) => subject)).toEqual([
      'Uw toegang tot Haus am See',
      'Uw toegang tot Haus am See is gewijzigd',
      'Een nieuw wachtwoord voor Haus am See',
    ]);
  });

  it('does not send an invitation whose link is no longer valid', async () => {
    const to = `late-${newId()}@example.org`;
    const prisma = app.app.get(PrismaService, { strict: false });
    await prisma.transaction((tx) => mailer().enqueueInvitation(tx, invite(newId(), to, 'LATE', -1)));
    await until(
      async () => (await sql(app, "SELECT 1 FROM email WHERE state = 'queued'")).length === 0,
      'an empty queue',
    );
    expect(mail.to(to)).toEqual([]);
  });
});
