import { beforeAll, describe, expect, it } from '@jest/globals';
import { csvObjects } from '../export/parse-csv.js';
import { newId } from '../../src/common/crypto/ids.js';
import { UnpaidDonors } from '../../src/donations/donors/unpaid-donors.js';
import { NotifiedPersons } from '../../src/tributes/notified-persons.service.js';
import { TributeSchedule } from '../../src/tributes/tribute-schedule.service.js';
import type { DonationBody } from '../support/bearer.js';
import { sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { someAddress } from '../support/pledges.js';
import { withEvent, withOpened } from '../support/setup.js';
import { until } from '../support/until.js';
import { WallClient } from '../support/wall-client.js';

const mail = withOpened(() => MailServer.start());
const { app, admin, event } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
  fields: { name: 'Winter Gala' },
  each: true,
});

beforeAll(async () => {
  await admin
    .patch('/settings/global', {
      organization: 'Haus am See',
      locales: { default: 'en', supported: ['en', 'de'] },
    })
    .expect(200);
});

const anna = { kind: 'memory', name: 'Anna Bauer' };

const record = async (fields: object = {}): Promise<DonationBody> =>
  (
    await admin
      .post('/donations', { eventId: event.id, type: 'cash', amount: 4_200, donorName: 'Ada', ...fields })
      .expect(201)
  ).body as DonationBody;

/** Completes an online donation. Returns its id. */
async function pay(tribute: object, metadata: object = {}): Promise<string> {
  const { body } = await app.http
    .post('/donations/intent')
    .send({
      amount: 4_200,
      method: 'card',
      metadata: { eventId: event.id, donorName: 'Ada', tribute, ...metadata },
    })
    .expect(201);
  const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
  app.sandbox.stripe.pay(clientSecret);
  await until(async () => (await donation(donationId)).status === 'COMPLETED', 'the payment');
  return donationId;
}

/** A donation as the list of the event shows it. */
async function donation(id: string): Promise<DonationBody & { tribute?: object }> {
  const { body } = await admin.get(`/donations?eventId=${event.id}&limit=100`).expect(200);
  const found = (body as { data: DonationBody[] }).data.find((one) => one.id === id);
  if (!found) throw new Error(`The list has no donation ${id}`);
  return found;
}

const schedule = () => app.app.get(TributeSchedule, { strict: false }).notify();
/** The e-mails about tributes of this test's event. */
const queued = async () =>
  (
    await sql(
      app,
      `SELECT 1 FROM email JOIN donation ON donation.id = donation_id
        WHERE kind = 'tribute_notice' AND event_id = $1`,
      [event.id],
    )
  ).length;

/** Runs schedules as if the donations of this test were completed two minutes ago. Returns the number of new e-mails. */
async function notify(schedules = 1): Promise<number> {
  const before = await queued();
  await sql(
    app,
    `UPDATE donation SET completed_at = completed_at - interval '2 minutes'
      WHERE completed_at > now() - interval '1 minute' AND event_id = $1`,
    [event.id],
  );
  await Promise.all(Array.from({ length: schedules }, schedule));
  return (await queued()) - before;
}
/** Waits until no e-mail is queued, so that a missing e-mail is really missing. */
const queueIsEmpty = () =>
  until(
    async () => (await sql(app, "SELECT 1 FROM email WHERE state = 'queued'")).length === 0,
    'an empty queue',
  );
const told = async (to: string) => {
  await until(() => mail.to(to).length > 0, 'the e-mail');
  return mail.to(to)[0];
};
const moderation = (moderate: 'none' | 'messages' | 'all') =>
  admin.patch(`/events/${event.id}/settings`, { live: { moderate } }).expect(200);

describe('a tribute', () => {
  it('is kept with the donation, corrected with the values that the client read, and removed', async () => {
    const tribute = { ...anna, message: 'We think of you.', notifyEmail: someAddress() };
    const { id } = await record({ tribute });
    expect((await donation(id)).tribute).toEqual(tribute);
    const honour = { kind: 'honour', name: 'Grace' };
    await admin.patch(`/donations/${id}`, { tribute: honour, expected: { tribute } }).expect(200);
    expect((await donation(id)).tribute).toEqual({ ...honour, message: null, notifyEmail: null });
    const { body } = await admin
      .patch(`/donations/${id}`, { tribute: null, expected: { tribute } })
      .expect(409);
    expect(body).toMatchObject({ code: 'EDIT_CONFLICT', details: [{ field: 'tribute' }] });
    await admin.patch(`/donations/${id}`, { tribute: null, expected: { tribute: honour } }).expect(200);
    expect(await donation(id)).not.toHaveProperty('tribute');
    const list = await admin.get(`/donations?eventId=${event.id}&tribute=true`).expect(200);
    expect(list.body).toMatchObject({ data: [] });
  });

  it.each([
    [{ name: 'Anna' }, 'tribute.kind'],
    [{ kind: 'memory' }, 'tribute.name'],
    [{ kind: 'memory', name: 'x'.repeat(81) }, 'tribute.name'],
    [{ kind: 'party', name: 'Anna' }, 'tribute.kind'],
    [{ ...anna, notifyEmail: 'nobody' }, 'tribute.notifyEmail'],
    [{ ...anna, message: 'Call 0171 2345678' }, 'tribute.message'],
    [{ ...anna, message: 'see www.example.org' }, 'tribute.message'],
    [{ kind: 'memory', name: 'https://example.org' }, 'tribute.name'],
    [{ ...anna, amount: 1 }, 'tribute'],
    ['Anna', 'tribute'],
  ])('is refused as %j, and nothing is recorded', async (tribute, field) => {
    const body = { eventId: event.id, type: 'cash', amount: 4_200, tribute };
    const refused = await admin.post('/donations', body).expect(400);
    expect(JSON.stringify(refused.body)).toContain(field);
    const list = await admin.get(`/donations?eventId=${event.id}`).expect(200);
    expect(list.body).toMatchObject({ total: 0 });
    const intent = await app.http
      .post('/donations/intent')
      .send({ amount: 4_200, metadata: { eventId: event.id, tribute } })
      .expect(400);
    expect(JSON.stringify(intent.body)).toContain(`metadata.${field}`);
  });

  it('is in the CSV file at the end, and in the list with its filter', async () => {
    const notifyEmail = someAddress();
    const { id } = await record({ tribute: { ...anna, message: '=1+1', notifyEmail } });
    await record();
    const { text } = await admin.get(`/donations/export?eventId=${event.id}&tribute=true`).expect(200);
    expect(csvObjects(text.slice(1))).toMatchObject([
      {
        id,
        tributeKind: 'memory',
        tributeName: 'Anna Bauer',
        tributeMessage: "'=1+1",
        tributeNotifyEmail: notifyEmail,
      },
    ]);
    const list = await admin.get(`/donations?eventId=${event.id}&tribute=false`).expect(200);
    expect(list.body).toMatchObject({ total: 1 });
  });

  it('of a pledge belongs to the payment that pays it', async () => {
    const { id } = await record({ type: 'pledge', tribute: { ...anna, notifyEmail: someAddress() } });
    const link = await admin.post(`/donations/${id}/payment-link`).expect(201);
    const pledgeToken = new URL((link.body as { url: string }).url).searchParams.get('pledge');
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 4_200, metadata: { eventId: event.id, pledgeToken } })
      .expect(201);
    expect((await donation((body as { donationId: string }).donationId)).tribute).toMatchObject(anna);
  });
});

describe('the wall', () => {
  it('shows the line of a tribute, never its message or address', async () => {
    const wall = await WallClient.connect(app.url);
    try {
      await wall.join(event.id);
      await record({ tribute: { ...anna, message: 'Only for you', notifyEmail: someAddress() } });
      await wall.until(() => wall.created.length === 1);
      expect(wall.created[0]?.body).toMatchObject({ donorName: 'Ada', tribute: anna });
      expect(JSON.stringify(wall.created)).not.toMatch(/Only for you|@/);
    } finally {
      wall.close();
    }
  });

  it('shows a tribute that waits for approval only after it, and hides it again', async () => {
    await moderation('messages');
    const { id } = await record({ tribute: { ...anna, message: 'Dear family' } });
    const wall = await WallClient.connect(app.url);
    try {
      const shown = async () =>
        (await wall.join({ eventId: event.id, snapshot: true })) as unknown as {
          snapshot: { donations: { tribute?: object }[] };
        };
      expect((await shown()).snapshot.donations[0]).not.toHaveProperty('tribute');
      const waiting = await admin.get(`/donations/messages?eventId=${event.id}`).expect(200);
      expect(waiting.body).toMatchObject([
        { id, tribute: { ...anna, message: 'Dear family', state: 'held' } },
      ]);
      expect(JSON.stringify(waiting.body)).not.toContain('@');
      const stale = { tribute: 'visible', expected: { tributeName: 'Berta' } };
      await admin.post(`/donations/${id}/moderation`, stale).expect(409);
      await admin
        .post(`/donations/${id}/moderation`, { tribute: 'visible', expected: { tributeName: anna.name } })
        .expect(200);
      await until(async () => (await shown()).snapshot.donations[0]?.tribute !== undefined, 'the tribute');
      await admin.post(`/donations/${id}/moderation`, { tribute: 'hidden' }).expect(200);
      await until(async () => (await shown()).snapshot.donations[0]?.tribute === undefined, 'no tribute');
      const history = await admin.get(`/donations/${id}/history`).expect(200);
      expect(JSON.stringify(history.body)).toMatch(/tribute_approved.*tribute_hidden/s);
      const none = await record();
      const { body } = await admin
        .post(`/donations/${none.id}/moderation`, { tribute: 'hidden' })
        .expect(409);
      expect(body).toMatchObject({ code: 'TRIBUTE_MISSING' });
    } finally {
      wall.close();
    }
  });

  it('a changed name of an approved tribute waits again', async () => {
    await moderation('messages');
    const { id } = await record({ tribute: anna });
    await admin.post(`/donations/${id}/moderation`, { tribute: 'visible' }).expect(200);
    await admin.patch(`/donations/${id}`, { tribute: { ...anna, name: 'Bad words' } }).expect(200);
    const waiting = await admin.get(`/donations/messages?eventId=${event.id}`).expect(200);
    expect(waiting.body).toMatchObject([{ id, tribute: { name: 'Bad words', state: 'held' } }]);
  });
});

describe('the e-mail to the person whom the donor names', () => {
  it('arrives once after the payment, in the language of the donor, with the message and without the amount', async () => {
    const to = someAddress();
    const message = 'Wir denken an euch.\nAda und Charles';
    const id = await pay({ ...anna, message, notifyEmail: to }, { locale: 'de' });
    await schedule();
    expect(await queued()).toBe(0);
    expect(await notify()).toBe(1);
    const email = await told(to);
    expect(email?.subject).toBe('Eine Spende im Gedenken an Anna Bauer');
    expect(email?.text).toContain('Ada hat im Gedenken an Anna Bauer an Haus am See gespendet.');
    for (const part of [email?.text ?? '', email?.html ?? '']) {
      expect(part).toContain('Wir denken an euch.');
      expect(part).not.toMatch(/42[,.]00|42 €|!(?!important|doctype)/i);
    }
    expect(email?.raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(await notify()).toBe(0);
    await admin.patch(`/donations/${id}`, { tribute: { ...anna, notifyEmail: someAddress() } }).expect(200);
    expect(await notify()).toBe(0);
    await queueIsEmpty();
    expect(mail.to(to)).toHaveLength(1);
  });

  it('does not name an anonymous donor', async () => {
    const to = someAddress();
    await record({ isAnonymous: true, tribute: { kind: 'honour', name: 'Grace', notifyEmail: to } });
    await notify();
    const email = await told(to);
    expect(email?.text).toContain('Somebody has made a donation to Haus am See in honour of Grace.');
    expect(email?.raw).not.toContain('Ada');
  });

  it('does not name a donor whose name is hidden by a moderator', async () => {
    const to = someAddress();
    const { id } = await record({ tribute: { ...anna, notifyEmail: to } });
    await admin.post(`/donations/${id}/moderation`, { name: 'hidden' }).expect(200);
    await notify();
    expect((await told(to))?.text).toContain('Somebody has made a donation');
  });

  it('waits for the approval of the tribute', async () => {
    await moderation('messages');
    const to = someAddress();
    const { id } = await record({ tribute: { ...anna, notifyEmail: to } });
    expect(await notify()).toBe(0);
    await admin.post(`/donations/${id}/moderation`, { tribute: 'visible' }).expect(200);
    expect(await notify()).toBe(1);
    await told(to);
  });

  it.each(['not paid', 'undone', 'erased donor', 'hidden tribute', 'removed address'] as const)(
    'is not sent: %s',
    async (why) => {
      const to = someAddress();
      const tribute = { ...anna, notifyEmail: to };
      const { id } = await record({
        tribute,
        donorEmail: someAddress(),
        ...(why === 'not paid' && { type: 'pledge' }),
      });
      if (why === 'undone') await admin.post(`/donations/${id}/undo`).expect(200);
      if (why === 'hidden tribute')
        await admin.post(`/donations/${id}/moderation`, { tribute: 'hidden' }).expect(200);
      if (why === 'removed address') await admin.patch(`/donations/${id}`, { tribute: anna }).expect(200);
      if (why === 'erased donor') {
        const { donorKey } = await keyOf(id);
        await admin.delete(`/donors/${donorKey}`).expect(200);
      }
      expect(await notify()).toBe(0);
      await queueIsEmpty();
      expect(mail.to(to)).toHaveLength(0);
    },
  );

  it('is not sent after a refund, although it was queued before', async () => {
    const to = someAddress();
    const id = await pay({ ...anna, notifyEmail: to });
    mail.mode = 450;
    try {
      expect(await notify()).toBe(1);
      await until(() => mail.tries.includes(to), 'a try');
      await admin
        .post(`/donations/${id}/cancel`, { shouldRefund: true })
        .set('Idempotency-Key', newId())
        .expect(200);
      await until(async () => (await donation(id)).status === 'REFUNDED', 'the refund');
    } finally {
      mail.mode = 'accept';
    }
    await queueIsEmpty();
    expect(mail.to(to)).toHaveLength(0);
  });

  it('is sent again after a temporary refusal of the mail server, and arrives once', async () => {
    const to = someAddress();
    await record({ tribute: { ...anna, notifyEmail: to } });
    mail.mode = 451;
    await notify();
    await until(() => mail.tries.filter((one) => one === to).length >= 2, 'two tries');
    mail.mode = 'accept';
    await told(to);
    await queueIsEmpty();
    expect(mail.to(to)).toHaveLength(1);
  });

  it('is given up if the process ended while it sent the e-mail, and becomes an item that needs attention', async () => {
    const to = someAddress();
    const { id } = await record({ tribute: { ...anna, notifyEmail: to } });
    await sql(
      app,
      `INSERT INTO email (id, kind, subject, donation_id, claimed_until, attempts)
        VALUES ($1, 'tribute_notice', $2::uuid::text, $2::uuid, now() - interval '1 second', 1)`,
      [newId(), id],
    );
    await until(
      async () =>
        (await sql(app, "SELECT 1 FROM email WHERE donation_id = $1 AND state = 'failed'", [id])).length > 0,
      'the end of the e-mail',
    );
    expect(await notify()).toBe(0);
    expect(mail.to(to)).toHaveLength(0);
    expect(
      await sql(app, "SELECT 1 FROM review_item WHERE kind = 'email_failed' AND donation_id = $1", [id]),
    ).toHaveLength(1);
  });

  it('is queued once by schedules that run at the same time', async () => {
    const to = someAddress();
    await record({ tribute: { ...anna, notifyEmail: to } });
    expect(await notify(3)).toBe(1);
    await told(to);
    await queueIsEmpty();
    expect(mail.to(to)).toHaveLength(1);
  });

  it('reaches an address at most twenty times a day; the others wait', async () => {
    const to = someAddress();
    for (let count = 0; count < 21; count++) await record({ tribute: { ...anna, notifyEmail: to } });
    expect(await notify()).toBe(20);
    expect(await notify()).toBe(0);
    await sql(
      app,
      `UPDATE email SET created_at = created_at - interval '25 hours' WHERE kind = 'tribute_notice'
        AND donation_id IN (SELECT id FROM donation WHERE event_id = $1)`,
      [event.id],
    );
    expect(await notify()).toBe(1);
  });
});

describe('the link that ends the e-mails', () => {
  it('asks first, then ends the e-mails to the address for ever, also by one POST of the mail program', async () => {
    const to = someAddress();
    const { id } = await record({ tribute: { ...anna, notifyEmail: to } });
    await notify();
    const [link = ''] = /http\S+\/tribute\/[\w-]+\S*/.exec((await told(to))?.text ?? '') ?? [];
    const { pathname } = new URL(link);
    const asked = await app.http.get(pathname).expect(200);
    expect(asked.text).toContain('No more e-mails of this kind?');
    await record({ tribute: { ...anna, notifyEmail: to.toUpperCase() } });
    await app.http
      .post(pathname)
      .set('Content-Type', 'application/x-www-form-urlencoded')
      .send('List-Unsubscribe=One-Click')
      .expect(200);
    expect(await notify()).toBe(0);
    expect((await app.http.get(pathname).expect(200)).text).toContain('sends no more e-mails');
    const audit = await admin.get('/audit?action=tribute.opt_out').expect(200);
    expect(audit.body).toMatchObject({ data: [{ action: 'tribute.opt_out', subjectId: id, detail: {} }] });
    expect(mail.to(to)).toHaveLength(1);
  });

  it('changes nothing with a wrong token', async () => {
    const { text } = await app.http.post(`/tribute/${'x'.repeat(96)}`).expect(404);
    expect(text).toContain('This link is not valid');
  });
});

/** The keys of a donation's donor and notified person, in hexadecimal. */
async function keyOf(id: string): Promise<{ donorKey: string; notifiedKey: string }> {
  const [row] = await sql<{ donorKey: string; notifiedKey: string }>(
    app,
    `SELECT encode(donor_key, 'hex') AS "donorKey", encode(notified_key, 'hex') AS "notifiedKey"
      FROM donation WHERE id = $1`,
    [id],
  );
  return row ?? { donorKey: '', notifiedKey: '' };
}

/** Every row of every table that holds a word. */
async function rowsWith(word: string): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    app,
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const found: string[] = [];
  for (const { name } of tables)
    found.push(
      ...(
        await sql<{ row: string }>(app, `SELECT t::text AS row FROM ${name} t WHERE t::text ILIKE $1`, [
          `%${word}%`,
        ])
      ).map(({ row }) => `${name}: ${row}`),
    );
  return found;
}

describe('erasure', () => {
  it('of the donor removes the tribute from every table', async () => {
    const to = someAddress();
    const tribute = {
      kind: 'memory',
      name: 'Zora of the Far Island',
      message: 'For my aunt',
      notifyEmail: to,
    };
    const id = await pay(tribute, { donorEmail: someAddress() });
    await notify();
    await told(to);
    await queueIsEmpty();
    await admin.delete(`/donors/${(await keyOf(id)).donorKey}`).expect(200);
    expect(await rowsWith(to)).toEqual([]);
    expect(await rowsWith(tribute.name)).toEqual([]);
    expect(await rowsWith('For my aunt')).toEqual([]);
  });

  it('of the notified person removes the address and the message, and keeps the tribute of the donor', async () => {
    const to = someAddress();
    const { id } = await record({
      donorEmail: someAddress(),
      tribute: { ...anna, message: 'Dear Maria of the lake', notifyEmail: to },
    });
    const found = await admin.get(`/donors?search=${encodeURIComponent(to.toUpperCase())}`).expect(200);
    const { notifiedKey: key } = await keyOf(id);
    expect(found.body).toMatchObject({ data: [{ key, email: to, donations: 0, notified: 1 }] });
    const exported = await admin.get(`/donors/${key}/export`).responseType('blob').expect(200);
    expect(JSON.parse((exported.body as Buffer).toString())).toMatchObject({
      person: { email: to },
      tributesOfOthers: [{ ...anna, message: 'Dear Maria of the lake' }],
    });
    const { body } = await admin.delete(`/donors/${key}`).expect(200);
    expect(body).toMatchObject({ donations: 0, notified: 1 });
    expect((await donation(id)).tribute).toEqual({ ...anna, message: null, notifyEmail: null });
    expect(await notify()).toBe(0);
    await admin.delete(`/donors/${key}`).expect(404);
    const rest = [...(await rowsWith(to)), ...(await rowsWith('Maria of the lake'))];
    expect(rest.filter((row) => !row.startsWith('idempotency_key'))).toEqual([]);
  });

  it('after ninety days removes the address by itself', async () => {
    const to = someAddress();
    const { id } = await record({ tribute: { ...anna, notifyEmail: to } });
    await sql(app, "UPDATE donation SET completed_at = now() - interval '91 days' WHERE id = $1", [id]);
    await app.app.get(NotifiedPersons, { strict: false }).eraseOld();
    expect((await donation(id)).tribute).toEqual({ ...anna, message: null, notifyEmail: null });
    expect(await notify()).toBe(0);
  });

  it('of unpaid donations removes the tribute too', async () => {
    await admin.patch(`/events/${event.id}/settings`, { privacy: { retainUnpaidDays: 30 } }).expect(200);
    const notifyEmail = someAddress();
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 4_200, metadata: { eventId: event.id, tribute: { ...anna, notifyEmail } } })
      .expect(201);
    const { donationId } = body as { donationId: string };
    await sql(app, "UPDATE donation SET created_at = now() - interval '400 days' WHERE id = $1", [
      donationId,
    ]);
    await app.app.get(UnpaidDonors, { strict: false }).erase();
    expect(await donation(donationId)).not.toHaveProperty('tribute');
  });
});

describe('the donate page', () => {
  it('offers a tribute only if the event does, and takes it without a script', async () => {
    const path = `/donate/${event.slug}`;
    expect((await app.http.get(path).expect(200)).text).not.toMatch(/tribute(Name|Kind|Link)/);
    await admin
      .patch(`/events/${event.id}/settings`, { donation: { fields: { tribute: true } } })
      .expect(200);
    expect((await app.http.get(path).expect(200)).text).toContain('name="tributeName"');
    const form = { amount: '42', provider: 'paypal', tributeKind: 'honour', notifyEmail: someAddress() };
    const wrong = await app.http.post(path).type('form').send(form).expect(400);
    expect(wrong.text).toContain('Please enter the name of the person you donate for.');
    const link = await app.http
      .post(path)
      .type('form')
      .send({ ...form, tributeName: 'www.example.org' })
      .expect(400);
    expect(link.text).toContain('Please write no web addresses');
    await app.http
      .post(path)
      .type('form')
      .send({ ...form, tributeName: 'Grace' })
      .expect(303);
    const { body } = await admin.get(`/donations?eventId=${event.id}&tribute=true`).expect(200);
    expect(body).toMatchObject({
      data: [{ tribute: { kind: 'honour', name: 'Grace', notifyEmail: form.notifyEmail } }],
    });
  });

  it('shows the tribute on the thank-you page and in the list of the latest donations', async () => {
    const { body } = await app.http
      .post('/donations/intent')
      .send({
        amount: 4_200,
        metadata: { eventId: event.id, tribute: { ...anna, notifyEmail: someAddress() } },
      })
      .expect(201);
    const { clientSecret, donationId, donorToken } = body as Record<string, string>;
    app.sandbox.stripe.pay(clientSecret ?? '');
    await until(async () => (await donation(donationId ?? '')).status === 'COMPLETED', 'the payment');
    const thanks = await app.http.get(`/donate/${event.slug}/thanks?donation=${donorToken}`).expect(200);
    expect(thanks.text).toContain('In memory of Anna Bauer');
    expect(thanks.text).toContain('gets an e-mail about it, without the amount');
    await until(
      async () => (await app.http.get(`/donate/${event.slug}`)).text.includes('In memory of Anna Bauer'),
      'the list',
    );
  });
});
