import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import { newId } from '../../src/common/crypto/ids.js';
import { UnpaidDonors } from '../../src/donations/donors/unpaid-donors.js';
import { LegalHold } from '../../src/gift-aid/legal-hold.service.js';
import { csvObjects } from '../export/parse-csv.js';
import { onFile, pdfText } from '../export/tools.js';
import { errorBody, type DonationBody } from '../support/bearer.js';
import { createEvent, createStaff, type EventFixture, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withEvent } from '../support/setup.js';
import { describeWithTool, itWithTool } from '../support/tools.js';

interface TextBody {
  readonly version: string;
  readonly scope: string;
  readonly text: string;
  readonly digest: string;
}
interface DeclarationBody {
  readonly id: string;
  readonly text: string;
  readonly [field: string]: unknown;
}

const { app, admin, event } = withEvent({ start: startPaymentsApp, fields: { name: 'Gala' } });
const accountant = withAdmin(app, 'ACCOUNTANT');
let wide: EventFixture;
let british: EventFixture;

const ADDRESS = {
  line1: '10 Main Street',
  line2: 'Flat 2',
  postcode: 'sw1a1aa',
  city: 'London',
  country: 'gb',
};
const STORED = { ...ADDRESS, postcode: 'SW1A 1AA', country: 'GB' };
const NAMES = { firstName: 'Ada', lastName: 'Lovelace' };
const someone = () => `ada-${newId()}@example.org`;

beforeAll(async () => {
  await admin
    .patch('/settings/global', {
      organization: 'Whale Rescue',
      timezone: 'Europe/London',
      legal: { legalName: 'Whale Rescue Trust' },
      donation: { fields: { address: 'optional', giftAid: true } },
    })
    .expect(200);
  wide = await createEvent(app, admin.token, { name: 'Run' });
  await admin
    .patch(`/events/${wide.id}/settings`, { donation: { giftAidScope: 'past_and_future' } })
    .expect(200);
  british = await createEvent(app, admin.token, { name: 'Auction', currency: 'gbp' });
});

const textOf = async (at = event): Promise<TextBody> =>
  (await app.http.get(`/gift-aid/text?eventId=${at.slug}`).expect(200)).body as TextBody;

const intent = (metadata: object, { at = event, key = newId() } = {}) =>
  app.http
    .post('/donations/intent')
    .set('Idempotency-Key', key)
    .send({ amount: 2500, currency: 'eur', metadata: { eventId: at.id, ...metadata } });

async function declared(metadata: object = {}, { at = event, isPaid = true } = {}): Promise<string> {
  const { digest } = await textOf(at);
  const sent = { giftAid: true, giftAidDeclaration: { ...NAMES, textDigest: digest }, address: ADDRESS };
  const { body } = await intent({ ...sent, ...metadata }, { at }).expect(201);
  const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
  if (isPaid) {
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
  }
  return donationId;
}

const cash = async (fields: object): Promise<string> =>
  (
    (await admin.post('/donations', { amount: 1000, type: 'cash', eventId: event.id, ...fields }).expect(201))
      .body as DonationBody
  ).id;

const declarationOf = async (donationId: string) =>
  (await admin.get(`/gift-aid/donations/${donationId}`).expect(200)).body as {
    declaration: DeclarationBody | null;
    covers: boolean;
  };
const rows = (donationId: string) =>
  sql<Record<string, unknown>>(app, 'SELECT * FROM gift_aid_declaration WHERE donation_id = $1', [
    donationId,
  ]);
const keyOf = async (donationId: string): Promise<string> =>
  (
    await sql<{ key: string }>(
      app,
      `SELECT coalesce(encode(donor_key, 'hex'), id::text) AS key FROM donation WHERE id = $1`,
      [donationId],
    )
  )[0]?.key ?? '';
const exported = async (query = '') =>
  (await accountant.get(`/gift-aid/export${query}`).expect(200)).text.replace('\uFEFF', '');

describe('the text of a declaration', () => {
  it('an event shows the model text of its scope with the legal name of the charity, and its digest', async () => {
    const single = await textOf();
    expect(single).toMatchObject({ version: 'hmrc-2016-single', scope: 'this' });
    expect(single.text).toMatch(/^I want to Gift Aid this donation to Whale Rescue Trust\.\n/);
    expect(single.text).toContain('it is my responsibility to pay any difference');
    expect(single.digest).toBe(createHash('sha256').update(single.text).digest('hex'));
    expect((await textOf(wide)).text).toContain(
      'this donation and any donations I make in the future or have made in the past 4 years to Whale Rescue Trust',
    );
    await admin
      .patch(`/events/${wide.id}/settings`, { donation: { fields: { giftAid: false } } })
      .expect(200);
    const off = await app.http.get(`/gift-aid/text?eventId=${wide.id}`).expect(409);
    expect(off.body).toEqual(errorBody(409, 'Conflict', 'GIFT_AID_OFF'));
    await admin.patch(`/events/${wide.id}/settings`, { donation: { fields: { giftAid: true } } }).expect(200);
    await app.http.get(`/gift-aid/text?eventId=${newId()}`).expect(404);
  });

  it('a declaration prints the text that the donor read, also after the charity changed its name', async () => {
    const { text, digest } = await textOf();
    const id = await declared({ locale: 'de' });
    await admin.patch('/settings/global', { legal: { legalName: 'Whale Trust' } }).expect(200);
    expect((await declarationOf(id)).declaration).toMatchObject({
      ...NAMES,
      address: STORED,
      text,
      textVersion: 'hmrc-2016-single',
      scope: 'this',
      channel: 'online',
      language: 'de',
      cancelledAt: null,
    });
    const stale = await intent({
      giftAid: true,
      giftAidDeclaration: { ...NAMES, textDigest: digest },
      address: ADDRESS,
    }).expect(409);
    expect(stale.body).toEqual(errorBody(409, 'Conflict', 'GIFT_AID_TEXT_CHANGED'));
    await admin.patch('/settings/global', { legal: { legalName: 'Whale Rescue Trust' } }).expect(200);
  });
});

describe('a donation with a declaration', () => {
  it('is named after its declaration and stays anonymous in public if the donor typed no other name', async () => {
    const id = await declared();
    const { body } = await admin.get('/donations').expect(200);
    const donation = (body as { data: DonationBody[] }).data.find((one) => one.id === id);
    expect(donation).toMatchObject({
      donorName: 'Ada Lovelace',
      isAnonymous: true,
      giftAid: true,
      donorAddress: '10 Main Street\nFlat 2\nLondon\nSW1A 1AA\nUnited Kingdom',
      address: STORED,
    });
  });

  it('two equal requests at the same time store one donation with one declaration', async () => {
    const { digest } = await textOf();
    const sent = {
      giftAid: true,
      giftAidDeclaration: { ...NAMES, lastName: 'Twice', textDigest: digest },
      address: ADDRESS,
    };
    const key = newId();
    const answers = await Promise.all([1, 2, 3, 4].map(() => intent(sent, { key })));
    const ids = new Set(answers.map(({ body }) => (body as { donationId?: string }).donationId));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(ids.size).toBe(1);
    expect(
      await sql(app, "SELECT count(*)::int AS count FROM gift_aid_declaration WHERE last_name = 'Twice'"),
    ).toEqual([{ count: 1 }]);
  });

  it('a donation with only the flag works as before and has no declaration', async () => {
    const { body } = await intent({ donorName: 'Ada', donorAddress: 'Main Street 1', giftAid: true }).expect(
      201,
    );
    const { donationId } = body as { donationId: string };
    expect(await declarationOf(donationId)).toEqual({ declaration: null, covers: false });
    await admin.get(`/gift-aid/donations/${newId()}`).expect(404);
  });

  it('refuses an incomplete declaration and names the field', async () => {
    const { digest } = await textOf();
    const made = { ...NAMES, textDigest: digest };
    const refused = async (metadata: object, code: string, field?: string) => {
      const { body } = await intent(metadata).expect(400);
      expect(body).toMatchObject({ code });
      if (field) expect((body as { fields: { field: string }[] }).fields).toMatchObject([{ field }]);
    };
    const whole = { giftAid: true, giftAidDeclaration: made, address: ADDRESS };
    await refused({ ...whole, address: undefined }, 'GIFT_AID_INCOMPLETE');
    await refused({ ...whole, giftAid: false }, 'GIFT_AID_INCOMPLETE');
    await refused({ ...whole, donorAddress: 'Main Street 1' }, 'VALIDATION_FAILED', 'metadata.address');
    const wrong = async (address: object, field: string) =>
      refused(
        { ...whole, address: { ...ADDRESS, ...address } },
        'VALIDATION_FAILED',
        `metadata.address.${field}`,
      );
    await wrong({ postcode: '12345' }, 'postcode');
    await wrong({ postcode: null }, 'postcode');
    await wrong({ country: 'UK' }, 'country');
    await wrong({ line1: ' ' }, 'line1');
    await wrong({ city: 'x'.repeat(101) }, 'city');
    await wrong({ street: 'x' }, 'street');
    const named = async (names: object, field: string) =>
      refused(
        { ...whole, giftAidDeclaration: { ...made, ...names } },
        'VALIDATION_FAILED',
        `metadata.giftAidDeclaration.${field}`,
      );
    await named({ lastName: '' }, 'lastName');
    await named({ firstName: 'x'.repeat(36) }, 'firstName');
    await named({ textDigest: 'x' }, 'textDigest');
  });

  it('a structured address without a declaration is stored and printed in the order of its country', async () => {
    const { body } = await intent({
      donorName: 'Ada',
      locale: 'de',
      address: { line1: 'Hauptstraße 1', postcode: '10115', city: 'Berlin', country: 'DE' },
    }).expect(201);
    const { donationId } = body as { donationId: string };
    expect(await sql(app, 'SELECT donor_address, address FROM donation WHERE id = $1', [donationId])).toEqual(
      [
        {
          donor_address: 'Hauptstraße 1\n10115 Berlin\nDeutschland',
          address: { line1: 'Hauptstraße 1', line2: null, postcode: '10115', city: 'Berlin', country: 'DE' },
        },
      ],
    );
  });
});

describe('a declaration on paper', () => {
  it('an admin enters it once for a donation, which then counts as Gift Aid', async () => {
    const id = await cash({ donorName: 'Ada Lovelace' });
    const sent = { ...NAMES, address: ADDRESS, declaredAt: '2026-01-02T10:00:00Z' };
    await accountant.post(`/gift-aid/donations/${id}`, sent).expect(403);
    const late = await admin
      .post(`/gift-aid/donations/${id}`, { ...sent, declaredAt: '2999-01-01T00:00:00Z' })
      .expect(400);
    expect(late.body).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ field: 'declaredAt' }] });
    const answers = await Promise.all([1, 2, 3].map(() => admin.post(`/gift-aid/donations/${id}`, sent)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(
      errorBody(409, 'Conflict', 'GIFT_AID_DECLARED'),
    );
    expect(await declarationOf(id)).toMatchObject({
      covers: true,
      declaration: { ...NAMES, channel: 'written', declaredAt: '2026-01-02T10:00:00.000Z' },
    });
    expect(await sql(app, 'SELECT gift_aid FROM donation WHERE id = $1', [id])).toEqual([{ gift_aid: true }]);
    const { body } = await admin.get('/audit?action=gift_aid.declare').expect(200);
    expect((body as { data: object[] }).data).toMatchObject([{ subjectId: id }]);
    await admin.post(`/gift-aid/donations/${newId()}`, sent).expect(404);
  });
});

describe('the scope of a declaration', () => {
  it('a declaration for past and future donations covers the donations of its donor, four years back', async () => {
    const donorEmail = someone();
    const [before, old] = [await cash({ donorEmail }), await cash({ donorEmail })];
    const [stranger] = [await cash({ donorEmail: someone() })];
    await sql(
      app,
      `UPDATE donation SET created_at = now() - interval '5 years', completed_at = now() - interval '5 years' WHERE id = $1`,
      [old],
    );
    const first = await declared({ donorEmail }, { at: wide });
    const after = await cash({ donorEmail: donorEmail.toUpperCase() });
    const { declaration } = await declarationOf(first);
    for (const id of [before, first, after])
      expect(await declarationOf(id)).toMatchObject({ covers: true, declaration: { id: declaration?.id } });
    for (const id of [old, stranger])
      expect(await declarationOf(id)).toEqual({ covers: false, declaration: null });
  });

  it('a declaration for past and future donations covers nothing else until its own donation is paid', async () => {
    const donorEmail = someone();
    const other = await cash({ donorEmail });
    await declared({ donorEmail }, { at: wide, isPaid: false });
    expect(await declarationOf(other)).toEqual({ covers: false, declaration: null });
  });

  it('a declaration follows its donor when the e-mail address of the donation is corrected', async () => {
    const id = await declared({ donorEmail: someone() }, { at: wide });
    const donorEmail = someone();
    await admin.patch(`/donations/${id}`, { donorEmail }).expect(200);
    expect(await declarationOf(await cash({ donorEmail }))).toMatchObject({ covers: true });
  });
});

describe('cancelling a declaration', () => {
  it('later donations no longer count as Gift Aid, earlier ones stay; a repeat changes nothing', async () => {
    const donorEmail = someone();
    const first = await declared({ donorEmail }, { at: wide });
    const earlier = await cash({ donorEmail });
    const { declaration } = await declarationOf(first);
    const cancel = () =>
      admin.post(`/gift-aid/declarations/${declaration?.id}/cancel`, { reason: 'Letter of 3 March' });
    await accountant.post(`/gift-aid/declarations/${declaration?.id}/cancel`, {}).expect(403);
    const answers = await Promise.all([cancel(), cancel()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { cancelledAt } = answers[0].body as { cancelledAt: string };
    expect((await cancel().expect(200)).body).toMatchObject({
      cancelledAt,
      cancelReason: 'Letter of 3 March',
    });
    const later = await cash({ donorEmail });
    for (const id of [first, earlier]) expect(await declarationOf(id)).toMatchObject({ covers: true });
    expect(await declarationOf(later)).toEqual({ covers: false, declaration: null });
    const { body } = await admin.get('/audit?action=gift_aid.cancel').expect(200);
    expect((body as { data: object[] }).data).toMatchObject([
      { subjectId: first, detail: { declaration: declaration?.id } },
    ]);
    const unknown = await admin.post(`/gift-aid/declarations/${newId()}/cancel`, {}).expect(404);
    expect(unknown.body).toEqual(errorBody(404, 'Not Found', 'GIFT_AID_NOT_FOUND'));
  });

  it('a donation that is paid after the cancellation of its own declaration does not count', async () => {
    const { digest } = await textOf();
    const { body } = await intent({
      giftAid: true,
      giftAidDeclaration: { ...NAMES, textDigest: digest },
      address: ADDRESS,
    }).expect(201);
    const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
    const { declaration } = await declarationOf(donationId);
    await admin.post(`/gift-aid/declarations/${declaration?.id}/cancel`, {}).expect(200);
    app.sandbox.stripe.pay(clientSecret);
    await app.sandbox.settled();
    expect(await declarationOf(donationId)).toMatchObject({
      covers: false,
      declaration: { id: declaration?.id, cancelReason: null },
    });
  });
});

describe('files for treasurers', () => {
  it('the export contains each paid donation with Gift Aid and its declaration', async () => {
    const id = await declared({ donorEmail: someone() });
    const unpaid = await declared({}, { isPaid: false });
    const { declaration } = await declarationOf(id);
    await admin.patch(`/donations/${id}`, { benefitValue: 250, benefitText: 'Mug' }).expect(200);
    const text = await exported();
    const line = text.split('\r\n').find((one) => one.startsWith(id));
    expect(text.split('\r\n')[0]).toBe(
      'donationId,eventName,givenOn,amount,currency,firstName,lastName,addressLine1,addressLine2,city,postcode,country,' +
        'declarationId,declaredAt,scope,channel,language,cancelledAt,donorErasedAt,keptUntil,textVersion,text,benefitValue,benefitText',
    );
    expect(line).toContain(',25.00,EUR,Ada,Lovelace,10 Main Street,Flat 2,London,SW1A 1AA,GB,');
    expect(line).toContain(String(declaration?.id));
    expect(text).toContain(',2.50,Mug\r\n');
    expect(text).not.toContain(unpaid);
    expect(await exported('?from=2999-01-01')).not.toContain(id);
    expect(await exported('?to=2999-01-01')).toContain(id);
    await admin.post(`/donations/${id}/cancel`, { shouldRefund: true }).expect(200);
    await app.sandbox.settled();
    expect(await exported()).not.toContain(id);
  });

  it('the donations as CSV name the declaration that covers each donation', async () => {
    const donorEmail = someone();
    const first = await declared({ donorEmail }, { at: wide });
    const second = await cash({ donorEmail });
    const { declaration } = await declarationOf(first);
    const { text } = await admin.get('/donations/export').expect(200);
    const records = csvObjects(text.replace('\uFEFF', ''));
    for (const id of [first, second])
      expect(records.find((record) => record.id === id)).toMatchObject({
        giftAidDeclarationId: declaration?.id,
        giftAidDeclaredAt: declaration?.declaredAt,
      });
  });
});

describe('the address of a donation in parts', () => {
  itWithTool(
    'pdftotext',
    'the receipt, the statement and the spreadsheet print it in the order of its country',
    async () => {
      const donorEmail = someone();
      const pay = async (address: object, locale: string) => {
        const { body } = await intent({ donorName: 'Ada', donorEmail, locale, address }).expect(201);
        const { clientSecret, donationId } = body as { clientSecret: string; donationId: string };
        app.sandbox.stripe.pay(clientSecret);
        await app.sandbox.settled();
        return donationId;
      };
      const lines = async (path: string) => {
        const { body } = await admin.get(path).buffer(true).expect(200);
        return (await pdfText(body as Buffer)).split('\n').map((line) => line.trim());
      };
      const swiss = { line1: 'Bahnhofstrasse 1', postcode: '8001', city: 'Zürich', country: 'CH' };
      const german = await lines(`/export/receipts/${await pay(swiss, 'de')}`);
      expect(german.join(' ')).toMatch(/Bahnhofstrasse 1 +8001 Zürich +Schweiz/);
      const id = await pay({ ...STORED, line2: null }, 'en-GB');
      expect((await lines(`/export/receipts/${id}`)).join(' ')).toMatch(
        /10 Main Street +London +SW1A 1AA +United Kingdom/,
      );
      const year = new Date().getFullYear();
      expect((await lines(`/donors/${await keyOf(id)}/statement?year=${year}`)).join(' ')).toMatch(
        /10 Main Street +London +SW1A 1AA +United Kingdom/,
      );
      const { body } = await admin
        .get(`/donations/export?format=xlsx&eventId=${event.id}&language=en`)
        .buffer(true)
        .responseType('blob')
        .expect(200);
      const xml = strFromU8(unzipSync(body as Buffer)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
      expect(xml).toContain('10 Main Street\nLondon\nSW1A 1AA\nUnited Kingdom');
      expect(xml).toContain('Gift Aid declared on');
    },
  );
});

describe('erasing a donor with a declaration', () => {
  const dumpOf = async (): Promise<Map<string, string>> => {
    const tables = await sql<{ name: string }>(
      app,
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const dump = new Map<string, string>();
    for (const { name } of tables)
      dump.set(
        name,
        (await sql<{ row: string }>(app, `SELECT t::text AS row FROM ${name} t`))
          .map(({ row }) => row)
          .join('\n'),
      );
    return dump;
  };

  it('keeps the declaration of a paid donation sealed, says so, and removes the donor from every other table', async () => {
    const donorEmail = `hedwig-${newId()}@unvergesslich.example`;
    const { digest } = await textOf();
    const person = {
      donorEmail,
      giftAidDeclaration: { firstName: 'Hedwig', lastName: 'Unvergesslich', textDigest: digest },
      address: { ...ADDRESS, line1: 'Unvergesslichweg 7' },
    };
    const paid = await declared(person);
    const unpaid = await declared(person, { isPaid: false });
    await sql(
      app,
      "UPDATE donation SET created_at = '2026-04-05T22:30:00Z', completed_at = '2026-04-05T22:30:00Z' WHERE id = $1",
      [paid],
    );
    const { declaration } = await declarationOf(paid);
    const key = await keyOf(paid);
    // In London it is 23:30 on the last day of the tax year.
    const kept = { giftAidDeclarations: 1, until: '2032-04-05', reason: 'legal_hold' };
    expect((await admin.get(`/donors/${key}`).expect(200)).body).toMatchObject({ erased: false, kept });
    const own = (await admin.get(`/donors/${key}/export`).expect(200)).body as Record<string, object[]>;
    expect(own.giftAidDeclarations).toHaveLength(2);
    expect(own.giftAidDeclarations?.[0]).toMatchObject({
      donationId: paid,
      firstName: 'Hedwig',
      text: expect.stringContaining('I want to Gift Aid this donation'),
    });
    expect((await admin.delete(`/donors/${key}`).expect(200)).body).toEqual({
      key,
      deleted: true,
      donations: 2,
      kept,
    });
    for (const [table, text] of await dumpOf())
      if (table !== 'gift_aid_declaration')
        for (const word of ['hedwig', 'unvergesslich', donorEmail])
          expect([table, text.toLowerCase().includes(word)]).toEqual([table, false]);
    expect(await rows(paid)).toMatchObject([
      { first_name: 'Hedwig', address: { line1: 'Unvergesslichweg 7' } },
    ]);
    expect(await rows(unpaid)).toEqual([]);
    // Only the export shows it. It can no longer be cancelled.
    expect(await declarationOf(paid)).toEqual({ declaration: null, covers: false });
    await admin.post(`/gift-aid/declarations/${declaration?.id}/cancel`, {}).expect(404);
    const line = (await exported()).split('\r\n').find((one) => one.startsWith(paid));
    expect(line).toContain('Hedwig,Unvergesslich,Unvergesslichweg 7');
    expect(line).toContain('2032-04-05');
    expect((await admin.get(`/donors/${key}`).expect(200)).body).toMatchObject({
      erased: true,
      name: null,
      kept,
    });
    expect((await admin.delete(`/donors/${key}`).expect(200)).body).toMatchObject({ donations: 0, kept });
  });

  it('deletes a sealed declaration after its last day, and not before', async () => {
    const id = await declared({ donorEmail: someone() });
    await admin.delete(`/donors/${await keyOf(id)}`).expect(200);
    const hold = app.app.get(LegalHold, { strict: false });
    const move = (days: number) =>
      sql(app, 'UPDATE gift_aid_declaration SET keep_until = current_date - $2::int WHERE donation_id = $1', [
        id,
        days,
      ]);
    await move(0);
    await hold.delete();
    expect(await rows(id)).toHaveLength(1);
    await move(1);
    expect(await hold.delete()).toBe(1);
    expect(await rows(id)).toEqual([]);
    expect(await hold.delete()).toBe(0);
    const { body } = await admin.get('/audit?action=gift_aid.expire').expect(200);
    expect((body as { data: object[] }).data).toMatchObject([{ subjectId: id, actor: 'system' }]);
  });

  it('a declaration for past and future donations is kept for the last donation that it covers, and covers no later one', async () => {
    const donorEmail = someone();
    const first = await declared({ donorEmail }, { at: wide });
    const last = await cash({ donorEmail });
    const given = (id: string, day: string) =>
      sql(app, 'UPDATE donation SET created_at = $2, completed_at = $2 WHERE id = $1', [
        id,
        `${day}T12:00:00Z`,
      ]);
    await sql(
      app,
      "UPDATE gift_aid_declaration SET declared_at = '2022-05-01T12:00:00Z' WHERE donation_id = $1",
      [first],
    );
    await given(first, '2022-05-01');
    await given(last, '2024-04-06');
    const { body } = await admin.delete(`/donors/${await keyOf(first)}`).expect(200);
    expect(body).toMatchObject({ kept: { giftAidDeclarations: 1, until: '2031-04-05' } });
    expect(await declarationOf(await cash({ donorEmail }))).toEqual({ declaration: null, covers: false });
  });

  it('a donation without an e-mail address is erased by its own key and keeps its declaration', async () => {
    const id = await declared();
    const { body } = await admin.delete(`/donors/${id}`).expect(200);
    expect(body).toMatchObject({ donations: 1, kept: { giftAidDeclarations: 1 } });
  });

  it('a declaration of a donation that was never paid is deleted with its donor data', async () => {
    const id = await declared({ donorEmail: someone() }, { isPaid: false });
    await sql(app, "UPDATE donation SET created_at = now() - interval '40 days' WHERE id = $1", [id]);
    await admin.patch('/settings/global', { privacy: { retainUnpaidDays: 30 } }).expect(200);
    await app.app.get(UnpaidDonors).erase();
    await admin.patch('/settings/global', { privacy: { retainUnpaidDays: null } }).expect(200);
    expect(await rows(id)).toEqual([]);
  });
});

/** Prints the name of the first sheet and its cells, with all rows and columns, as JSON. */
const READ_ODS = `
import json, sys, zipfile
import xml.etree.ElementTree as tree
N = {'t': 'urn:oasis:names:tc:opendocument:xmlns:table:1.0', 'o': 'urn:oasis:names:tc:opendocument:xmlns:office:1.0',
     'x': 'urn:oasis:names:tc:opendocument:xmlns:text:1.0'}
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None and z.namelist()[0] == 'mimetype' and z.infolist()[0].compress_type == zipfile.ZIP_STORED
assert z.read('mimetype').decode() == 'application/vnd.oasis.opendocument.spreadsheet'
tree.fromstring(z.read('META-INF/manifest.xml'))
table = tree.fromstring(z.read('content.xml')).find('o:body/o:spreadsheet/t:table', N)
cells = [[c.get('{%s}value' % N['o']) or ''.join(c.itertext()) for c in r.findall('t:table-cell', N)] for r in table.findall('t:table-row', N)]
print(json.dumps({'name': table.get('{%s}name' % N['t']), 'cells': cells}))
`;

describeWithTool('python3', 'claims of Gift Aid', () => {
  interface ClaimBody {
    readonly id: string;
    readonly number: number;
    readonly digest: string;
    readonly [field: string]: unknown;
  }
  interface PersonFields {
    readonly names?: object;
    readonly address?: object;
    readonly donorEmail?: string;
    readonly scope?: string;
  }

  /** Records a donation in pounds with a declaration on paper, given at a time. */
  async function given(
    at: string,
    amount: number,
    fields: object = {},
    person: PersonFields = {},
  ): Promise<string> {
    const { names = NAMES, address = ADDRESS, donorEmail = someone(), scope = 'this' } = person;
    const id = await cash({ eventId: british.id, amount, donorEmail });
    if ('benefitValue' in fields) await admin.patch(`/donations/${id}`, fields).expect(200);
    await admin.post(`/gift-aid/donations/${id}`, { ...names, address, scope }).expect(201);
    await move(id, at);
    return id;
  }
  const move = (id: string, at: string) =>
    sql(app, 'UPDATE donation SET created_at = $2, completed_at = $2 WHERE id = $1', [id, at]);
  const claim = (from: string, to: string) => admin.post('/gift-aid/claims', { from, to });
  const claimed = async (from: string, to: string) => (await claim(from, to).expect(201)).body as ClaimBody;
  const preview = async (from: string, to: string) =>
    (await accountant.get(`/gift-aid/claims/preview?from=${from}&to=${to}`).expect(200)).body as object;
  const listed = async () =>
    (await accountant.get('/gift-aid/claims').expect(200)).body as { data: ClaimBody[]; pending: object[] };
  async function scheduleOf({ id, digest }: ClaimBody): Promise<Buffer> {
    const { body } = await accountant
      .get(`/gift-aid/claims/${id}/schedule.ods`)
      .buffer(true)
      .responseType('blob')
      .expect(200);
    expect(
      createHash('sha256')
        .update(body as Buffer)
        .digest('hex'),
    ).toBe(digest);
    return body as Buffer;
  }
  const cellsOf = async (file: Buffer) =>
    JSON.parse(await onFile('python3', ['-c', READ_ODS, '{}'], file)) as { name: string; cells: string[][] };

  it('a claim freezes the eligible donations of a period, oldest first, in a schedule that Charities Online can read', async () => {
    // In London, it is 1 June already.
    await given('2025-05-31T23:30:00Z', 2_500, {}, { names: { firstName: 'Ada', lastName: 'King-Noel' } });
    const part = await given('2025-06-02T12:00:00Z', 10_000, { benefitValue: 2_400, benefitText: 'Dinner' });
    await sql(app, 'UPDATE donation SET refunded_amount = 400 WHERE id = $1', [part]);
    const abroad = {
      line1: 'Rose Cottage, Mill Lane',
      line2: null,
      postcode: '10115',
      city: 'Berlin',
      country: 'DE',
    };
    await given(
      '2025-06-03T12:00:00Z',
      30_000,
      { benefitValue: 3_500 },
      { names: { firstName: 'Łucja', lastName: 'Ó Briain' }, address: abroad },
    );
    await given('2025-06-04T12:00:00Z', 30_000, { benefitValue: 3_501 });
    await given('2025-06-30T23:30:00Z', 100);
    const returned = await given('2025-06-05T12:00:00Z', 700);
    await admin.post(`/donations/${returned}/cancel`, { shouldRefund: false }).expect(200);
    const euros = await cash({ donorEmail: someone() });
    await admin.post(`/gift-aid/donations/${euros}`, { ...NAMES, address: ADDRESS }).expect(201);
    await move(euros, '2025-06-06T12:00:00Z');
    const period = ['2025-06-01', '2025-06-30'] as const;
    expect(await preview(...period)).toEqual({
      donations: 3,
      amount: 42_100,
      tax: 10_525,
      waiting: 0,
      aboveBenefitLimits: 1,
      otherCurrency: 1,
    });
    await accountant.post('/gift-aid/claims', { from: period[0], to: period[1] }).expect(403);
    const answers = await Promise.all([1, 2, 3].map(() => claim(...period)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(
      errorBody(409, 'Conflict', 'GIFT_AID_NOTHING_TO_CLAIM'),
    );
    const made = answers.find(({ status }) => status === 201)?.body as ClaimBody;
    expect(made).toMatchObject({
      number: 1,
      from: period[0],
      to: period[1],
      donations: 3,
      amount: 42_100,
      tax: 10_525,
      adjustments: [],
      overclaimedTax: 0,
    });
    expect((await listed()).data).toEqual([made]);
    const file = await scheduleOf(made);
    // Later changes do not change the claim.
    await sql(app, 'UPDATE donation SET refunded_amount = 0 WHERE id = $1', [part]);
    expect(await scheduleOf(made)).toEqual(file);
    const { name, cells } = await cellsOf(file);
    expect(name).toBe('R68GAD_V1_00_0_EN');
    expect([cells[12]?.[3], cells[16]?.[3]]).toEqual(['01/06/25', '']);
    expect(cells[22]).toEqual([
      '',
      'Item',
      'Title',
      'First name',
      'Last name',
      'House name or number',
      'Postcode',
      'Aggregated donations',
      'Sponsored event',
      'Donation date',
      'Amount',
    ]);
    expect(cells.slice(24)).toEqual([
      ['', '1', '', 'Ada', 'King Noel', '10', 'SW1A 1AA', '', '', '01/06/25', '25.00'],
      ['', '2', '', 'Ada', 'Lovelace', '10', 'SW1A 1AA', '', '', '02/06/25', '96.00'],
      ['', '3', '', 'Lucja', 'Ó Briain', 'Rose Cottage, Mill Lane', 'X', '', '', '03/06/25', '300.00'],
    ]);
    const { body } = await admin.get(`/audit?subjectId=${made.id}`).expect(200);
    expect((body as { data: { action: string }[] }).data.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['gift_aid.claim', 'gift_aid.schedule']),
    );
  });

  it('a claim leaves out a single donation with a reason in the audit log, and a later claim contains it', async () => {
    const [first, second] = [
      await given('2023-05-01T12:00:00Z', 2_500),
      await given('2023-05-02T12:00:00Z', 4_000),
    ];
    const period = { from: '2023-05-01', to: '2023-05-31' };
    const path = `/gift-aid/claims/preview/donations?from=${period.from}&to=${period.to}`;
    const candidates = async () => ((await accountant.get(path).expect(200)).body as { data: object[] }).data;
    expect(await candidates()).toMatchObject([
      { donationId: first, givenOn: '2023-05-01', amount: 2_500 },
      { donationId: second, amount: 4_000 },
    ]);
    const leave = (donationId: unknown, reason = 'company') =>
      admin.post('/gift-aid/claims', { ...period, leftOut: [{ donationId, reason }] });
    await leave(first, 'because').expect(400);
    await leave('x').expect(400);
    const elsewhere = await given('2023-07-01T12:00:00Z', 100);
    expect((await leave(elsewhere).expect(400)).body).toMatchObject({ fields: [{ field: 'leftOut' }] });
    await accountant.post('/gift-aid/claims', { ...period, leftOut: [] }).expect(403);
    expect(await candidates()).toHaveLength(2);
    const { body: made } = await leave(first).expect(201);
    expect(made).toMatchObject({ donations: 1, amount: 4_000 });
    const { body: audit } = await admin
      .get(`/audit?subjectId=${first}&action=gift_aid.leave_out`)
      .expect(200);
    expect((audit as { data: object[] }).data).toMatchObject([
      { detail: { leftOutReason: 'company', claim: (made as ClaimBody).number } },
    ]);
    expect(await candidates()).toMatchObject([{ donationId: first }]);
    await leave(first).expect(409);
    expect(await claimed(period.from, period.to)).toMatchObject({ donations: 1, amount: 2_500 });
    expect(await candidates()).toEqual([]);
  });

  it('refuses a period that ends before it begins, and knows no other claims', async () => {
    const { body } = await claim('2025-06-02', '2025-06-01').expect(400);
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ field: 'to' }] });
    const unknown = await admin.get(`/gift-aid/claims/${newId()}/schedule.ods`).expect(404);
    expect(unknown.body).toEqual(errorBody(404, 'Not Found', 'GIFT_AID_CLAIM_NOT_FOUND'));
    await admin.get('/gift-aid/claims/x/schedule.ods').expect(404);
  });

  it('a donation that is refunded after its claim is an adjustment of the next claim, once', async () => {
    const whole = await given('2025-07-01T12:00:00Z', 2_000);
    const part = await given('2025-07-02T12:00:00Z', 5_000);
    const first = await claimed('2025-07-01', '2025-07-31');
    const file = await scheduleOf(first);
    await admin.post(`/donations/${whole}/cancel`, { shouldRefund: false }).expect(200);
    await sql(app, 'UPDATE donation SET refunded_amount = 1000 WHERE id = $1', [part]);
    const pending = [
      { donationId: whole, claimNumber: first.number, amount: 2_000 },
      { donationId: part, claimNumber: first.number, amount: 1_000 },
    ];
    expect((await listed()).pending).toEqual(pending);
    // A claim needs a donation.
    await claim('2025-07-01', '2025-07-31').expect(409);
    await given('2025-07-03T12:00:00Z', 100_000);
    const second = await claimed('2025-07-01', '2025-07-31');
    expect(second).toMatchObject({
      number: first.number + 1,
      donations: 1,
      adjustments: pending,
      overclaimedTax: 750,
    });
    expect((await cellsOf(await scheduleOf(second))).cells[16]?.[3]).toBe('7.50');
    expect(await scheduleOf(first)).toEqual(file);
    const { data, pending: left } = await listed();
    expect(left).toEqual([]);
    expect(data[0]).toEqual(second);
    await sql(app, 'UPDATE donation SET refunded_amount = 1500 WHERE id = $1', [part]);
    expect((await listed()).pending).toEqual([{ donationId: part, claimNumber: first.number, amount: 500 }]);
  });

  it('the benefits of a donor are at most £2,500 in a tax year, from 6 April to 5 April', async () => {
    const donorEmail = someone();
    const benefit = { benefitValue: 200_000 };
    const days = [
      '2024-04-05T22:30:00Z',
      '2024-04-05T23:30:00Z',
      '2024-05-01T12:00:00Z',
      '2024-05-02T12:00:00Z',
    ];
    for (const [index, day] of days.entries())
      await given(day, 5_000_000, index === 3 ? { benefitValue: 50_000 } : benefit, { donorEmail });
    expect(await preview('2024-04-01', '2024-05-31')).toMatchObject({ donations: 2, aboveBenefitLimits: 2 });
    await claimed('2024-04-01', '2024-05-31');
  });

  it('a claim has at most 1,000 donations, and the next one has the rest', async () => {
    const id = await given('2023-05-01T12:00:00Z', 100, {}, { scope: 'past_and_future' });
    await sql(
      app,
      "UPDATE gift_aid_declaration SET declared_at = '2023-05-01T12:00:00Z' WHERE donation_id = $1",
      [id],
    );
    await sql(
      app,
      `INSERT INTO donation SELECT (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid()))).*
       FROM donation d, generate_series(1, 1001) WHERE d.id = $1`,
      [id],
    );
    expect(await preview('2023-05-01', '2023-05-01')).toMatchObject({
      donations: 1_000,
      amount: 100_000,
      waiting: 2,
    });
    const first = await claimed('2023-05-01', '2023-05-01');
    expect(first).toMatchObject({ donations: 1_000 });
    expect((await cellsOf(await scheduleOf(first))).cells).toHaveLength(1_024);
    expect(await claimed('2023-05-01', '2023-05-01')).toMatchObject({ donations: 2, amount: 200 });
  });

  it('the declarations of a claim stay after the erasure of the donor, also if the donation was refunded, until their last day', async () => {
    const donorEmail = someone();
    const id = await given('2025-09-01T12:00:00Z', 2_000, {}, { donorEmail });
    const made = await claimed('2025-09-01', '2025-09-30');
    const file = await scheduleOf(made);
    await admin.post(`/donations/${id}/cancel`, { shouldRefund: false }).expect(200);
    const key = await keyOf(id);
    expect((await admin.get(`/donors/${key}/export`).expect(200)).body).toMatchObject({
      giftAidClaims: [{ donationId: id, number: made.number, givenOn: '2025-09-01', amount: 2_000 }],
    });
    expect((await admin.delete(`/donors/${key}`).expect(200)).body).toMatchObject({
      kept: { giftAidDeclarations: 1, until: '2032-04-05' },
    });
    expect(await scheduleOf(made)).toEqual(file);
    await sql(app, 'UPDATE gift_aid_declaration SET keep_until = current_date - 1 WHERE donation_id = $1', [
      id,
    ]);
    await app.app.get(LegalHold, { strict: false }).delete();
    const expired = await admin.get(`/gift-aid/claims/${made.id}/schedule.ods`).expect(409);
    expect(expired.body).toEqual(errorBody(409, 'Conflict', 'GIFT_AID_CLAIM_EXPIRED'));
    expect((await listed()).data.map(({ number }) => number)).toContain(made.number);
  });

  it('the small donations of a tax year are those without a declaration and a benefit, at most £8,000 and ten times the claims', async () => {
    const gasds = async () =>
      (await accountant.get('/gift-aid/gasds?taxYear=2021').expect(200)).body as object;
    const small = async (at: string, fields: object = {}, corrected: object = {}) => {
      const id = await cash({ eventId: british.id, amount: 3_000, ...fields });
      if ('benefitValue' in corrected) await admin.patch(`/donations/${id}`, corrected).expect(200);
      await move(id, at);
      return id;
    };
    const counted = await small('2022-04-05T22:59:00Z');
    await small('2021-04-05T23:00:00Z', { type: 'card_terminal', amount: 1_000 });
    await small('2022-04-05T23:00:00Z');
    await small('2021-04-05T22:59:00Z');
    await small('2021-05-01T12:00:00Z', { amount: 3_001 });
    await small('2021-05-01T12:00:00Z', { type: 'check' });
    await small('2021-05-01T12:00:00Z', {}, { benefitValue: 100 });
    await given('2021-05-01T12:00:00Z', 300);
    const member = await createStaff(app, admin.token, british.id, 'Maria');
    const signer = await createStaff(app, admin.token, british.id, 'Tom');
    const shift = newId();
    await sql(
      app,
      `INSERT INTO shift (id, event_id, staff_id, staff_name, currency, opening_float, opened_at)
       VALUES ($1, $2, $3, 'Maria', 'gbp', 5000, '2022-04-05T18:00:00Z')`,
      [shift, british.id, member.id],
    );
    await sql(app, 'UPDATE donation SET shift_id = $2 WHERE id = $1', [counted, shift]);
    const collection = { shiftId: shift, eventName: 'Auction', date: '2022-04-05', cash: 3_000 };
    const sums = {
      from: '2021-04-06',
      to: '2022-04-05',
      cash: { donations: 1, amount: 3_000 },
      cardTerminal: { donations: 1, amount: 1_000 },
      notKnown: ['bankedOn', 'bankedInUnitedKingdom', 'givenInUnitedKingdom', 'contactless'],
    };
    expect(await gasds()).toEqual({
      ...sums,
      giftAidDonations: 0,
      limit: 0,
      amount: 0,
      tax: 0,
      collections: [{ ...collection, countedBy: [] }],
    });
    await claimed('2021-04-06', '2022-04-05');
    await sql(
      app,
      `UPDATE shift SET status = 'closed', counted_at = now(), closed_at = now(), counted_amount = 8000, expected_amount = 8000,
         signed_by_id = $2, signed_by_name = 'Tom' WHERE id = $1`,
      [shift, signer.id],
    );
    expect(await gasds()).toEqual({
      ...sums,
      giftAidDonations: 300,
      limit: 3_000,
      amount: 3_000,
      tax: 750,
      collections: [{ ...collection, countedBy: ['Maria', 'Tom'] }],
    });
    await given('2021-05-02T12:00:00Z', 100_000);
    await claimed('2021-04-06', '2022-04-05');
    expect(await gasds()).toMatchObject({ limit: 800_000, amount: 4_000, tax: 1_000 });
    await accountant.get('/gift-aid/gasds').expect(400);
  });
});
