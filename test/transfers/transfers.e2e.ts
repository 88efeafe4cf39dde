import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  findReferences,
  printedReference,
  qrReference,
  rfReference,
} from '../../src/common/banking/transfer-reference.js';
import { newId } from '../../src/common/crypto/ids.js';
import { UnpaidDonors } from '../../src/donations/donors/unpaid-donors.js';
import { TransferExpiry } from '../../src/transfers/transfer-expiry.service.js';
import { TransferReferences } from '../../src/transfers/transfer-references.service.js';
import { Database } from '../../src/data/database.js';
import { donationById } from '../../src/donations/store/donation-store.js';
import type { DonationBody } from '../support/bearer.js';
import { createEvent, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withEvent, withOpened, withService } from '../support/setup.js';
import { until } from '../support/until.js';
import { zoneAt } from '../support/pledges.js';
import { brokenEpcRules, brokenQrBillRules } from './published-rules.js';

interface Intent {
  readonly donationId: string;
  readonly donorToken: string;
  readonly transfer: {
    readonly format: string;
    readonly amount: number;
    readonly currency: string;
    readonly name: string;
    readonly iban: string;
    readonly bic: string;
    readonly reference: string;
    readonly code: string;
    readonly expiresAt: string | null;
  };
}
interface Found {
  readonly found: {
    readonly reference: string;
    readonly state: string;
    readonly donation: DonationBody | null;
    readonly eventName: string | null;
  }[];
  readonly leftOut: number;
}

const GERMAN = { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', name: 'Haus am See e.V.' };
const SWISS = {
  iban: 'CH4431999123000889012',
  name: 'Haus am See',
  street: 'Seestrasse',
  buildingNumber: '1',
  postalCode: '8001',
  town: 'Zürich',
  country: 'CH',
};

const errorBody = ({ body }: { readonly body: unknown }) => body as { readonly code?: string };

const mail = withOpened(() => MailServer.start());
const { app, admin, event } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL }),
});
const accountant = withAdmin(app, 'ACCOUNTANT');

const setUp = (transfer: object | null = GERMAN) => admin.patch('/settings/global', { transfer }).expect(200);
const franken = async () => {
  const made = await createEvent(app, admin.token, { currency: 'chf' });
  await admin.patch(`/events/${made.id}/settings`, { transfer: SWISS }).expect(200);
  return made;
};
const send = (body: object = {}, key = randomUUID(), eventId = event.id) =>
  app.http
    .post('/donations/intent')
    .set('Idempotency-Key', key)
    .send({ amount: 2_500, method: 'transfer', metadata: { eventId }, ...body });
const open = async (metadata: object = {}, fields: object = {}, eventId = event.id): Promise<Intent> =>
  (await send({ ...fields, metadata: { eventId, ...metadata } }).expect(201)).body as Intent;
const own = async (token: string) =>
  (await app.http.get(`/donations/mine/${token}`).expect(200)).body as Record<string, unknown> & {
    transfer?: Intent['transfer'];
  };
const donation = async (id: string): Promise<DonationBody> => {
  const { body } = await admin.get(`/donations?eventId=${event.id}&limit=100`).expect(200);
  const found = (body as { data: DonationBody[] }).data.find((one) => one.id === id);
  if (!found) throw new Error('The donation is not listed');
  return found;
};
const today = () => new Date().toISOString().slice(0, 10);
const receive = (id: string, fields: object = {}) =>
  admin.post(`/donations/${id}/receive`, { amount: 2_500, receivedOn: today(), ...fields });
const search = async (text: string) =>
  (await admin.post('/transfers/search', { text }).expect(200)).body as Found;
const statesIn = async (text: string) => (await search(text)).found.map(({ state }) => state);
const raised = async (id = event.id) =>
  ((await app.http.get(`/events/${id}`).expect(200)).body as { totalRaised: number }).totalRaised;
const expire = async (...ids: string[]) => {
  await sql(app, 'UPDATE transfer SET expires_at = now() WHERE donation_id = ANY($1::uuid[])', [ids]);
  return await app.app.get(TransferExpiry, { strict: false }).cancelOverdue();
};

describe('a donation by bank transfer', () => {
  it('opens with the bank details and the EPC code, and counts in no total', async () => {
    await setUp();
    const before = await raised();
    const { transfer, donorToken, donationId } = await open({ donorName: 'Ada' });
    expect(transfer).toMatchObject({ format: 'epc', amount: 2_500, currency: 'EUR', ...GERMAN });
    expect(brokenEpcRules(transfer.code)).toEqual([]);
    expect(transfer.code.split('\n')).toEqual([
      ...[
        'BCD',
        '002',
        '1',
        'SCT',
        GERMAN.bic,
        GERMAN.name,
        GERMAN.iban,
        'EUR25.00',
        'CHAR',
        transfer.reference,
      ],
    ]);
    expect(await raised()).toBe(before);
    const days = (Date.parse(transfer.expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
    expect(await own(donorToken)).toMatchObject({ state: 'open', status: 'PENDING', transfer });
    expect(await donation(donationId)).toMatchObject({
      ...{ type: 'bank_transfer', status: 'PENDING', amount: 2_500, donorName: 'Ada', staffId: null },
      reference: printedReference(transfer.reference),
    });
  });

  it('opens with a QR-bill at an event in Swiss francs, with a QR reference for a QR-IBAN', async () => {
    const swiss = await franken();
    const { transfer } = await open({}, {}, swiss.id);
    expect(transfer).toMatchObject({ format: 'qr_bill', currency: 'CHF', iban: SWISS.iban });
    expect(transfer.reference).toMatch(/^\d{27}$/);
    expect(brokenQrBillRules(transfer.code)).toEqual([]);
    await admin
      .patch(`/events/${swiss.id}/settings`, { transfer: { iban: 'CH5800791123000889012' } })
      .expect(200);
    const plain = await open({}, {}, swiss.id);
    expect(plain.transfer.reference).toMatch(/^RF\d{20}$/);
    expect(brokenQrBillRules(plain.transfer.code)).toEqual([]);
  });

  it('is one donation for a double click, a repeat and ten requests at once', async () => {
    await setUp();
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send({}, key).expect(201)));
    const again = await send({}, key).expect(201);
    const ids = [...answers, again].map(({ body }) => (body as Intent).donationId);
    expect(new Set(ids).size).toBe(1);
    const references = [...answers, again].map(({ body }) => (body as Intent).transfer.reference);
    expect(new Set(references).size).toBe(1);
    await send({ amount: 2_600 }, key).expect(409);
  });

  it('has a reference of its own: a thousand donations have a thousand references', async () => {
    await setUp();
    const service = app.app.get(TransferReferences, { strict: false });
    const database = app.app.get(Database, { strict: false });
    const numbers = await Promise.all(Array.from({ length: 1_000 }, () => service.nextNumber(database)));
    expect(new Set(numbers).size).toBe(1_000);
    expect(numbers.every((number) => String(number).length === 17)).toBe(true);
    // The minute is part of the number, so a sequence that starts again after a restore repeats no reference.
    expect(Number(numbers[0]! / 1_000_000_000n)).toBeCloseTo(Date.now() / 60_000, -1);
  });

  it.each([
    ['no bank account', { iban: null }, 409, 'TRANSFER_NOT_OFFERED'],
    ['the offer switched off', { offer: false }, 409, 'TRANSFER_NOT_OFFERED'],
    [
      'an account outside the European Economic Area without a BIC',
      { iban: 'CH5800791123000889012', bic: null },
      409,
      'TRANSFER_NOT_OFFERED',
    ],
    ['a QR-IBAN without an address', { iban: SWISS.iban }, 409, 'TRANSFER_NOT_OFFERED'],
  ])('is refused with %s', async (_case, transfer, status, code) => {
    await setUp(null);
    await setUp({ ...GERMAN, ...transfer });
    const answer = await send().expect(status);
    expect(errorBody(answer).code).toBe(code);
  });

  it('is refused in another currency than the one of the event, and in currencies without a code', async () => {
    await setUp();
    expect(errorBody(await send({ currency: 'usd' }).expect(400)).code).toBe('CURRENCY_NOT_SUPPORTED');
    const dollars = await createEvent(app, admin.token, { currency: 'usd' });
    expect(errorBody(await send({}, randomUUID(), dollars.id).expect(400)).code).toBe(
      'CURRENCY_NOT_SUPPORTED',
    );
    const francs = await createEvent(app, admin.token, { currency: 'chf' });
    expect(errorBody(await send({}, randomUUID(), francs.id).expect(400)).code).toBe(
      'CURRENCY_NOT_SUPPORTED',
    );
  });

  it('is refused with a covered fee, above the largest amount of a code, and below the smallest donation', async () => {
    await setUp();
    const fee = await send({ metadata: { eventId: event.id, coveredFee: 70 } }).expect(400);
    expect(errorBody(fee).code).toBe('COVERED_FEE_WRONG');
    expect(errorBody(await send({ amount: 100_000_000_000 }).expect(400)).code).toBe('AMOUNT_NOT_PAYABLE');
    expect(errorBody(await send({ amount: 99 }).expect(400)).code).toBe('AMOUNT_TOO_SMALL');
  });

  it('is refused at an event that takes no donations', async () => {
    await setUp();
    const closed = await createEvent(app, admin.token);
    await sql(app, "UPDATE event SET status = 'closed' WHERE id = $1", [closed.id]);
    const answer = await send({}, randomUUID(), closed.id).expect(409);
    expect(errorBody(answer).code).toBe('EVENT_TAKES_NO_DONATIONS');
  });

  it('shows the account of the present settings, also after a change', async () => {
    await setUp();
    const { donorToken, transfer } = await open();
    await setUp({ iban: 'AT611904300234573201', bic: null });
    const now = (await own(donorToken)).transfer;
    expect(now).toMatchObject({ iban: 'AT611904300234573201', reference: transfer.reference });
    expect(now?.code).toContain('AT611904300234573201');
    await setUp({ iban: null });
    expect((await own(donorToken)).transfer).toBeUndefined();
  });
});

describe('the e-mail with the bank details', () => {
  it('has the same characters as the page, and the code as a picture', async () => {
    await setUp();
    const to = `ada-${newId()}@example.org`;
    const { transfer, donorToken } = await open({ donorEmail: to, donorName: 'Ada', locale: 'de' });
    await until(() => mail.to(to).length === 1, 'the e-mail');
    const [email] = mail.to(to);
    const text = email?.text ?? '';
    for (const line of [
      'DE89 3704 0044 0532 0130 00',
      GERMAN.bic,
      GERMAN.name,
      printedReference(transfer.reference),
    ])
      expect(text).toContain(line);
    expect(findReferences(text)).toMatchObject([{ kind: 'own', text: transfer.reference }]);
    expect(text).toContain(`thanks?donation=${donorToken}`);
    expect(email?.attachments.map(({ mimeType, contentId }) => [mimeType, contentId])).toEqual([
      ['image/png', '<code>'],
    ]);
    expect(email?.html).toContain('src="cid:code"');
  });

  it('brings the QR-bill as a PDF for Swiss francs', async () => {
    const swiss = await franken();
    const to = `urs-${newId()}@example.org`;
    await open({ donorEmail: to, locale: 'fr' }, {}, swiss.id);
    await until(() => mail.to(to).length === 1, 'the e-mail');
    expect(mail.to(to)[0]?.attachments.map(({ mimeType }) => mimeType)).toEqual([
      'image/png',
      'application/pdf',
    ]);
  });

  it('is sent once for repeated requests, and the receipt follows when the money has arrived', async () => {
    await setUp();
    const to = `eve-${newId()}@example.org`;
    const key = randomUUID();
    const body = { metadata: { eventId: event.id, donorEmail: to } };
    const { donationId } = (await send(body, key).expect(201)).body as Intent;
    await send(body, key).expect(201);
    await until(() => mail.to(to).length === 1, 'the bank details');
    await receive(donationId).expect(200);
    await until(() => mail.to(to).length === 2, 'the receipt');
    expect(mail.to(to)[1]?.attachments.map(({ mimeType }) => mimeType)).toEqual(['application/pdf']);
  });
});

describe('the QR-bill of a donor', () => {
  it('is a PDF for an unpaid donation in Swiss francs, and 404 for other donations', async () => {
    const swiss = await franken();
    const { donorToken, donationId } = await open({ locale: 'de' }, {}, swiss.id);
    const pdf = await app.http.get(`/donations/mine/${donorToken}/qr-bill`).expect(200);
    expect(pdf.headers['content-type']).toBe('application/pdf');
    expect((pdf.body as Buffer).subarray(0, 5).toString()).toBe('%PDF-');
    await receive(donationId).expect(200);
    const gone = await app.http.get(`/donations/mine/${donorToken}/qr-bill`).expect(404);
    expect(errorBody(gone).code).toBe('PAYMENT_PART_NOT_FOUND');
    await setUp();
    const euros = await open();
    await app.http.get(`/donations/mine/${euros.donorToken}/qr-bill`).expect(404);
    await app.http.get('/donations/mine/unknown/qr-bill').expect(404);
  });
});

describe('a transfer that was received', () => {
  it('completes the donation on its day, with audit, history and receipt', async () => {
    await setUp();
    const before = await raised();
    const { donationId, donorToken } = await open({ donorName: 'Ada' });
    await sql(app, "UPDATE donation SET created_at = created_at - interval '3 days' WHERE id = $1", [
      donationId,
    ]);
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const { body } = await receive(donationId, { receivedOn: day }).expect(200);
    expect(body).toMatchObject({ status: 'COMPLETED', type: 'bank_transfer', amount: 2_500 });
    expect(await raised()).toBe(before + 2_500);
    expect(await own(donorToken)).toMatchObject({ state: 'paid' });
    expect((await own(donorToken)).transfer).toBeUndefined();
    const { body: history } = await admin.get(`/donations/${donationId}/history`).expect(200);
    expect((history as { cause: unknown }[]).at(-1)?.cause).toMatchObject({
      kind: 'transfer_received',
      amount: 2_500,
    });
    const { body: audit } = await admin
      .get(`/audit?action=transfer.receive&subjectId=${donationId}`)
      .expect(200);
    expect((audit as { data: { detail: unknown }[] }).data[0]?.detail).toEqual({
      amount: 2_500,
      currency: 'eur',
      receivedOn: day,
    });
    const csv = await admin.get(`/donations/export?eventId=${event.id}&search=Ada`).expect(200);
    const line = csv.text.split('\r\n').find((one) => one.includes(donationId)) ?? '';
    expect(line).toContain('bank_transfer,COMPLETED');
    const receipt = await admin.get(`/export/receipts/${donationId}`).expect(200);
    expect(receipt.headers['content-type']).toBe('application/pdf');
  });

  it('is booked once if two admins mark it at once, and the second one learns it', async () => {
    await setUp();
    const before = await raised();
    const { donationId } = await open();
    const answers = await Promise.all(Array.from({ length: 6 }, () => receive(donationId)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const codes = new Set(answers.filter(({ status }) => status !== 200).map((one) => errorBody(one).code));
    expect([...codes]).toEqual(['TRANSFER_RECEIVED']);
    expect(await raised()).toBe(before + 2_500);
  });

  it('takes another amount only if the admin says that it differs', async () => {
    await setUp();
    const { donationId } = await open();
    const refused = await receive(donationId, { amount: 2_000 }).expect(409);
    expect(errorBody(refused).code).toBe('TRANSFER_AMOUNT_DIFFERS');
    const { body } = await receive(donationId, { amount: 2_000, amountDiffers: true }).expect(200);
    expect(body).toMatchObject({ status: 'COMPLETED', amount: 2_000 });
    const { body: audit } = await admin
      .get(`/audit?action=transfer.receive&subjectId=${donationId}`)
      .expect(200);
    expect((audit as { data: { detail: unknown }[] }).data[0]?.detail).toMatchObject({
      amount: 2_000,
      announced: 2_500,
    });
  });

  it('is still booked after its time', async () => {
    await setUp();
    const before = await raised();
    const { donationId, donorToken, transfer } = await open();
    expect(await expire(donationId)).toBe(1);
    expect(await own(donorToken)).toMatchObject({
      state: 'cancelled',
      transfer: { reference: transfer.reference },
    });
    expect(await statesIn(transfer.reference)).toEqual(['cancelled']);
    await receive(donationId).expect(200);
    expect(await raised()).toBe(before + 2_500);
    expect(await own(donorToken)).toMatchObject({ state: 'paid' });
  });

  it('is refused for days in the future and before the donation, and for other donations', async () => {
    await setUp();
    const { donationId } = await open();
    const future = await receive(donationId, { receivedOn: '2999-01-01' }).expect(400);
    expect(errorBody(future)).toMatchObject({ code: 'VALIDATION_FAILED' });
    const early = await receive(donationId, { receivedOn: '2020-01-01' }).expect(409);
    expect(errorBody(early).code).toBe('TRANSFER_TOO_EARLY');
    await receive(donationId, { receivedOn: '2026-02-31' }).expect(400);
    const cash = (
      await admin.post('/donations', { type: 'cash', amount: 100, eventId: event.id }).expect(201)
    ).body as DonationBody;
    expect(errorBody(await receive(cash.id).expect(409)).code).toBe('TRANSFER_NOT_OPEN');
    await receive(newId()).expect(404);
  });

  it('can be removed from the books, and then is not booked a second time', async () => {
    await setUp();
    const before = await raised();
    const { donationId, transfer } = await open();
    await receive(donationId).expect(200);
    expect(errorBody(await admin.post(`/donations/${donationId}/undo`).expect(409)).code).toBe(
      'UNDO_SETTLED',
    );
    await admin
      .post(`/donations/${donationId}/cancel`, { shouldRefund: false, reason: 'wrong line' })
      .expect(200);
    expect(await raised()).toBe(before);
    expect(await statesIn(transfer.reference)).toEqual(['closed']);
    expect(errorBody(await receive(donationId).expect(409)).code).toBe('TRANSFER_NOT_OPEN');
  });

  it('opens a review item if the donor also paid by card in the same checkout', async () => {
    await setUp();
    const checkoutId = randomUUID();
    const { donationId } = await open({ checkoutId });
    const card = await app.http
      .post('/donations/intent')
      .send({ amount: 2_500, metadata: { eventId: event.id, checkoutId } })
      .expect(201);
    app.sandbox.stripe.pay((card.body as { clientSecret: string }).clientSecret);
    await app.sandbox.settled();
    await receive(donationId).expect(200);
    const items = await sql<{ kind: string }>(app, 'SELECT kind FROM review_item WHERE donation_id = $1', [
      donationId,
    ]);
    expect(items).toEqual([{ kind: 'paid_twice' }]);
  });

  it('may be marked only by administrators', async () => {
    await setUp();
    const { donationId } = await open();
    await accountant
      .post(`/donations/${donationId}/receive`, { amount: 2_500, receivedOn: today() })
      .expect(403);
    await accountant.post('/transfers/search', { text: 'x' }).expect(403);
    await app.http.post('/transfers/search').send({ text: 'x' }).expect(401);
  });
});

describe('pasted references', () => {
  it('are named as open, received, cancelled, unknown, foreign or mistyped, with their donations', async () => {
    await setUp();
    const [waiting, paid, late] = await Promise.all([open({ donorName: 'Ada' }), open(), open()]);
    await receive(paid.donationId).expect(200);
    await expire(late.donationId);
    const wrong = waiting.transfer.reference.replace(/.$/, (last) => String((Number(last) + 1) % 10));
    const text = [
      `28.11.2026 ${printedReference(waiting.transfer.reference)} EUR 25.00`,
      printedReference(paid.transfer.reference).replaceAll(' ', '-'),
      late.transfer.reference.toLowerCase(),
      rfReference(11_111_111_111_111_111n),
      'RF18 5390 0754 7034',
      wrong,
      'DE89 3704 0044 0532 0130 00',
    ].join('\n');
    const { found, leftOut } = await search(text);
    expect(found.map(({ state }) => state)).toEqual([
      ...['open', 'received', 'cancelled', 'unknown', 'foreign', 'mistyped'],
    ]);
    expect(found[0]).toMatchObject({
      reference: printedReference(waiting.transfer.reference),
      donation: { id: waiting.donationId, donorName: 'Ada', amount: 2_500 },
      eventName: expect.any(String),
    });
    expect(found[3]?.donation).toBeNull();
    expect(leftOut).toBe(0);
  });

  it('match in the other form too, after a change of the account', async () => {
    await setUp();
    const { transfer } = await open();
    const [own] = findReferences(transfer.reference);
    const number = own?.kind === 'own' ? own.number : 0n;
    expect(await statesIn(printedReference(qrReference(number)))).toEqual(['open']);
  });

  it('mark 500 transfers in one go, each once, also with two admins at once', async () => {
    await setUp();
    const before = await raised();
    const opened: Intent[] = [];
    for (let batch = 0; batch < 20; batch++)
      opened.push(...(await Promise.all(Array.from({ length: 25 }, () => open()))));
    const lines = opened.map(({ transfer }, index) => `${index} ${printedReference(transfer.reference)}`);
    const { found } = await search(lines.join('\n'));
    expect(found).toHaveLength(500);
    expect(new Set(found.map(({ state }) => state))).toEqual(new Set(['open']));
    const donationIds = found.map(({ donation: one }) => one?.id);
    const started = performance.now();
    const both = await Promise.all(
      [1, 2].map(() => admin.post('/transfers/receive', { donationIds, receivedOn: today() }).expect(200)),
    );
    expect(performance.now() - started).toBeLessThan(60_000);
    const counts = both.map(({ body }) => (body as { received: number }).received);
    expect(counts[0]! + counts[1]!).toBe(500);
    const skipped = both.flatMap(({ body }) => (body as { skipped: { code: string }[] }).skipped);
    expect(new Set(skipped.map(({ code }) => code))).toEqual(new Set(['TRANSFER_RECEIVED']));
    expect(skipped).toHaveLength(500);
    expect(await raised()).toBe(before + 500 * 2_500);
  });

  it('are refused if the text is too long or empty', async () => {
    await admin.post('/transfers/search', { text: '' }).expect(400);
    await admin.post('/transfers/search', { text: 'x'.repeat(20_001) }).expect(400);
    expect(await statesIn('no reference here')).toEqual([]);
  });
});

describe('an unpaid transfer', () => {
  it('is cancelled at the end of its time, once, and not before', async () => {
    await setUp({ ...GERMAN, days: 7 });
    const { donationId, transfer } = await open();
    expect(Math.round((Date.parse(transfer.expiresAt ?? '') - Date.now()) / 86_400_000)).toBe(7);
    const expiry = app.app.get(TransferExpiry, { strict: false });
    await expiry.cancelOverdue();
    expect(await donation(donationId)).toMatchObject({ status: 'PENDING' });
    await sql(app, 'UPDATE transfer SET expires_at = now() WHERE donation_id = $1', [donationId]);
    const counts = await Promise.all([expiry.cancelOverdue(), expiry.cancelOverdue()]);
    expect(counts.sort()).toEqual([0, 1]);
    expect(await donation(donationId)).toMatchObject({ status: 'CANCELLED' });
    const { body } = await admin.get(`/donations/${donationId}/history`).expect(200);
    expect((body as { cause: unknown }[]).at(-1)?.cause).toEqual({ kind: 'transfer_expired' });
  });

  it('can be cancelled by the donor and by an admin', async () => {
    await setUp({ days: null });
    const [one, other] = await Promise.all([open(), open()]);
    await app.http.post(`/donations/mine/${one.donorToken}/cancel`).expect(200);
    expect(await own(one.donorToken)).toMatchObject({ state: 'cancelled' });
    await admin.post(`/donations/${other.donationId}/cancel`, { shouldRefund: false }).expect(200);
    expect(await donation(other.donationId)).toMatchObject({ status: 'CANCELLED' });
  });

  it('loses its donor after privacy.retainUnpaidDays, and is still matched', async () => {
    await setUp();
    await admin.patch('/settings/global', { privacy: { retainUnpaidDays: 10 } }).expect(200);
    const { donationId, transfer } = await open({
      donorName: 'Nomen Nescio',
      donorEmail: 'nomen@example.org',
    });
    await sql(app, "UPDATE donation SET created_at = now() - interval '11 days' WHERE id = $1", [donationId]);
    expect(await app.app.get(UnpaidDonors, { strict: false }).erase()).toBeGreaterThan(0);
    await admin.patch('/settings/global', { privacy: { retainUnpaidDays: null } }).expect(200);
    expect(await donation(donationId)).toMatchObject({ donorName: null, donorEmail: null });
    expect(await statesIn(transfer.reference)).toEqual(['open']);
    await receive(donationId).expect(200);
    expect(await donation(donationId)).toMatchObject({ status: 'COMPLETED', donorName: null });
  });

  it('of an erased donor gets no e-mail and is still matched', async () => {
    await setUp();
    const email = `gone-${newId()}@example.org`;
    const { donationId, transfer } = await open({ donorName: 'Gone', donorEmail: email });
    await until(() => mail.to(email).length === 1, 'the e-mail');
    const { body } = await admin.get(`/donors?search=${encodeURIComponent(email)}`).expect(200);
    const [donor] = (body as { data: { key: string }[] }).data;
    await admin.delete(`/donors/${donor?.key ?? ''}`).expect((one) => expect(one.status).toBeLessThan(300));
    expect(await donation(donationId)).toMatchObject({ donorName: null });
    await receive(donationId).expect(200);
    expect(await statesIn(transfer.reference)).toEqual(['received']);
  });
});

describe('the EPC code', () => {
  it('can be hidden, and the bank details stay on the page and in the e-mail', async () => {
    await setUp({ ...GERMAN, epcCode: false });
    const to = `ada-${newId()}@example.org`;
    const { transfer, donorToken } = await open({ donorEmail: to });
    expect(transfer).toMatchObject({ ...GERMAN, code: '' });
    const { text } = await app.http.get(`/donate/${event.slug}/thanks?donation=${donorToken}`).expect(200);
    expect(text).toContain(transfer.reference);
    expect(text).not.toContain('class="transfer__code"');
    await until(() => mail.to(to).length === 1, 'the e-mail');
    expect(mail.to(to)[0]?.text).toContain('DE89');
    expect(mail.to(to)[0]?.attachments).toHaveLength(0);
    await setUp({ ...GERMAN, epcCode: true });
  });

  it('of a QR-bill stays', async () => {
    const made = await franken();
    await admin.patch(`/events/${made.id}/settings`, { transfer: { ...SWISS, epcCode: false } }).expect(200);
    const { transfer } = await open({}, {}, made.id);
    expect(transfer.code).toMatch(/^SPC/);
  });
});

describe('a pledge paid by bank transfer', () => {
  const pledge = async (fields: object = {}) =>
    (
      await admin
        .post('/donations', {
          type: 'pledge',
          amount: 50_000,
          eventId: event.id,
          donorName: 'Ada',
          ...fields,
        })
        .expect(201)
    ).body as DonationBody;
  const detailsOf = async (id: string) => {
    const row = await donationById(app.app.get(Database, { strict: false }), id);
    if (!row) throw new Error('no pledge');
    return await app.app.get(TransferReferences, { strict: false }).forPledge(row);
  };

  it('has one reference, however often and at the same time its details are read', async () => {
    await setUp();
    const { id } = await pledge();
    const all = await Promise.all(Array.from({ length: 8 }, () => detailsOf(id)));
    expect(new Set(all.map((one) => one?.reference)).size).toBe(1);
    expect(brokenEpcRules(all[0]?.payload ?? '')).toEqual([]);
    expect(all[0]?.expiresAt).toBeNull();
  });

  it('is fulfilled as a bank transfer by its reference', async () => {
    await setUp();
    const { id } = await pledge();
    const { reference = '' } = (await detailsOf(id)) ?? {};
    expect(await statesIn(reference)).toEqual(['open']);
    const refused = await receive(id, { amount: 40_000 }).expect(409);
    expect(errorBody(refused).code).toBe('TRANSFER_AMOUNT_DIFFERS');
    const { body } = await receive(id, { amount: 50_000 }).expect(200);
    expect(body).toMatchObject({ status: 'COMPLETED', type: 'bank_transfer', amount: 50_000 });
    expect(await detailsOf(id)).toBeUndefined();
  });

  it('paid with another amount gets this amount, keeps the pledged one, and counts in the share as it was pledged', async () => {
    await setUp();
    const gala = await createEvent(app, admin.token);
    const { id } = await pledge({ eventId: gala.id });
    await detailsOf(id);
    const all = [1, 2, 3].map(() => receive(id, { amount: 40_000, amountDiffers: true }));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409, 409]);
    const { body: list } = await admin.get(`/donations?eventId=${gala.id}`).expect(200);
    expect(list).toMatchObject({
      data: [{ id, amount: 40_000, pledgedAmount: 50_000, type: 'bank_transfer', status: 'COMPLETED' }],
    });
    expect(await raised(gala.id)).toBe(40_000);
    const { body: share } = await admin.get(`/pledges/received?eventId=${gala.id}`).expect(200);
    expect(JSON.stringify(share)).toMatch(/"sum":50000.*"sum":40000/s);
    const { body: history } = await admin.get(`/donations/${id}/history`).expect(200);
    expect((history as { cause?: object }[]).at(-1)).toMatchObject({
      cause: { kind: 'pledge_transfer_received', amount: 40_000, pledged: 50_000, currency: 'eur' },
      reason: 'bank transfer of 40000 received for the pledge of 50000',
    });
    const { body: audit } = await admin.get('/audit?action=transfer.receive').expect(200);
    expect((audit as { data: object[] }).data[0]).toMatchObject({
      subjectId: id,
      detail: { amount: 40_000, announced: 50_000 },
    });
  });

  it('paid with more than pledged counts only the pledged amount in the share', async () => {
    await setUp();
    const gala = await createEvent(app, admin.token);
    const { id } = await pledge({ eventId: gala.id });
    await detailsOf(id);
    await receive(id, { amount: 90_000, amountDiffers: true }).expect(200);
    const { body: share } = await admin.get(`/pledges/received?eventId=${gala.id}`).expect(200);
    expect(JSON.stringify(share)).not.toContain('90000');
  });

  it('stays open if its transfer is booked as a donation of its own, once for each key', async () => {
    await setUp();
    const gala = await createEvent(app, admin.token);
    const { id } = await pledge({ eventId: gala.id, donorEmail: 'ada@example.org' });
    await detailsOf(id);
    const apart = { amount: 12_000, asOwnDonation: true };
    expect(errorBody(await receive(id, apart).expect(400)).code).toBe('IDEMPOTENCY_KEY_REQUIRED');
    const key = newId();
    const answers = await Promise.all([1, 2, 3].map(() => receive(id, apart).set('Idempotency-Key', key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [own] = answers.map(({ body }) => body as DonationBody);
    expect(own).toMatchObject({
      amount: 12_000,
      type: 'bank_transfer',
      donorName: 'Ada',
      status: 'COMPLETED',
    });
    const { body: list } = await admin.get(`/donations?eventId=${gala.id}`).expect(200);
    expect(list).toMatchObject({
      total: 2,
      data: [{ id: own?.id }, { id, status: 'PENDING', type: 'pledge', amount: 50_000 }],
    });
    expect(mail.to('ada@example.org').map(({ subject }) => subject)).not.toContain(/receipt/);
    const { body: history } = await admin.get(`/donations/${id}/history`).expect(200);
    expect((history as { cause?: object }[]).at(-1)).toMatchObject({
      cause: { kind: 'transfer_booked_apart', amount: 12_000, donationId: own?.id },
    });
    await receive(id, { amount: 50_000 }).expect(200);
    const again = receive(id, apart).set('Idempotency-Key', newId());
    expect(errorBody(await again.expect(409)).code).toBe('TRANSFER_RECEIVED');
    const transfer = await open({ donorName: 'Grace' });
    const wrong = receive(transfer.donationId, apart).set('Idempotency-Key', newId());
    expect(errorBody(await wrong.expect(409)).code).toBe('PLEDGE_NOT_OPEN');
  });

  it('without a reference can be marked as received too, because donors forget it', async () => {
    await setUp(null);
    const { id } = await pledge();
    const { body } = await receive(id, { amount: 50_000 }).expect(200);
    expect(body).toMatchObject({ status: 'COMPLETED', type: 'bank_transfer' });
    await setUp();
  });

  it('does not include transfers of the donate page in its share', async () => {
    await setUp();
    const gala = await createEvent(app, admin.token);
    const { donationId } = await open({}, {}, gala.id);
    await receive(donationId).expect(200);
    const { body: share } = await admin.get(`/pledges/received?eventId=${gala.id}`).expect(200);
    expect(JSON.stringify(share)).not.toContain('2500');
  });

  it('opens no second donation when the donor follows the payment link', async () => {
    await setUp();
    const { id } = await pledge();
    const { body: link } = await admin.post(`/donations/${id}/payment-link`).expect(201);
    const pledgeToken = new URL((link as { url: string }).url).searchParams.get('pledge');
    const opened = await open({ pledgeToken }, { amount: 50_000 });
    expect(opened).toMatchObject({ donationId: id, transfer: { amount: 50_000, expiresAt: null } });
    expect((await open({ pledgeToken }, { amount: 50_000 })).transfer).toEqual(opened.transfer);
    expect(await own(opened.donorToken)).toMatchObject({ state: 'open', transfer: opened.transfer });
  });

  it('has its bank details in the reminder, with the reference that pays it', async () => {
    await setUp();
    const to = `ada-${newId()}@example.org`;
    // At night, reminders wait.
    await admin.patch('/settings/global', { timezone: zoneAt(12) }).expect(200);
    const { id } = await pledge({ donorEmail: to });
    await admin.post('/pledges/reminders', { donationIds: [id] }).expect(202);
    await until(() => mail.to(to).length === 1, 'the reminder');
    await admin.patch('/settings/global', { timezone: null }).expect(200);
    const text = mail.to(to)[0]?.text ?? '';
    expect(text).toContain('DE89 3704 0044 0532 0130 00');
    expect(text).toContain(`Or by bank transfer to: ${GERMAN.name}`);
    const { found } = await search(text);
    expect(found).toMatchObject([{ state: 'open', donation: { id } }]);
  });

  it('does not expire', async () => {
    await setUp();
    const { id } = await pledge();
    await detailsOf(id);
    await expire(newId());
    expect(await donation(id)).toMatchObject({ status: 'PENDING' });
  });
});

describe('the budget of payments', () => {
  const limited = withService(() =>
    startPaymentsApp(
      {},
      {
        limits: {
          perMinute: 1e6,
          authPerMinute: 1e6,
          trustedFactor: 1,
          intentsPerAddress: 3,
          intentsPerEvent: 1e6,
          intentsPerEmail: 1e6,
        },
      },
    ),
  );
  const boss = withAdmin(limited);

  it('counts transfers like other payments', async () => {
    await boss.patch('/settings/global', { transfer: GERMAN }).expect(200);
    const made = await createEvent(limited, boss.token);
    const post = () =>
      limited.http
        .post('/donations/intent')
        .send({ amount: 2_500, method: 'transfer', metadata: { eventId: made.id } });
    for (let count = 0; count < 3; count++) await post().expect(201);
    expect(errorBody(await post().expect(429)).code).toBe('TOO_MANY_INTENTS');
  });
});
