import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { PaymentFacts } from '../../src/payments/booking/facts.service.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { as, type DonationBody, errorBody } from '../support/bearer.js';
import { startApp } from '../support/app.js';
import { pdfText } from '../export/tools.js';
import { SAMPLES } from '../receipts/pack-samples.js';
import { adminToken, createEvent, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer, type ReceivedEmail } from '../support/mail-server.js';
import { providerEnvironment, startPaymentsApp } from '../support/payments.js';
import { withEvent, withOpened } from '../support/setup.js';
import { until } from '../support/until.js';
import { itWithTool } from '../support/tools.js';

interface EmailBody {
  readonly id: string;
  readonly donationId: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly sentAt: string | null;
}

const mail = withOpened(() => MailServer.start());
const { app, admin, event } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
  fields: { name: 'Winter & Gala' },
});

beforeAll(async () => {
  await admin
    .patch('/settings/global', {
      organization: 'Haus am See',
      locales: { default: 'en', supported: ['en', 'de', 'fr'] },
      legal: { legalName: 'Haus am See e.V.', address: 'Uferweg 1\n10115 Berlin' },
      theme: { variables: { '--brand-color': '#7a1f5c' } },
    })
    .expect(200);
});
afterEach(() => {
  mail.mode = 'accept';
});

const address = () => `ada-${newId()}@example.org`;

/** Creates a paid online donation. */
async function paid(donorEmail: string | null, fields: object = {}, eventId = event.id): Promise<string> {
  const metadata = { eventId, donorName: 'Ada <Lovelace>', ...(donorEmail && { donorEmail }), ...fields };
  const { body } = await app.http
    .post('/donations/intent')
    .send({ amount: 2500, currency: 'eur', metadata })
    .expect(201);
  const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
  app.sandbox.stripe.pay(clientSecret);
  await app.sandbox.settled();
  return donationId;
}

const listed = async (donationId: string): Promise<EmailBody | undefined> => {
  const { body } = await admin.get('/emails?limit=200').expect(200);
  return (body as { data: EmailBody[] }).data.find((one) => one.donationId === donationId);
};
const inState = (donationId: string, state: string) =>
  until(async () => (await listed(donationId))?.state === state, `the e-mail ${state}`);
const reviewItems = async (donationId: string) =>
  ((await admin.get('/review-items').expect(200)).body as { kind: string; donationId: string }[]).filter(
    (item) => item.donationId === donationId && item.kind === 'email_failed',
  );
const receiptIn = ({ attachments }: ReceivedEmail) =>
  Buffer.from(
    (attachments.find(({ mimeType }) => mimeType === 'application/pdf')?.content ?? '') as ArrayBuffer,
  );

describe('receipt e-mails of online donations', () => {
  itWithTool(
    'pdftotext',
    'sends the donor one receipt in text and HTML with the PDF, and lists it',
    async () => {
      const to = address();
      const donationId = await paid(to);
      await until(() => mail.to(to).length > 0, 'the e-mail');
      const [received] = mail.to(to);
      if (!received) throw new Error('no e-mail was sent');
      expect(received.subject).toBe('Your receipt from Haus am See');
      expect(received.from).toMatchObject({ name: 'Receipts', address: 'receipts@charity.example' });
      expect(received.to).toEqual([expect.objectContaining({ address: to })]);
      for (const text of [received.text ?? '', received.html ?? '']) {
        expect(text).toContain('€25.00');
        expect(text).toContain('Haus am See e.V.');
      }
      expect(received.text).toContain('Dear Ada <Lovelace>,');
      expect(received.html).toContain('Dear Ada &lt;Lovelace&gt;,');
      expect(received.html).toContain('Winter &amp; Gala');
      expect(received.html).toContain('#7a1f5c');
      const { body } = await admin.get('/donations?limit=200').expect(200);
      const donation = (body as { data: DonationBody[] }).data.find(({ id }) => id === donationId);
      const pdf = await pdfText(receiptIn(received));
      expect(pdf).toContain(donation?.receiptNumber);
      expect(pdf).not.toContain('COPY');
      await inState(donationId, 'sent');
      expect(await listed(donationId)).toMatchObject({
        attempts: 1,
        lastError: null,
        sentAt: expect.any(String),
      });
      // The repeated webhook event must not complete the donation a second time.
      const [{ payment_id: paymentId } = { payment_id: '' }] = await sql<{ payment_id: string }>(
        app,
        'SELECT payment_id FROM donation WHERE id = $1',
        [donationId],
      );
      const provider = app.app.get(PaymentProviders, { strict: false }).named('stripe');
      await app.app
        .get(PaymentFacts, { strict: false })
        .book(provider, await provider.readPayment(paymentId));
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(mail.to(to)).toHaveLength(1);
    },
  );

  it('the greeting leaves out a name that contains a link', async () => {
    const to = address();
    await paid(to, { donorName: 'Your refund waits: https://refund.example' });
    await until(() => mail.to(to).length > 0, 'the e-mail');
    const [received] = mail.to(to);
    expect(received?.text).toMatch(/^Hello,/);
    for (const text of [received?.subject, received?.text, received?.html])
      expect(text).not.toContain('refund');
  });

  it('the receipt e-mail uses the language of the donate page, or of the event if the e-mail has no texts in that language', async () => {
    const [german, italian, japanese] = [address(), address(), address()];
    await paid(german, { locale: 'de-AT' });
    await paid(italian, { locale: 'it' });
    await paid(japanese, { locale: 'ja' });
    await until(() => [german, italian, japanese].every((to) => mail.to(to).length === 1), 'the e-mails');
    expect(mail.to(german)[0]).toMatchObject({ subject: 'Ihre Quittung von Haus am See' });
    expect(mail.to(german)[0]?.text).toContain('25,00\u00a0€');
    expect(mail.to(italian)[0]).toMatchObject({ subject: 'La sua ricevuta da Haus am See' });
    expect(mail.to(japanese)[0]).toMatchObject({ subject: 'Your receipt from Haus am See' });
  });

  itWithTool(
    'pdftotext',
    'a German and an Arabic donor at an English charity get e-mail and receipt in their language',
    async () => {
      const [german, arab] = [address(), address()];
      await paid(german, { locale: 'de' });
      await paid(arab, { locale: 'ar', donorName: 'ليلى حداد' });
      await until(() => mail.to(german).length + mail.to(arab).length === 2, 'both e-mails');
      const pdfOf = async (to: string) => {
        const [received] = mail.to(to);
        return received ? await pdfText(receiptIn(received)) : '';
      };
      expect(await pdfOf(german)).toContain('Spendenquittung');
      expect(mail.to(arab)[0]).toMatchObject({ subject: 'إيصال تبرعكم من Haus am See' });
      expect(mail.to(arab)[0]?.html).toContain('<html lang="ar" dir="rtl">');
      const receipt = await pdfOf(arab);
      for (const word of ['الفعالية', 'بطاقة']) expect(receipt.normalize('NFKC')).toContain(word);
    },
  );

  it('sends no receipt without an address or if the event forbids it', async () => {
    const quiet = await createEvent(app, await adminToken(app));
    await admin.patch(`/events/${quiet.id}/settings`, { receipts: { email: false } }).expect(200);
    const to = address();
    const ids = [await paid(null), await paid(to, {}, quiet.id)];
    const rows = await sql(app, 'SELECT id FROM email WHERE donation_id = ANY($1::uuid[])', [ids]);
    expect(rows).toEqual([]);
  });

  itWithTool(
    'pdftotext',
    'an admin can send the receipt of an offline donation, and again as a copy',
    async () => {
      const to = address();
      const { body } = await admin
        .post('/donations', {
          amount: 900,
          type: 'cash',
          eventId: event.id,
          donorName: 'Grace',
          donorEmail: to,
        })
        .expect(201);
      const { id } = body as DonationBody;
      expect(await listed(id)).toBeUndefined();
      await admin.post(`/donations/${id}/email-receipt`).expect(202);
      await inState(id, 'sent');
      await admin.post(`/donations/${id}/email-receipt`).expect(202);
      await until(() => mail.to(to).length === 2, 'the second e-mail');
      const [first, second] = mail.to(to);
      expect(second?.messageId).not.toBe(first?.messageId);
      expect(await pdfText(receiptIn(first as ReceivedEmail))).not.toContain('COPY');
      expect(await pdfText(receiptIn(second as ReceivedEmail))).toContain('COPY');
      expect(second?.text).toContain('A copy of your receipt');
    },
  );

  it('refuses a receipt request without an address or a payment', async () => {
    const record = async (fields: object) =>
      (await admin.post('/donations', { amount: 900, eventId: event.id, ...fields }).expect(201))
        .body as DonationBody;
    const nobody = await record({ type: 'cash' });
    const pledge = await record({ type: 'pledge', donorEmail: address() });
    const refused = await admin.post(`/donations/${nobody.id}/email-receipt`).expect(409);
    expect(refused.body).toEqual(errorBody(409, 'Conflict', 'DONOR_EMAIL_MISSING'));
    const unpaid = await admin.post(`/donations/${pledge.id}/email-receipt`).expect(409);
    expect(unpaid.body).toEqual(errorBody(409, 'Conflict', 'DONATION_NOT_COMPLETED'));
    await admin.post(`/donations/${newId()}/email-receipt`).expect(404);
  });
});

describe('failing mail servers', () => {
  itWithTool(
    'pdftotext',
    'the server repeats a delivery after the answer 451, under the same Message-ID and not as a copy',
    async () => {
      const to = address();
      mail.mode = 451;
      const donationId = await paid(to);
      await until(() => mail.tries.filter((one) => one === to).length >= 2, 'two tries');
      expect(await listed(donationId)).toMatchObject({
        state: 'queued',
        lastError: expect.stringMatching(/451.*…@…/),
      });
      mail.mode = 'accept';
      await inState(donationId, 'sent');
      const [received] = mail.to(to);
      expect(mail.to(to)).toHaveLength(1);
      expect(await pdfText(receiptIn(received as ReceivedEmail))).not.toContain('COPY');
      expect(await reviewItems(donationId)).toEqual([]);
    },
  );

  it('an address refused with 550 stops the receipt, raises a review item, and allows a corrected resend', async () => {
    const to = address();
    mail.mode = 550;
    const donationId = await paid(to);
    await inState(donationId, 'bounced');
    const email = await listed(donationId);
    expect(email).toMatchObject({ attempts: 1, lastError: expect.stringMatching(/550/) });
    expect(email?.lastError).not.toContain(to);
    expect(await reviewItems(donationId)).toMatchObject([
      { subject: `email:${email?.id}`, detail: { state: 'bounced', email: 'receipt' } },
    ]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(mail.tries.filter((one) => one === to)).toHaveLength(1);
    const bounced = (await admin.get('/emails?state=bounced').expect(200)).body as { data: EmailBody[] };
    expect(bounced.data.map(({ id }) => id)).toContain(email?.id);

    mail.mode = 'accept';
    const corrected = address();
    await admin.patch(`/donations/${donationId}`, { donorEmail: corrected }).expect(200);
    await admin.post(`/emails/${email?.id}/retry`).expect(202);
    await inState(donationId, 'sent');
    expect(mail.to(corrected)).toHaveLength(1);
    expect(await reviewItems(donationId)).toEqual([]);
    const again = await admin.post(`/emails/${email?.id}/retry`).expect(409);
    expect(again.body).toEqual(errorBody(409, 'Conflict', 'EMAIL_SENT'));
    await admin.post(`/emails/${newId()}/retry`).expect(404);
    await admin.post('/emails/nothing/retry').expect(404);
  });

  it('a refused corrected address raises the review item again, also after an admin resolved it', async () => {
    mail.mode = 550;
    const donationId = await paid(address());
    await inState(donationId, 'bounced');
    const email = await listed(donationId);
    const [item] = (await reviewItems(donationId)) as unknown as { id: string }[];
    await admin.post(`/review-items/${item?.id}/resolve`).expect(200);
    const other = address();
    await admin.patch(`/donations/${donationId}`, { donorEmail: other }).expect(200);
    await admin.post(`/emails/${email?.id}/retry`).expect(202);
    await until(() => Promise.resolve(mail.tries.includes(other)), 'the second try');
    await inState(donationId, 'bounced');
    expect(await reviewItems(donationId)).toMatchObject([{ id: item?.id, detail: { state: 'bounced' } }]);
    mail.mode = 'accept';
    await admin.post(`/emails/${email?.id}/retry`).expect(202);
    await inState(donationId, 'sent');
    expect(await reviewItems(donationId)).toEqual([]);
  });

  it('a retry of the receipt of a refunded donation removes the e-mail and its review item', async () => {
    mail.mode = 550;
    const donationId = await paid(address());
    await inState(donationId, 'bounced');
    const email = await listed(donationId);
    mail.mode = 'accept';
    await admin.post(`/donations/${donationId}/cancel`, { shouldRefund: true }).expect(200);
    await app.sandbox.settled();
    expect(await reviewItems(donationId)).toHaveLength(1);
    await admin.post(`/emails/${email?.id}/retry`).expect(202);
    await until(async () => (await reviewItems(donationId)).length === 0, 'the end of the item');
    expect(await listed(donationId)).toBeUndefined();
  });

  it.each(['hang', 'drop'] as const)(
    'the server sends the e-mail again when the mail server %ss during the delivery',
    async (mode) => {
      const to = address();
      mail.mode = mode;
      const donationId = await paid(to);
      await until(async () => ((await listed(donationId))?.attempts ?? 0) >= 2, 'a second try');
      expect(mail.to(to)).toEqual([]);
      mail.mode = 'accept';
      await inState(donationId, 'sent');
      expect(mail.to(to)).toHaveLength(1);
    },
  );

  itWithTool(
    'pdftotext',
    'the server sends an e-mail again under the same Message-ID when the answer of the mail server is lost',
    async () => {
      const to = address();
      mail.mode = 'unsure';
      const donationId = await paid(to);
      await until(() => mail.to(to).length > 0, 'the e-mail');
      mail.mode = 'accept';
      await inState(donationId, 'sent');
      const received = mail.to(to);
      expect(received.length).toBeGreaterThan(1);
      expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(1);
      for (const one of received) expect(await pdfText(receiptIn(one))).not.toContain('COPY');
    },
  );

  it('a mail server that rejects our password receives no donor data', async () => {
    const to = address();
    mail.mode = 'no-password';
    mail.cut();
    const donationId = await paid(to);
    await until(async () => ((await listed(donationId))?.attempts ?? 0) >= 2, 'a second try');
    expect(await listed(donationId)).toMatchObject({
      state: 'queued',
      lastError: expect.stringContaining('535'),
    });
    mail.mode = 'accept';
    await inState(donationId, 'sent');
  });

  it('the mail server receives every waiting e-mail after an outage', async () => {
    await mail.stop();
    const all = [address(), address(), address()];
    for (const to of all) await paid(to);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await mail.listen();
    await until(() => all.every((to) => mail.to(to).length === 1), 'three e-mails');
  });
});

describe('the e-mail queue', () => {
  it('a process sends the e-mail of another process that stopped between sending and marking', async () => {
    const to = address();
    const donationId = await paid(to);
    await inState(donationId, 'sent');
    await sql(
      app,
      `UPDATE email SET state = 'queued', sent_at = NULL, claimed_until = now() + interval '300 milliseconds'
       WHERE donation_id = $1`,
      [donationId],
    );
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(mail.to(to)).toHaveLength(1);
    await until(() => mail.to(to).length === 2, 'the e-mail again');
    expect(new Set(mail.to(to).map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('one process at a time sends an e-mail: each of thirty donors gets one', async () => {
    const other = await startApp(
      { ...providerEnvironment(app.sandbox), ...mail.environment },
      { mailTimes: FAST_MAIL },
      app.databaseUrl,
    );
    try {
      const all = Array.from({ length: 30 }, address);
      await Promise.all(all.map((to) => paid(to)));
      await until(() => all.every((to) => mail.to(to).length > 0), 'thirty e-mails');
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(all.map((to) => mail.to(to).length)).toEqual(all.map(() => 1));
    } finally {
      await other.close();
    }
  });

  it('no text of a donor or a database becomes an e-mail header', async () => {
    const to = address();
    const evil = 'Ada\r\nBcc: evil@example.org';
    mail.mode = 451;
    const donationId = await paid(to);
    // After the first refusal the settings are in the cache. Later attempts must read them again.
    await until(() => mail.tries.includes(to), 'the first try');
    await sql(app, 'UPDATE donation SET donor_name = $1 WHERE id = $2', [evil, donationId]);
    await sql(app, 'UPDATE event SET name = $1 WHERE id = $2', [
      'Gala\r\nBcc: evil@example.org\r\n\r\nX',
      event.id,
    ]);
    mail.mode = 'accept';
    await inState(donationId, 'sent');
    const [received] = mail.to(to);
    expect(received?.recipients).toEqual([to]);
    const head = received?.raw.split('\r\n\r\n', 1)[0] ?? '';
    expect(head).not.toMatch(/^(b?cc|x):/im);
    expect(received?.bcc ?? []).toEqual([]);

    mail.mode = 451;
    const before = address();
    const broken = await paid(before);
    await until(() => mail.tries.includes(before), 'its first try');
    await sql(app, 'UPDATE donation SET donor_email = $1 WHERE id = $2', [
      `${address()}\r\nRCPT TO:<evil@example.org>`,
      broken,
    ]);
    mail.mode = 'accept';
    await inState(broken, 'bounced');
    expect(mail.tries).not.toContain('evil@example.org');
    await sql(app, "UPDATE event SET name = 'Winter & Gala' WHERE id = $1", [event.id]);
  });

  it('the queue stops after the last attempt and reports the failure', async () => {
    const impatient = await startPaymentsApp(mail.environment, { mailTimes: { ...FAST_MAIL, attempts: 3 } });
    try {
      const token = await adminToken(impatient);
      const { id: eventId } = await createEvent(impatient, token);
      mail.mode = 450;
      const { body } = await impatient.http
        .post('/donations/intent')
        .send({ amount: 2500, currency: 'eur', metadata: { eventId, donorEmail: address() } })
        .expect(201);
      impatient.sandbox.stripe.pay((body as { clientSecret: string }).clientSecret);
      await impatient.sandbox.settled();
      const emails = async () =>
        (await as(impatient, token).get('/emails').expect(200)).body as { data: EmailBody[] };
      await until(async () => (await emails()).data[0]?.state === 'failed', 'the end');
      expect((await emails()).data).toMatchObject([
        { attempts: 3, lastError: expect.stringContaining('450') },
      ]);
      const { body: items } = await as(impatient, token).get('/review-items').expect(200);
      expect(items).toMatchObject([{ kind: 'email_failed', detail: { state: 'failed', attempts: 3 } }]);
    } finally {
      await impatient.close();
    }
  });
});

describe('a server without SMTP_URL', () => {
  it('a server without SMTP_URL queues no e-mail and answers that e-mail is off', async () => {
    const plain = await startPaymentsApp();
    try {
      const token = await adminToken(plain);
      const { id: eventId } = await createEvent(plain, token);
      const { body } = await plain.http
        .post('/donations/intent')
        .send({ amount: 2500, currency: 'eur', metadata: { eventId, donorEmail: address() } })
        .expect(201);
      const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
      plain.sandbox.stripe.pay(clientSecret);
      await plain.sandbox.settled();
      expect((await as(plain, token).get('/emails').expect(200)).body).toEqual({
        data: [],
        isOn: false,
        nextCursor: null,
      });
      for (const path of [`/donations/${donationId}/email-receipt`, `/emails/${newId()}/retry`])
        expect((await as(plain, token).post(path).expect(503)).body).toMatchObject({ code: 'MAIL_OFF' });
    } finally {
      await plain.close();
    }
  });
});

describe('the simplified proof for the German tax office', () => {
  /** Creates a paid online donation of an event with German receipts, which ask for an address that the page does not ask for. */
  async function paidInGermany(amount: number, eventId: string, donorEmail: string) {
    const metadata = { eventId, donorName: 'Ada Lovelace', donorEmail };
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount, currency: 'eur', metadata })
      .expect(201);
    const { clientSecret, donationId, donorToken } = body as Record<string, string>;
    app.sandbox.stripe.pay(clientSecret ?? '');
    await app.sandbox.settled();
    return { donationId: donationId ?? '', donorToken: donorToken ?? '' };
  }
  const proofOf = (token: string) => app.http.get(`/donations/mine/${token}/simplified-proof`).buffer(true);

  itWithTool(
    'pdftotext',
    'is on the thank-you page and in the e-mail of a donation up to 300 euros without the full confirmation',
    async () => {
      const german = await createEvent(app, admin.token);
      await admin
        .patch(`/events/${german.id}/settings`, {
          receipts: { pack: 'de' },
          donation: { receiptDownload: true },
          legal: { de: { ...SAMPLES.de.legal, noticeDate: `${new Date().getUTCFullYear()}-01-02` } },
        })
        .expect(200);
      const to = address();
      const { donationId, donorToken } = await paidInGermany(30_000, german.id, to);
      const thanks = async (token: string) =>
        (await app.http.get(`/donate/${german.slug}/thanks?donation=${token}`).expect(200)).text;
      expect(await thanks(donorToken)).toContain(`/donations/mine/${donorToken}/simplified-proof`);
      const proof = await pdfText((await proofOf(donorToken).expect(200)).body as Buffer);
      for (const words of ['Vereinfachter Zuwendungsnachweis', '300,00', 'des Finanzamtes Hamburg-Nord'])
        expect(proof).toContain(words);
      expect(proof.replace(/\s+/g, ' ')).toContain('Für Bargeld genügt dieser Nachweis nicht');
      await until(() => mail.to(to).length > 0, 'the e-mail');
      const [received] = mail.to(to);
      expect(received?.attachments.map(({ filename }) => filename)).toContain(
        'vereinfachter-zuwendungsnachweis.pdf',
      );
      expect(received?.text).toContain('It counts together with your bank statement.');

      const larger = await paidInGermany(30_001, german.id, address());
      expect(await thanks(larger.donorToken)).not.toContain('simplified-proof');
      await proofOf(larger.donorToken).expect(409);
      await proofOf('unknown').expect(404);
      await admin
        .patch(`/donations/${donationId}`, { donorAddress: 'Lindenstraße 7\n10969 Berlin' })
        .expect(200);
      await admin.get(`/export/receipts/${donationId}`).expect(200);
      await proofOf(donorToken).expect(409);
      expect(await thanks(donorToken)).not.toContain('simplified-proof');
    },
  );
});
