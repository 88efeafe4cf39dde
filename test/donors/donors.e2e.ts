import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { PaymentFacts } from '../../src/payments/booking/facts.service.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { type DonationBody, errorBody, type Caller } from '../support/bearer.js';
import { pdfText } from '../export/tools.js';
import { createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { SAMPLES } from '../receipts/pack-samples.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withEvent, withOpened } from '../support/setup.js';
import { until } from '../support/until.js';
import { itWithTool } from '../support/tools.js';

interface DonorBody {
  readonly key: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly donations: number;
  readonly totals: { currency: string; amount: number }[];
}

const mail = withOpened(() => MailServer.start());
const {
  app,
  admin,
  event: gala,
} = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
  fields: { name: 'Gala' },
});
const accountant = withAdmin(app, 'ACCOUNTANT');
let run: EventFixture;

beforeAll(async () => {
  run = await createEvent(app, admin.token, { name: 'Charity Run' });
  await admin
    .patch('/settings/global', {
      timezone: 'Europe/Berlin',
      donation: { fields: { address: 'optional', giftAid: true } },
    })
    .expect(200);
});

const record = async (fields: object, event = gala): Promise<DonationBody> =>
  (await admin.post('/donations', { amount: 1000, type: 'cash', eventId: event.id, ...fields }).expect(201))
    .body as DonationBody;

async function paid(metadata: object, event = run, amount = 2500): Promise<string> {
  const { body } = await app.http
    .post('/donations/intent')
    .set('Idempotency-Key', newId())
    .send({ amount, currency: 'eur', metadata: { eventId: event.id, ...metadata } })
    .expect(201);
  const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
  app.sandbox.stripe.pay(clientSecret);
  await app.sandbox.settled();
  return donationId;
}

const search = async (text: string, caller: Caller = admin) =>
  ((await caller.get(`/donors?search=${encodeURIComponent(text)}`).expect(200)).body as { data: DonorBody[] })
    .data;

/** Returns the whole database as text: every row of every table. */
async function dump(): Promise<string> {
  const tables = await sql<{ name: string }>(
    app,
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  expect(tables.length).toBeGreaterThan(25);
  const words: string[] = [];
  for (const { name } of tables)
    words.push(
      ...(await sql<{ row: string }>(app, `SELECT t::text AS row FROM ${name} t`)).map(({ row }) => row),
    );
  return words.join('\n').toLowerCase();
}

describe('GET /donors', () => {
  it('finds donors over all events by name or e-mail, each once, with their totals', async () => {
    const email = `Marie.${newId()}@example.org`;
    await record({ donorName: 'Marie Curie', donorEmail: email });
    await record({ amount: 700, donorName: 'M. Curie', donorEmail: email.toLowerCase() }, run);
    await record({ amount: 50, type: 'pledge', donorName: 'Marie Curie', donorEmail: email });
    const nobody = await record({ amount: 300, donorName: 'Marie Curious' });
    const found = await search('MARIE CUR');
    expect(found).toHaveLength(2);
    expect(found).toEqual([
      expect.objectContaining({ key: nobody.id, name: 'Marie Curious', email: null, donations: 1 }),
      expect.objectContaining({
        key: expect.stringMatching(/^[0-9a-f]{64}$/),
        name: 'Marie Curie',
        email,
        donations: 2,
        totals: [{ currency: 'eur', amount: 1700 }],
      }),
    ]);
    expect((await search(email.toUpperCase())).map(({ key }) => key)).toEqual([found[1]?.key]);
    expect(await search('100%')).toEqual([]);
    expect(await search('marie curie', accountant)).toHaveLength(1);
    const { body } = await accountant.get(`/donors/${found[1]?.key}`).expect(200);
    expect(body).toMatchObject({ name: 'Marie Curie', erased: false, donationCount: 2 });
    expect((body as { donations: { eventName: string; amount: number }[] }).donations).toMatchObject([
      { eventName: 'Gala', amount: 50, status: 'PENDING' },
      { eventName: 'Charity Run', amount: 700 },
      { eventName: 'Gala', amount: 1000 },
    ]);
  });

  it('lists each donor on one page, the most recent donors first', async () => {
    const marker = newId().slice(-12);
    const emails = Array.from({ length: 7 }, (_, index) => `page${index}-${marker}@example.org`);
    for (const round of [1, 2])
      for (const donorEmail of emails)
        await record({ donorName: `Page ${marker}`, donorEmail, amount: round * 100 });
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await admin
        .get(`/donors?search=${marker}&limit=3${cursor && `&cursor=${cursor}`}`)
        .expect(200);
      const page = body as { data: DonorBody[]; cursor: string | null };
      seen.push(...page.data.map(({ email }) => email ?? ''));
      expect(page.data.every(({ donations }) => donations === 2)).toBe(true);
      cursor = page.cursor;
    }
    expect(seen).toEqual([...emails].reverse());
    const { body: all } = await admin.get('/donors?limit=5').expect(200);
    expect((all as { data: DonorBody[] }).data.map(({ email }) => email)).toEqual(seen.slice(0, 5));
    expect((await admin.get('/donors?cursor=x').expect(400)).body).toMatchObject({ code: 'CURSOR_INVALID' });
  });

  it('answers 404 for an unknown donor', async () => {
    for (const key of ['x', newId(), 'a'.repeat(64)])
      for (const path of [`/donors/${key}`, `/donors/${key}/export`, `/donors/${key}/statement?year=2026`])
        expect((await admin.get(path).expect(404)).body).toEqual(
          errorBody(404, 'Not Found', 'DONOR_NOT_FOUND'),
        );
    await admin.delete(`/donors/${newId()}`).expect(404);
  });
});

describe('one donor', () => {
  it('the export of a donor contains all stored data in one file', async () => {
    const donorEmail = `grace-${newId()}@example.org`;
    const donor = { donorName: 'Grace Hopper', donorEmail, message: 'Onwards' };
    const cash = (
      await admin
        .post('/donations', { amount: 1000, type: 'cash', eventId: gala.id, ...donor })
        .set('Idempotency-Key', newId())
        .expect(201)
    ).body as DonationBody;
    const online = await paid({
      ...donor,
      donorAddress: 'Main Street 1\nArlington',
      giftAid: true,
      locale: 'en-GB',
    });
    await until(() => mail.to(donorEmail).length === 1, 'the receipt');
    await admin.patch(`/donations/${cash.id}`, { message: 'Onwards!' }).expect(200);
    const [person] = await search(donorEmail);
    const response = await admin.get(`/donors/${person?.key}/export`).expect(200);
    expect(response.headers['content-disposition']).toMatch(/^attachment; filename="donor.json"/);
    const kept = response.body as Record<string, Record<string, unknown>[]>;
    expect(kept.person).toMatchObject({ name: 'Grace Hopper', email: donorEmail, donationCount: 2 });
    expect(kept.donations).toMatchObject([
      { id: online, donorAddress: 'Main Street 1\nArlington', giftAid: true, language: 'en-GB' },
      { id: cash.id, message: 'Onwards!' },
    ]);
    expect(kept.keptAnswers).toContainEqual(
      expect.objectContaining({ donorName: 'Grace Hopper', message: 'Onwards' }),
    );
    // With a client secret, the reader of the file could continue the payment.
    expect(kept.keptAnswers).toContainEqual({ donationId: online });
    expect(JSON.stringify(kept)).not.toMatch(/_secret_|clientSecret|approveUrl/);
    expect(kept.emails).toMatchObject([{ donationId: online, state: 'sent' }]);
    expect(kept.receipts).toMatchObject([{ donationId: online, printed: { donorName: 'Grace Hopper' } }]);
    expect(kept.history?.length).toBeGreaterThanOrEqual(3);
    expect(kept.audit).toContainEqual(
      expect.objectContaining({ action: 'donation.correct', subjectId: cash.id }),
    );
    const { body } = await admin.get(`/audit?action=donor.export`).expect(200);
    expect((body as { data: object[] }).data).toMatchObject([
      { subjectId: person?.key, detail: { donations: 2 } },
    ]);
  });

  itWithTool(
    'pdftotext',
    'a donor gets a statement of a year in the time zone of the organization',
    async () => {
      const donorEmail = `katherine-${newId()}@example.org`;
      const donor = { donorName: 'Katherine Johnson', donorEmail };
      const [before, after, refunded] = [
        await record(donor),
        await record(donor),
        await record({ ...donor, amount: 5000 }),
      ];
      // At this time it is already the first of January in Berlin.
      await sql(app, "UPDATE donation SET completed_at = '2024-12-31T23:30:00Z' WHERE id = $1", [after.id]);
      await sql(app, "UPDATE donation SET completed_at = '2024-12-31T22:30:00Z' WHERE id = $1", [before.id]);
      await sql(
        app,
        "UPDATE donation SET completed_at = '2025-06-01T12:00:00Z', refunded_amount = 1200 WHERE id = $1",
        [refunded.id],
      );
      const [person] = await search(donorEmail);
      const { body, headers } = await accountant
        .get(`/donors/${person?.key}/statement?year=2025`)
        .buffer(true)
        .expect(200);
      expect(headers['content-type']).toBe('application/pdf');
      const text = (await pdfText(body as Buffer)).replace(/\s+/g, ' ');
      for (const words of [
        'Statement of donations',
        'Katherine Johnson',
        '1 January 2025',
        '€50.00',
        'less €12.00 refunded',
        '€48.00',
      ])
        expect(text).toContain(words);
      expect(text).not.toContain('31 December 2024');
      const empty = await admin.get(`/donors/${person?.key}/statement?year=2023`).expect(409);
      expect(empty.body).toEqual(errorBody(409, 'Conflict', 'STATEMENT_EMPTY'));
      for (const wrong of [
        '',
        '?from=2025-01-01',
        '?from=2025-02-01&to=2025-01-31',
        '?year=2025&to=2025-12-31',
        '?from=x&to=y',
      ])
        await admin.get(`/donors/${person?.key}/statement${wrong}`).expect(400);
      // The last day is included, in the time zone of the organization. The donor gave on a German page.
      await sql(app, "UPDATE donation SET locale = 'de' WHERE id = $1", [refunded.id]);
      const period = await admin
        .get(`/donors/${person?.key}/statement?from=2024-12-31&to=2025-06-01`)
        .buffer(true)
        .expect(200);
      expect(period.headers['content-disposition']).toContain('statement-2024-12-31-2025-06-01.pdf');
      const german = (await pdfText(period.body as Buffer)).replace(/\s+/g, ' ');
      for (const words of [
        '31. Dezember 2024 – 1. Juni 2025',
        'vom 31. Dezember 2024 bis zum 1. Juni 2025 eingegangen',
      ])
        expect(german).toContain(words);
      expect(german.split('1. Juni 2025').length).toBeGreaterThan(3);
    },
  );
});

describe('the annual document for the tax office', () => {
  const { organization, legal } = SAMPLES.nl;
  const address = 'Lindenlaan 7\n1011 AB Amsterdam';
  const statement = (key: string | undefined, query: string) =>
    admin.get(`/donors/${key}/statement?${query}`).buffer(true);
  const textOf = async (key: string | undefined, query: string) =>
    (await pdfText((await statement(key, query).expect(200)).body as Buffer)).replace(/\s+/g, ' ');
  const changeSettings = (settings: object) => admin.patch('/settings/global', settings).expect(200);

  beforeAll(() =>
    changeSettings({
      receipts: { pack: 'nl' },
      legal: { legalName: organization.name, address: organization.address, nl: legal },
    }),
  );
  afterAll(() =>
    changeSettings({ receipts: { pack: null }, legal: { legalName: null, address: null, nl: null } }),
  );

  itWithTool(
    'pdftotext',
    'lists the gifts of the period with cash apart, without what came back, and is refused by the name of a missing field',
    async () => {
      const donorEmail = `annual-${newId()}@example.org`;
      const donor = { donorName: 'Ada Lovelace', donorEmail };
      const card = { ...donor, type: 'card_terminal' };
      const [kept, cash, taken, dinner] = [
        await record({ ...card, amount: 20_000 }),
        await record({ ...donor, amount: 4_000 }),
        await record({ ...card, amount: 3_000 }),
        await record({ ...card, amount: 9_000 }),
      ];
      const other = await createEvent(app, admin.token, { name: 'Raffle' });
      await admin.patch(`/events/${other.id}/settings`, { receipts: { pack: 'none' } }).expect(200);
      const raffle = await record({ ...card, amount: 77_700 }, other);
      for (const { id } of [kept, cash, taken, dinner, raffle])
        await sql(app, "UPDATE donation SET completed_at = '2025-06-01T12:00:00Z' WHERE id = $1", [id]);
      await sql(app, 'UPDATE donation SET refunded_amount = 5000 WHERE id = $1', [kept.id]);
      await admin.patch(`/donations/${taken.id}`, { benefitValue: 3_000, benefitText: 'Boek' }).expect(200);
      await admin.patch(`/donations/${dinner.id}`, { benefitValue: 1_000, benefitText: 'Diner' }).expect(200);
      const [person] = await search(donorEmail);

      const refused = await statement(person?.key, 'year=2025').responseType('json').expect(409);
      const body = (
        Buffer.isBuffer(refused.body) ? JSON.parse(refused.body.toString()) : refused.body
      ) as object;
      expect(body).toMatchObject({
        code: 'RECEIPT_INCOMPLETE',
        findings: [{ field: 'donorAddress', rule: 'missing' }],
      });
      const list = await textOf(person?.key, 'year=2025&form=list');
      expect(list).toContain('Statement of donations');
      expect(list).toContain('€777.00');

      // The address of a gift in another year is the address of the donor too.
      await record({ ...donor, donorAddress: address });
      const text = await textOf(person?.key, 'year=2025');
      for (const words of [
        'Giftenverklaring',
        'RSIN 123456782',
        'Ada Lovelace Lindenlaan 7 1011 AB Amsterdam',
        'van 01-01-2025 tot en met 31-12-2025',
        '€ 150,00',
        '€ 80,00',
        'Totaal van de giften € 230,00',
        'Contant ontvangen: niet aftrekbaar',
        'Totaal contant, niet aftrekbaar € 40,00',
      ])
        expect(text).toContain(words);
      expect(text).not.toContain('777,00');
      expect(text).not.toContain('€ 30,00');
      await admin.get(`/donors/${person?.key}/statement?year=2025&form=other`).expect(400);
    },
  );
});

describe('a pending refund of a donor', () => {
  it("every view of a donor's donations shows a pending refund", async () => {
    const donorEmail = `rosa-${newId()}@example.org`;
    const id = await paid({ donorName: 'Rosa Parks', donorEmail });
    app.sandbox.faults.add({ provider: 'stripe', operation: 'refunds.create', kind: 'pending' });
    await admin
      .post(`/donations/${id}/cancel`, { shouldRefund: true, amount: 300 })
      .set('Idempotency-Key', newId())
      .expect(200);
    const [person] = await search(donorEmail);
    for (const path of [`/donors/${person?.key}`, `/donors/${person?.key}/export`]) {
      const { body } = await admin.get(path).expect(200);
      expect(body).toMatchObject({ donations: [{ id, refundedAmount: 0, refundPending: 300 }] });
    }
  });
});

describe('donations that a terminal sends after the new year', () => {
  itWithTool(
    'pdftotext',
    'receipt, e-mail and statement use the year in which the donation was recorded',
    async () => {
      const ball = await createEvent(app, admin.token, { name: 'Winter Ball', date: '2025-12-31T19:00:00Z' });
      const donorEmail = `emmy-${newId()}@example.org`;
      const donor = { donorName: 'Emmy Noether', donorEmail };
      const { id } = await record({ ...donor, recordedAt: '2025-12-31T22:30:00Z' }, ball);
      const receipt = await admin.get(`/export/receipts/${id}`).buffer(true).expect(200);
      expect(await pdfText(receipt.body as Buffer)).toContain('31 December 2025');
      await admin.post(`/donations/${id}/email-receipt`).expect(202);
      await until(() => mail.to(donorEmail).length === 1, 'the receipt');
      expect(mail.to(donorEmail)[0]?.text).toContain('31 December 2025');

      const [person] = await search(donorEmail);
      const statement = (year: number) => admin.get(`/donors/${person?.key}/statement?year=${year}`);
      const { body } = await statement(2025).buffer(true).expect(200);
      expect(await pdfText(body as Buffer)).toContain('31 December 2025');
      await statement(new Date().getFullYear()).expect(409);
    },
  );

  itWithTool('pdftotext', 'every file dates a pledge by the day on which it was fulfilled', async () => {
    const ball = await createEvent(app, admin.token, { name: 'Old Ball', date: '2025-12-31T19:00:00Z' });
    const donorEmail = `sofia-${newId()}@example.org`;
    const pledged = { type: 'pledge', donorEmail, recordedAt: '2025-12-31T20:00:00Z' };
    const { id } = await record({ ...pledged, donorName: 'Sofja Kowalewskaja' }, ball);
    // The pledge waited on the terminal for ten hours. The donor paid two days later.
    await sql(app, "UPDATE donation SET created_at = '2026-01-01T06:00:00Z' WHERE id = $1", [id]);
    await admin.post(`/donations/${id}/fulfil`, { type: 'cash' }).expect(200);
    await sql(app, "UPDATE donation SET completed_at = '2026-01-03T06:00:00Z' WHERE id = $1", [id]);
    const receipt = await admin.get(`/export/receipts/${id}`).buffer(true).expect(200);
    expect(await pdfText(receipt.body as Buffer)).toContain('3 January 2026');
    const [person] = await search(donorEmail);
    const statement = await admin.get(`/donors/${person?.key}/statement?year=2026`).buffer(true).expect(200);
    expect(await pdfText(statement.body as Buffer)).toContain('3 January 2026');
    const { text } = await admin.get(`/donations/export?eventId=${ball.id}&format=people`).expect(200);
    expect(text).toContain('2026-01-03,07:00');
    const { body } = await admin.get(`/statistics?eventId=${ball.id}`).expect(200);
    expect(body.byCurrency[0].byHour).toMatchObject([{ from: '2026-01-03T06:00:00.000Z' }]);
  });
});

describe('erasing a donor', () => {
  const NAME = 'Hedwig Unvergesslich';

  itWithTool(
    'pdftotext',
    'erasing a donor removes name, address and message from the whole database and keeps every sum, count and number',
    async () => {
      const donorEmail = `hedwig-${newId()}@unvergesslich.example`;
      const donor = { donorName: NAME, donorEmail, message: 'Grüße von Hedwig an alle Wale' };
      const cash = (
        await admin
          .post('/donations', {
            amount: 1100,
            type: 'cash',
            eventId: gala.id,
            reference: `Cheque of ${NAME}`,
            note: `${NAME} asked for a call`,
            ...donor,
          })
          .set('Idempotency-Key', newId())
          .expect(201)
      ).body as DonationBody;
      await admin
        .patch(`/donations/${cash.id}`, { benefitValue: 100, benefitText: `Dinner with ${NAME}` })
        .expect(200);
      const online = await paid({ ...donor, donorAddress: 'Unvergesslichweg 7', giftAid: true });
      const second = await paid({ ...donor, donorEmail: donorEmail.toUpperCase() }, gala, 4000);
      await until(
        () => mail.received.filter(({ subject }) => subject).length > 0 && mail.to(donorEmail).length === 1,
        'mail',
      );
      await admin.get(`/export/receipts/${cash.id}`).expect(200);
      await admin
        .post(`/donations/${second}/cancel`, {
          shouldRefund: true,
          amount: 500,
          reason: `${NAME} hat sich vertippt`,
        })
        .set('Idempotency-Key', newId())
        .expect(200);
      mail.mode = 550;
      const bounced = await paid(donor);
      await until(
        async () =>
          (await sql(app, "SELECT 1 FROM email WHERE state = 'bounced' AND donation_id = $1", [bounced]))
            .length > 0,
        'the bounce',
      );
      mail.mode = 'accept';
      await app.sandbox.settled();

      const books = async () => ({
        events: (await app.http.get('/events/public').expect(200)).body as object,
        totals: await sql(
          app,
          'SELECT event_id, currency, sum(total_raised) AS raised, sum(donor_count) AS donors FROM event_total GROUP BY 1, 2 ORDER BY 1, 2',
        ),
        donors: await sql(
          app,
          'SELECT event_id, currency, donor_key, donations FROM event_donor ORDER BY 1, 2, 3',
        ),
        donations: await sql(
          app,
          'SELECT id, amount, refunded_amount, currency, status, receipt_number, donor_key, completed_at FROM donation ORDER BY id',
        ),
        receipts: await sql(
          app,
          'SELECT donation_id, year, number, issued_at, replaced_at FROM receipt ORDER BY year, number',
        ),
      });
      const [person] = await search(donorEmail);
      expect(await dump()).toContain(donorEmail);
      const before = await books();
      const { body } = await admin.delete(`/donors/${person?.key}`).expect(200);
      expect(body).toEqual({ key: person?.key, deleted: true, donations: 4 });

      const after = await dump();
      for (const word of ['unvergesslich', 'hedwig', 'alle wale', donorEmail])
        expect(after).not.toContain(word);
      expect(await books()).toEqual(before);
      // The outbox announces the change. A wall that reads its missed messages later gets the erased rows.
      expect(await search(NAME)).toEqual([]);
      expect((await admin.get(`/donors/${person?.key}`).expect(200)).body).toMatchObject({
        erased: true,
        name: null,
        email: null,
        donationCount: 4,
      });
      const receipt = await admin.get(`/export/receipts/${cash.id}`).buffer(true).expect(200);
      const text = await pdfText(receipt.body as Buffer);
      expect(text).not.toContain(NAME);
      expect(text).toContain('€11.00');
      expect(await books()).toEqual(before);
      const { body: history } = await admin.get(`/donations/${online}/history`).expect(200);
      expect((history as object[]).at(-1)).toMatchObject({ reason: 'the donor was erased', actor: 'admin' });
      // The service sends no e-mail afterwards, even on request.
      const refused = await admin.post(`/donations/${bounced}/email-receipt`).expect(409);
      expect(refused.body).toMatchObject({ code: 'DONOR_EMAIL_MISSING' });
      const { body: items } = await admin.get('/review-items').expect(200);
      expect((items as { donationId: string }[]).filter(({ donationId }) => donationId === bounced)).toEqual(
        [],
      );

      const again = await admin.delete(`/donors/${person?.key}`).expect(200);
      expect(again.body).toMatchObject({ donations: 0 });
      const { body: audit } = await admin.get('/audit?action=donor.erase').expect(200);
      expect(JSON.stringify(audit)).not.toMatch(/hedwig/i);
      expect((audit as { data: object[] }).data).toHaveLength(2);
    },
  );

  it("erasing keeps the reason for which a donation ended, even if it contains the donor's name", async () => {
    const evening = await createEvent(app, admin.token);
    const donorEmail = `don-${newId()}@example.org`;
    const { id } = await record({ donorName: 'Don', donorEmail, message: 'Dont worry' }, evening);
    await admin.post(`/donations/${id}/undo`).expect(200);
    const kept = await record({ donorName: 'Don', donorEmail, type: 'pledge' }, evening);
    await admin.post(`/donations/${kept.id}/fulfil`, { type: 'cash' }).expect(200);
    const typed = await record({ donorName: 'Don', donorEmail }, evening);
    await admin
      .post(`/donations/${typed.id}/cancel`, { shouldRefund: true, reason: 'Don paid cash twice' })
      .expect(200);
    const explained = async () =>
      (await admin.get(`/events/${evening.id}/explain-total`).expect(200)).body as object;
    const reasonsOf = async (donation: string) =>
      ((await admin.get(`/donations/${donation}/history`).expect(200)).body as { reason: string }[]).map(
        ({ reason }) => reason,
      );
    const before = await explained();
    const [person] = await search(donorEmail);
    await admin.delete(`/donors/${person?.key}`).expect(200);
    expect(await explained()).toEqual(before);
    expect(await reasonsOf(id)).toEqual([null, 'undone', 'the donor was erased']);
    expect(await reasonsOf(kept.id)).toEqual([null, 'pledge fulfilled (cash)', 'the donor was erased']);
    expect(await reasonsOf(typed.id)).toEqual([null, '… paid cash twice', 'the donor was erased']);
    // A second undo returns the same answer.
    await admin.post(`/donations/${id}/undo`).expect(200);
  });

  it('a donation sent again after the erasure has no donor and is booked once', async () => {
    const key = newId();
    const donor = { donorName: 'Otto Wiederholt', donorEmail: `otto-${newId()}@example.org` };
    const send = () =>
      admin
        .post('/donations', { amount: 800, type: 'cash', eventId: gala.id, message: 'From Otto', ...donor })
        .set('Idempotency-Key', key)
        .expect(201);
    const first = (await send()).body as DonationBody;
    const [person] = await search(donor.donorEmail);
    await admin.delete(`/donors/${person?.key}`).expect(200);
    expect((await send()).body).toMatchObject({
      id: first.id,
      donorName: null,
      donorEmail: null,
      message: null,
      isAnonymous: true,
      amount: 800,
    });
  });

  it('erasing a donor with hundreds of long messages finishes without a long database load', async () => {
    const donorEmail = `plenty-${newId()}@example.org`;
    let seed = 1;
    const letters = 'abcdefghijklmnopqrstuvwxyzäöüABC ';
    const letter = () => letters[(seed = (seed * 48_271) % 2_147_483_647) % letters.length];
    for (let sent = 0; sent < 200; sent += 20)
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const message = `m${Array.from({ length: 498 }, letter).join('')}m`;
          await record({ donorEmail, message });
        }),
      );
    const [person] = await search(donorEmail);
    const { body } = await admin.delete(`/donors/${person?.key}`).expect(200);
    expect(body).toMatchObject({ deleted: true, donations: 200 });
  });

  it('a donation without an e-mail address is erased by its own key', async () => {
    const one = await record({ donorName: 'Nur Ein Name' });
    const other = await record({ donorName: 'Nur Ein Name' });
    await admin.delete(`/donors/${one.id}`).expect(200);
    const rows = await sql(app, 'SELECT donor_name FROM donation WHERE id = ANY($1::uuid[]) ORDER BY id', [
      [one.id, other.id],
    ]);
    expect(rows).toEqual([{ donor_name: null }, { donor_name: 'Nur Ein Name' }]);
  });

  it('late webhooks of earlier payments do not restore an erased donor, but new payments have a donor', async () => {
    const email = `late-${newId()}@example.org`;
    await record({ donorName: 'Spät Dran', donorEmail: email });
    const [person] = await search(email);
    await admin.delete(`/donors/${person?.key}`).expect(200);
    const facts = app.app.get(PaymentFacts, { strict: false });
    const [card] = app.app.get(PaymentProviders, { strict: false }).ofType('card');
    const book = async (paidAt: Date) => {
      const [outcome] = await facts.book(card, [
        {
          kind: 'paid',
          paymentId: `pi_${newId()}`,
          amount: 900n,
          currency: 'eur',
          paidAt,
          eventRef: gala.id,
          donor: { name: 'Spät Dran', email, message: 'Hallo' },
        },
      ]);
      const id = (outcome as { donationId: string }).donationId;
      const [row] = await sql<Record<string, unknown>>(
        app,
        "SELECT donor_name, donor_email, message, is_anonymous, encode(donor_key, 'hex') AS key FROM donation WHERE id = $1",
        [id],
      );
      return row;
    };
    expect(await book(new Date(Date.now() - 3_600_000))).toEqual({
      donor_name: null,
      donor_email: null,
      message: null,
      is_anonymous: true,
      key: person?.key,
    });
    expect(mail.to(email)).toEqual([]);
    expect(await book(new Date(Date.now() + 1_000))).toMatchObject({
      donor_name: 'Spät Dran',
      donor_email: email,
    });
  });

  it('donations that waited on a terminal are booked without the erased donor', async () => {
    const email = `queued-${newId()}@example.org`;
    const donor = { donorName: 'Wartende Wanda', donorEmail: email, message: 'Gruß von Wanda' };
    const first = await record(donor);
    const [person] = await search(email);
    await admin.delete(`/donors/${person?.key}`).expect(200);
    const at = (ms: number) => ({ recordedAt: new Date(Date.now() + ms).toISOString() });
    const send = (fields: object, key: string = newId()) =>
      admin
        .post('/donations', { amount: 700, type: 'cash', eventId: gala.id, ...donor, ...fields })
        .set('Idempotency-Key', key);
    const key = newId();
    const taken = at(-3_600_000);
    const queued = (await send(taken, key).expect(201)).body as DonationBody;
    const nobody = { donorName: null, donorEmail: null, message: null, isAnonymous: true };
    expect(queued).toMatchObject({ ...nobody, amount: 700 });
    // The terminal lost the answer and sends the record again. The service returns the same donation, still without a donor.
    expect((await send(taken, key).expect(201)).body).toMatchObject({ id: queued.id, ...nobody });
    const [row] = await sql<Record<string, unknown>>(
      app,
      "SELECT donor_name, donor_email, message, encode(donor_key, 'hex') AS key FROM donation WHERE id = $1",
      [queued.id],
    );
    expect(row).toEqual({ donor_name: null, donor_email: null, message: null, key: person?.key });
    expect((await admin.get(`/donations/${queued.id}/history`).expect(200)).body).toMatchObject([
      { reason: 'the donor was erased before this record arrived' },
    ]);
    expect((await admin.get(`/donors/${person?.key}`).expect(200)).body).toMatchObject({
      erased: true,
      donationCount: 2,
    });
    expect(await dump()).not.toContain('wanda');
    // A donation that was made after the erasure keeps its donor.
    const later = await send(at(3_600_000)).expect(201);
    expect(later.body).toMatchObject({ donorName: 'Wartende Wanda' });
    expect(first.id).not.toBe(queued.id);
  });

  it('only admins may erase donors; accountants may read them', async () => {
    const { id } = await record({ donorName: 'Somebody' });
    await accountant.get(`/donors/${id}`).expect(200);
    await accountant.delete(`/donors/${id}`).expect(403);
  });
});
