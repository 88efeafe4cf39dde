import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '../../src/common/crypto/key-ring.js';
import { pledgeEmailTokenOf } from '../../src/donations/donors/donor-token.js';
import { sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { heldBack, noon, pledgeSchedule, recordPledge, someAddress } from '../support/pledges.js';
import { withEvent, withOpened } from '../support/setup.js';
import { until } from '../support/until.js';

const mail = withOpened(() => MailServer.start());
const { app, admin, event } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
  fields: { name: 'Winter Gala' },
  each: true,
});
const schedule = pledgeSchedule(app);
const pledge = (fields: object = {}) => recordPledge(admin, { eventId: event.id, ...fields });

beforeAll(async () => {
  await admin
    .patch('/settings/global', {
      organization: 'Haus am See',
      locales: { default: 'en', supported: ['en', 'de'] },
    })
    .expect(200);
});
afterEach(async () => {
  await sql(app, "UPDATE event SET status = 'archived'");
});

/** Sends the thanks for all pledges, and returns the path of the page behind the e-mail to an address. */
async function pageOf(to: string): Promise<string> {
  await schedule.thankAfter();
  await until(() => mail.to(to).length > 0, 'the thanks');
  const [link = ''] = /http\S+\/pledge\/[\w-]+/.exec(mail.to(to).at(-1)?.text ?? '') ?? [];
  return new URL(link).pathname;
}
const open = (path: string) => app.http.get(path).set('Accept', 'text/html');
const send = (path: string, form = '') =>
  app.http.post(path).set('Accept', 'text/html').type('form').send(form);
const statusOf = async (id: string) =>
  (await sql<{ status: string }>(app, 'SELECT status FROM donation WHERE id = $1', [id]))[0]?.status;
const tokenOf = (id: string, expiresAt: Date) =>
  pledgeEmailTokenOf(app.app.get(KeyRing, { strict: false }), id, expiresAt);

describe('the page “I cannot keep my pledge”', () => {
  it('asks first, and opening it changes nothing, so that mail programs can check the link', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    const path = await pageOf(to);
    for (const method of ['get', 'head'] as const) await app.http[method](path).expect(200);
    const { text, headers } = await open(path).expect(200);
    expect(text).toContain('Withdraw your pledge?');
    expect(text).toContain('€500');
    expect(text).toContain('noindex');
    expect(headers['cache-control']).toBe('no-store');
    expect(await statusOf(id)).toBe('PENDING');
  });

  it('withdraws the pledge with the reason at one click; a second click says that it is done', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    const path = await pageOf(to);
    const { text } = await send(path, `pledge=${id}&reason=money`).expect(200);
    expect(text).toContain('Your pledge is withdrawn');
    expect(await statusOf(id)).toBe('CANCELLED');
    expect((await send(path, `pledge=${id}&reason=money`).expect(200)).text).toContain(
      'Your pledge is withdrawn',
    );
    expect((await open(path).expect(200)).text).toContain('Your pledge is withdrawn');
    const { body } = await admin.get(`/donations/${id}/history`).expect(200);
    expect((body as object[]).at(-1)).toMatchObject({
      to: 'CANCELLED',
      actor: 'donor',
      cause: { kind: 'pledge_withdrawn', code: 'money' },
    });
    const audit = await admin.get('/audit?action=pledge.withdraw').expect(200);
    expect(
      (audit.body as { data: object[] }).data.filter((one) => 'subjectId' in one && one.subjectId === id),
    ).toMatchObject([{ actor: 'donor', detail: { reason: 'money' } }]);
    expect(await schedule.remindOn(2)).toBe(0);
  });

  it('lets a donor with several pledges keep one of them', async () => {
    const to = someAddress();
    const [kept, gone] = [await pledge({ donorEmail: to }), await pledge({ donorEmail: to, amount: 20_000 })];
    const path = await pageOf(to);
    const { text: asked } = await open(path).expect(200);
    expect(asked).toContain(kept);
    expect(asked).toContain(gone);
    // Without a chosen pledge, the page asks again.
    expect((await send(path, 'reason=none').expect(200)).text).toContain('Withdraw your pledge?');
    const { text } = await send(path, `pledge=${gone}`).expect(200);
    expect(text).toContain('Your other pledges stay open.');
    expect(await Promise.all([kept, gone].map(statusOf))).toEqual(['PENDING', 'CANCELLED']);
  });

  it('does not withdraw the pledge of another donor, and keeps a paid pledge', async () => {
    const [to, other] = [someAddress(), someAddress()];
    const own = await pledge({ donorEmail: to });
    const others = await pledge({ donorEmail: other });
    const path = await pageOf(to);
    await admin.post(`/donations/${own}/fulfil`, { type: 'cash' }).expect(200);
    await send(path, `pledge=${others}&pledge=${own}`).expect(200);
    expect(await statusOf(others)).toBe('PENDING');
    expect(await statusOf(own)).toBe('COMPLETED');
    expect((await send(path, `pledge=${own}`).expect(200)).text).not.toContain('withdrawn</h2>');
  });

  it('is in the language of the donor', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    await sql(app, "UPDATE donation SET locale = 'de' WHERE id = $1", [id]);
    const path = await pageOf(to);
    const { text } = await open(path).set('Accept-Language', 'fr').expect(200);
    expect(text).toContain('lang="de"');
    expect(text).toContain('Zusage zurückziehen?');
  });

  it('a wrong or expired link gets a clear page and changes nothing', async () => {
    const id = await pledge({ donorEmail: someAddress() });
    const expired = `/pledge/${tokenOf(id, new Date(Date.now() - 1_000))}`;
    const forged = `/pledge/${tokenOf(id, new Date(Date.now() + 60_000)).slice(0, -2)}AA`;
    for (const path of [expired, forged, '/pledge/x', `/pledge/${'A'.repeat(48)}`]) {
      const page = await open(path).set('Accept-Language', 'de').expect(404);
      expect(page.text).toContain('Dieser Link ist nicht gültig');
      expect((await send(path, `pledge=${id}`).expect(404)).text).toContain('not valid');
    }
    expect(await statusOf(id)).toBe('PENDING');
  });

  it('refuses the form of another site', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    const path = await pageOf(to);
    await send(path, `pledge=${id}`).set('Origin', 'https://other.example').expect(415);
    expect(await statusOf(id)).toBe('PENDING');
  });
});

describe('the end of e-mails about pledges', () => {
  const headerOf = (to: string, name: string) =>
    mail.to(to)[0]?.headers.find(({ key }) => key === name.toLowerCase())?.value;

  it('each e-mail has the headers for the one-click button of mail programs (RFC 8058)', async () => {
    const to = someAddress();
    await pledge({ donorEmail: to });
    const path = await pageOf(to);
    expect(headerOf(to, 'List-Unsubscribe')).toMatch(new RegExp(`^<https?://[^>]+${path}/unsubscribe>$`));
    expect(headerOf(to, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  });

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'a multipart form',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
  ])(
    'one POST with %s ends all e-mails about pledges to the address, at all events',
    async (_, type, body) => {
      const to = someAddress();
      const id = await pledge({ donorEmail: to });
      const path = `${await pageOf(to)}/unsubscribe`;
      await app.http.post(path).set('Content-Type', type).send(body).expect(200);
      expect(await statusOf(id)).toBe('PENDING');
      await pledge({ donorEmail: to });
      const other = await admin.post('/events', {
        name: 'Other',
        date: '2026-12-01',
        goalAmount: 1_000,
        currency: 'eur',
        status: 'active',
      });
      const elsewhere = (other.body as { id?: string }).id;
      if (elsewhere !== undefined) {
        await admin.patch(`/events/${elsewhere}`, { status: 'active' });
        await recordPledge(admin, { eventId: elsewhere, donorEmail: to.toUpperCase() });
      }
      expect(await schedule.thankAfter()).toBe(0);
      expect(await schedule.remindOn(2)).toBe(0);
      schedule.set(noon(0));
      const { body: reminders } = await admin.post('/pledges/reminders', { donationIds: [id] }).expect(202);
      expect(reminders).toMatchObject({ queued: 0, skipped: [{ donationId: id, code: 'DONOR_OPTED_OUT' }] });
      const { body: audit } = await admin.get('/audit?action=pledge.opt_out').expect(200);
      expect(
        (audit as { data: { subjectId: string }[] }).data.filter(({ subjectId }) => subjectId === id),
      ).toHaveLength(1);
      expect(mail.to(to)).toHaveLength(1);
    },
  );

  it('the page asks before, opening it changes nothing, and an expired link still works', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    const path = `/pledge/${tokenOf(id, new Date(Date.now() - 1_000))}/unsubscribe`;
    expect((await open(path).expect(200)).text).toContain('No more e-mails about pledges?');
    expect(
      await sql(app, 'SELECT 1 FROM pledge_opt_out o JOIN donation d USING (donor_key) WHERE d.id = $1', [
        id,
      ]),
    ).toEqual([]);
    for (let click = 0; click < 2; click++)
      expect((await send(path).expect(200)).text).toContain('sends no more e-mails about pledges');
    expect((await open(path).expect(200)).text).toContain('sends no more e-mails about pledges');
    expect((await send('/pledge/x/unsubscribe').expect(404)).text).toContain('not valid');
  });

  it('drops an e-mail that was queued before', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    const path = `${await pageOf(to)}/unsubscribe`;
    schedule.set(noon(2));
    mail.mode = 421;
    expect(await schedule.remind()).toBe(1);
    await heldBack(app, id);
    await send(path).expect(200);
    mail.mode = 'accept';
    await sql(app, "UPDATE email SET next_attempt_at = now() WHERE donation_id = $1 AND state = 'queued'", [
      id,
    ]);
    await until(
      async () =>
        (await sql(app, "SELECT 1 FROM email WHERE kind = 'pledge_reminder' AND donation_id = $1", [id]))
          .length === 0,
      'the reminder to be dropped',
    );
    expect(mail.to(to)).toHaveLength(1);
  });
});

describe('personal data of the e-mails about pledges', () => {
  it('the export of a donor contains the contacts and the end of the e-mails', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to });
    await send(`${await pageOf(to)}/unsubscribe`).expect(200);
    const { body } = await admin.get(`/donors?search=${to}`).expect(200);
    const [{ key } = { key: '' }] = (body as { data: { key: string }[] }).data;
    const { body: kept } = await admin.get(`/donors/${key}/export`).expect(200);
    expect(kept).toMatchObject({
      pledgeContacts: [{ pledgeId: id, step: 'thanks' }],
      pledgeOptOuts: [{ createdAt: expect.any(String) }],
      emails: [{ kind: 'pledge_thanks', state: 'sent' }],
    });
  });

  it('an erased donor leaves no name and no address in any table, and stays without e-mails', async () => {
    const to = someAddress();
    const id = await pledge({ donorEmail: to, donorName: 'Zoë Unmistakable' });
    await send(`${await pageOf(to)}/unsubscribe`).expect(200);
    const { body } = await admin.get(`/donors?search=${to}`).expect(200);
    await admin.delete(`/donors/${(body as { data: { key: string }[] }).data[0]?.key}`).expect(200);
    for (const table of ['pledge_contact', 'pledge_opt_out', 'email', 'donation']) {
      const rows = await sql<{ row: string }>(app, `SELECT t::text AS row FROM ${table} t`);
      expect(
        rows
          .map(({ row }) => row)
          .join()
          .toLowerCase(),
      ).not.toMatch(/unmistakable|zoë/);
      expect(rows.map(({ row }) => row).join()).not.toContain(to);
    }
    expect(
      await sql(app, 'SELECT 1 FROM pledge_opt_out o JOIN donation d USING (donor_key) WHERE d.id = $1', [
        id,
      ]),
    ).toHaveLength(1);
    await pledge({ donorEmail: to });
    expect(await schedule.thankAfter()).toBe(0);
  });
});
