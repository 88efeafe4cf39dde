import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { csvObjects } from '../export/parse-csv.js';
import { pdfText } from '../export/tools.js';
import { ReceiptHold } from '../../src/receipts/sealed/receipt-hold.service.js';
import { insertDonation } from '../support/donation-rows.js';
import { createEvent, sql } from '../support/fixtures.js';
import { withAdmin, withService } from '../support/setup.js';
import { describeWithTool } from '../support/tools.js';
import { SAMPLES } from './pack-samples.js';

const app = withService();
const admin = withAdmin(app);
let eventId = '';

const ADDRESS = 'Lindenstraße 7\n10969 Berlin';

/** A notice of this year, so that the tests hold in every year. */
const NOTICE = `${new Date().getUTCFullYear()}-01-02`;

const give = async (address: string | null, values: Record<string, unknown> = {}, event = eventId) => {
  const id = await insertDonation(app, event, { donorName: 'Ada Lovelace', amount: 132_250, ...values });
  await sql(app, 'UPDATE donation SET donor_address = $2 WHERE id = $1', [id, address]);
  return id;
};

const receipt = (id: string, form?: string) =>
  admin.get(`/export/receipts/${id}${form === undefined ? '' : `?form=${form}`}`).buffer(true);
const textOf = async (id: string, form?: string) =>
  (await pdfText((await receipt(id, form).expect(200)).body as Buffer)).replace(/[\s·]+/g, ' ').trim();

interface Issued {
  readonly number: number;
  readonly pack: string | null;
  readonly pack_version: string | null;
  readonly facts: unknown;
  readonly replaces: string | null;
  readonly replaced_at: Date | null;
}
const issuedFor = async (id: string) =>
  await sql<Issued>(
    app,
    'SELECT number, pack, pack_version, facts, replaces, replaced_at FROM receipt WHERE donation_id = $1 ORDER BY number',
    [id],
  );

beforeAll(async () => {
  const { organization, legal } = SAMPLES.de;
  await admin
    .patch('/settings/global', {
      timezone: 'Europe/Berlin',
      legal: {
        legalName: organization.name,
        address: organization.address,
        signatory: organization.signatory,
        de: { ...legal, noticeDate: NOTICE },
      },
    })
    .expect(200);
  const event = await createEvent(app, admin.token);
  eventId = event.id;
  await admin.patch(`/events/${eventId}/settings`, { receipts: { pack: 'de' } }).expect(200);
});

describeWithTool('pdftotext', 'a receipt of a pack', () => {
  it('is printed by the pack, and a copy prints the same after the settings changed', async () => {
    const id = await give(ADDRESS);
    const text = await textOf(id);
    expect(text).toContain('Bestätigung über Geldzuwendungen/Mitgliedsbeitrag');
    expect(text).toContain('eintausenddreihundertzweiundzwanzig Euro und fünfzig Cent');
    expect(text).not.toContain('Dank');
    await admin.patch('/settings/global', { legal: { address: 'Neue Straße 1\n20457 Hamburg' } }).expect(200);
    const copy = await textOf(id);
    await admin
      .patch('/settings/global', { legal: { address: SAMPLES.de.organization.address } })
      .expect(200);
    expect(copy.replace(/^KOPIE\s*/, '')).toBe(text);
    expect(await issuedFor(id)).toMatchObject([{ pack: 'de', pack_version: 'de-2026-11' }]);
  });

  it('is refused by the names of the missing fields, and uses no number', async () => {
    const id = await give(null, { donorName: null });
    const { body } = await receipt(id).responseType('json').expect(409);
    const refused = (Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body) as object;
    expect(refused).toMatchObject({
      code: 'RECEIPT_INCOMPLETE',
      missing: ['donorName', 'donorAddress'],
      findings: [
        { field: 'donorName', rule: 'missing' },
        { field: 'donorAddress', rule: 'missing' },
      ],
    });
    expect(await issuedFor(id)).toEqual([]);
  });

  it('replaces an acknowledgement, which can always be had', async () => {
    const id = await give(null);
    expect(await textOf(id, 'acknowledgement')).toContain(
      'Acknowledgement, not a document for the tax office',
    );
    await receipt(id).expect(409);
    await sql(app, 'UPDATE donation SET donor_address = $2 WHERE id = $1', [id, ADDRESS]);
    expect(await textOf(id)).toContain('Berichtigte Bestätigung: Sie ersetzt die Bestätigung Nr.');
    const [first, second] = await issuedFor(id);
    expect(first).toMatchObject({ pack: null, facts: null, replaced_at: expect.any(Date) as unknown });
    expect(second).toMatchObject({ pack: 'de', replaced_at: null });
    expect(await textOf(id, 'acknowledgement')).toContain('KOPIE');
    expect(await issuedFor(id)).toHaveLength(2);
  });

  it('gets the address that the team corrects, and so does an acknowledgement, each under its own number', async () => {
    const id = await give(null);
    await receipt(id, 'acknowledgement').expect(200);
    await admin
      .patch(`/donations/${id}`, { donorAddress: ADDRESS, expected: { donorAddress: null } })
      .expect(200);
    expect(await textOf(id, 'acknowledgement')).toContain('Address Lindenstraße 7 10969 Berlin');
    expect(await textOf(id)).toContain('Name und Anschrift des Zuwendenden Ada Lovelace Lindenstraße 7');
    expect(await issuedFor(id)).toHaveLength(3);
    await admin
      .patch(`/donations/${id}`, { donorAddress: 'Elsewhere', expected: { donorAddress: null } })
      .expect(409);
  });

  it('can have the address of a record of the till', async () => {
    const { body } = await admin
      .post('/donations', { eventId, type: 'cash', amount: 5000, donorName: 'Ada', donorAddress: ADDRESS })
      .expect(201);
    expect(await textOf((body as { id: string }).id)).toContain('Lindenstraße 7 10969 Berlin');
  });

  it('is replaced after a correction of the address, after a partial refund, and after a benefit was entered', async () => {
    const id = await give(ADDRESS);
    await receipt(id).expect(200);
    await admin.patch(`/donations/${id}`, { donorAddress: 'Hafenweg 2\n20457 Hamburg' }).expect(200);
    expect(await textOf(id)).toContain('Hafenweg 2');
    await sql(app, 'UPDATE donation SET refunded_amount = 32250 WHERE id = $1', [id]);
    expect(await textOf(id)).toContain('eintausend Euro');
    await admin.patch(`/donations/${id}`, { benefitValue: 10_000, benefitText: 'Abendessen' }).expect(200);
    expect(await textOf(id)).toContain('neunhundert Euro');
    expect(await issuedFor(id)).toHaveLength(4);
  });

  it('names a notice that is too old', async () => {
    const old = await createEvent(app, admin.token);
    await admin
      .patch(`/events/${old.id}/settings`, {
        receipts: { pack: 'de' },
        legal: { de: { noticeDate: '2015-01-02' } },
      })
      .expect(200);
    const { body } = await receipt(await give(ADDRESS, {}, old.id)).expect(409);
    expect(String(Buffer.isBuffer(body) ? body : JSON.stringify(body))).toContain(
      '"findings":[{"field":"legal.de.noticeDate","rule":"expired"}]',
    );
    const { body: checked } = await admin.get(`/export/receipts/incomplete?eventId=${old.id}`).expect(200);
    expect(checked).toMatchObject({ ending: [{ field: 'legal.de.noticeDate', until: '2020-01-02' }] });
  });

  it('keeps no fact of an erased donor', async () => {
    const id = await give(ADDRESS, { donorName: 'Ada Packsworth', donorEmail: null });
    await receipt(id).expect(200);
    const { body } = await admin.get('/donors?search=Packsworth').expect(200);
    const key = (body as { data: { key: string }[] }).data[0]?.key ?? '';
    await admin.delete(`/donors/${key}`).expect(200);
    expect(await issuedFor(id)).toMatchObject([{ pack: 'de', facts: null }]);
    expect(await textOf(id)).not.toContain('Ada');
    expect(await issuedFor(id)).toHaveLength(1);
  });
});

describeWithTool('pdftotext', 'a German collective receipt', () => {
  const year = new Date().getUTCFullYear();
  let persons = 0;

  /** Donations of one donor in this year. */
  const giveAll = async (...amounts: number[]) => {
    const donorKey = Buffer.alloc(32, 100 + persons++);
    const ids: string[] = [];
    for (const amount of amounts)
      ids.push(await give(ADDRESS, { amount, completedAt: `${year}-01-03T12:00:00.000Z` }));
    await sql(app, 'UPDATE donation SET donor_key = $2 WHERE id = ANY($1::uuid[])', [ids, donorKey]);
    return { key: donorKey.toString('hex'), ids };
  };
  const collect = (key: string, isIncluding = false) =>
    admin.post(`/donors/${key}/collective-receipt`, { year, isIncluding }).buffer(true);
  const collected = async (key: string, isIncluding = false) =>
    (await pdfText((await collect(key, isIncluding).expect(200)).body as Buffer)).replace(/\s+/g, ' ').trim();
  const refusalOf = async (request: ReturnType<typeof receipt>) => {
    const { body } = await request.responseType('json').expect(409);
    return (Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body) as { code: string; message: string };
  };
  const check = (code: string) => app.http.get(`/r/${code}`).set('Accept', 'application/json');
  const codesOf = (id: string) =>
    sql<{ check_code: string }>(
      app,
      `SELECT check_code FROM collective_receipt WHERE (year, number) IN (
        SELECT year, number FROM collective_gift WHERE donation_id = $1) ORDER BY number`,
      [id],
    );
  const numberOf = (text: string) => /Anlage zur Sammelbestätigung vom \S+ Nr\. (\S+)/.exec(text)?.[1];

  beforeAll(() => admin.patch('/settings/global', { receipts: { pack: 'de' } }).expect(200));
  afterAll(() => admin.patch('/settings/global', { receipts: { pack: null } }).expect(200));

  it('confirms all gifts of a year once: a copy prints the same, and single receipts are refused', async () => {
    const { key, ids } = await giveAll(10_000, 4_000);
    const text = await collected(key);
    for (const words of [
      'Sammelbestätigung über',
      '140,00 €',
      'einhundertvierzig Euro',
      '100,00 €',
      '40,00 €',
    ])
      expect(text).toContain(words);
    expect((await collected(key)).replace(/^KOPIE\s*/, '')).toBe(text);
    const [first = ''] = ids;
    expect(await refusalOf(receipt(first))).toMatchObject({ code: 'RECEIPT_COLLECTIVE' });
    expect(await textOf(first, 'acknowledgement')).toContain('not a document for the tax office');
    const [other] = await sql(
      app,
      'SELECT count(*)::int AS n FROM confirmed_gift WHERE donation_id = ANY($1::uuid[])',
      [ids],
    );
    expect(other).toEqual({ n: 2 });
    await expect(
      sql(app, 'INSERT INTO confirmed_gift VALUES ($1, 2026, 999999, false)', [first]),
    ).rejects.toThrow('confirmed_gift_pkey');
  });

  it('names single receipts that are out, and makes them void only by choice', async () => {
    const { key, ids } = await giveAll(10_000, 4_000);
    const [first = ''] = ids;
    await receipt(first).expect(200);
    const number = async () =>
      (
        await sql<{ receipt_number: string | null }>(
          app,
          'SELECT receipt_number FROM donation WHERE id = $1',
          [first],
        )
      )[0]?.receipt_number;
    const single = await number();
    const refused = await refusalOf(collect(key));
    expect(refused).toMatchObject({ code: 'GIFTS_CONFIRMED' });
    expect(refused.message).toContain(single);
    expect(await collected(key, true)).toContain('140,00 €');
    expect(await issuedFor(first)).toMatchObject([{ replaced_at: expect.any(Date) as unknown }]);
    expect(await number()).toBeNull();
  });

  it('a collective receipt is replaced after a refund, a correction and another gift, and leaves out what came back', async () => {
    const { key, ids } = await giveAll(10_000, 4_000, 2_000);
    const [first = '', second = '', third = ''] = ids;
    const numbers = [numberOf(await collected(key))];
    const replaced = async () => {
      const text = await collected(key);
      expect(text).toContain(`Sie ersetzt die Bestätigung Nr. ${numbers.at(-1)}`);
      numbers.push(numberOf(text));
      return text;
    };
    await sql(app, 'UPDATE donation SET refunded_amount = 1000 WHERE id = $1', [first]);
    expect(await replaced()).toContain('150,00 €');
    await sql(app, "UPDATE donation SET refunded_amount = amount, status = 'REFUNDED' WHERE id = $1", [
      second,
    ]);
    const left = await replaced();
    expect(left).toContain('110,00 €');
    expect(left).not.toContain('40,00 €');
    await admin.patch(`/donations/${third}`, { donorAddress: 'Hafenweg 2\n20457 Hamburg' }).expect(200);
    expect(await replaced()).toContain('110,00 €');
    const more = await give(ADDRESS, { amount: 7_000, completedAt: `${year}-01-04T12:00:00.000Z` });
    await sql(app, 'UPDATE donation SET donor_key = $2 WHERE id = $1', [more, Buffer.from(key, 'hex')]);
    expect(await replaced()).toContain('180,00 €');
    expect(new Set(numbers).size).toBe(5);
  });

  it('a collective receipt is void after all its gifts came back, on a copy and in the public check, and valid again if a dispute is won', async () => {
    const { key, ids } = await giveAll(10_000, 4_000);
    const [first = '', second = ''] = ids;
    const number = numberOf(await collected(key));
    const [{ check_code: code } = { check_code: '' }] = await codesOf(first);
    const period = { from: `${year}-01-01`, to: `${year}-12-31` };
    const state = async () => (await check(code).expect(200)).body as object;
    expect(await state()).toMatchObject({
      state: 'valid',
      number,
      amount: 14_000,
      refundedAmount: 0,
      givenAt: null,
      period,
    });
    await sql(app, "UPDATE donation SET refunded_amount = amount, status = 'REFUNDED' WHERE id = $1", [
      first,
    ]);
    expect(await state()).toMatchObject({ state: 'valid', refundedAmount: 10_000 });
    await sql(app, "UPDATE donation SET status = 'CANCELLED' WHERE id = $1", [second]);
    expect(await state()).toMatchObject({ state: 'void', reason: 'refunded', refundedAmount: 14_000 });
    const copy = await collected(key);
    expect(copy).toMatch(/^KOPIE Diese Quittung ist ungültig/);
    expect(numberOf(copy)).toBe(number);
    expect(JSON.stringify(await state())).not.toContain('Lovelace');
    const page = await app.http.get(`/r/${code}`).set('Accept', 'text/html').expect(200);
    expect(page.text).toContain('Donations of');
    await sql(
      app,
      "UPDATE donation SET refunded_amount = 0, status = 'COMPLETED' WHERE id = ANY($1::uuid[])",
      [ids],
    );
    expect(await state()).toMatchObject({ state: 'valid', refundedAmount: 0 });
    expect(numberOf(await collected(key))).toBe(number);
    await sql(app, 'UPDATE donation SET refunded_amount = 1000 WHERE id = $1', [first]);
    expect(numberOf(await collected(key))).not.toBe(number);
    expect(await state()).toMatchObject({ state: 'replaced' });
  });

  it('has one number for many requests at once, refuses a missing address, and keeps no fact of an erased donor', async () => {
    const { key, ids } = await giveAll(10_000);
    await sql(app, 'UPDATE donation SET donor_address = NULL WHERE id = ANY($1::uuid[])', [ids]);
    expect(await refusalOf(collect(key))).toMatchObject({ code: 'RECEIPT_INCOMPLETE' });
    await sql(app, 'UPDATE donation SET donor_address = $2 WHERE id = ANY($1::uuid[])', [ids, ADDRESS]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => collected(key)));
    expect(new Set(answers.map(numberOf)).size).toBe(1);
    expect(answers.filter((text) => !text.startsWith('KOPIE'))).toHaveLength(1);
    const { body } = await admin.get(`/donors/${key}/export`).expect(200);
    expect(body).toMatchObject({
      collectiveReceipts: [{ pack: 'de' }],
      collectiveGifts: [{ donationId: ids[0] }],
    });
    const codes = await codesOf(ids[0] ?? '');
    await admin.delete(`/donors/${key}`).expect(200);
    const sealed = (await admin.get('/export/sealed-receipts').expect(200)).body.data[0] as SealedBody;
    expect(sealed).toMatchObject({ isCollective: true, state: 'valid', number: numberOf(answers[0] ?? '') });
    const { body: file } = await admin
      .get(`/export/sealed-receipts/${sealed.number}/copy`)
      .buffer(true)
      .expect(200);
    const original = answers.find((text) => !text.startsWith('KOPIE')) ?? '';
    expect((await pdfText(file as Buffer)).replace(/\s+/g, ' ').trim()).toBe(`KOPIE ${original}`);
    expect((await check(codes[0]?.check_code ?? '').expect(200)).body).toMatchObject({
      state: 'valid',
      amount: 10_000,
    });
    const kept = await sql(
      app,
      `SELECT c.facts, g.printed FROM collective_receipt c JOIN collective_gift g USING (year, number) WHERE g.donation_id = ANY($1::uuid[])`,
      [ids],
    );
    expect(kept).toEqual([{ facts: null, printed: null }]);
  });
});

interface SealedBody {
  readonly number: string;
  readonly state: string;
  readonly keepUntil: string;
}

describeWithTool('pdftotext', 'the receipts of an erased donor', () => {
  const year = new Date().getUTCFullYear();
  const accountant = withAdmin(app, 'ACCOUNTANT');
  const LAW = '§ 50 (7) EStDV, § 147 AO';
  const until = `${year + 10}-12-31`;

  /** Gives with a receipt of the pack, and returns the person and the number. */
  const confirmed = async (donorName: string) => {
    const id = await give('Vergissmeinnichtweg 7\n10969 Berlin', { donorName, donorEmail: null });
    const original = await textOf(id);
    const [{ receipt_number: number } = { receipt_number: '' }] = await sql<{ receipt_number: string }>(
      app,
      'SELECT receipt_number FROM donation WHERE id = $1',
      [id],
    );
    return { id, original, number };
  };
  const person = async (id: string) => (await admin.get(`/donors/${id}`).expect(200)).body as object;
  const erase = async (id: string) => (await admin.delete(`/donors/${id}`).expect(200)).body as object;
  const list = async () =>
    (await accountant.get('/export/sealed-receipts?limit=200').expect(200)).body.data as SealedBody[];
  const copyOf = async (number: string) => {
    const { body } = await accountant.get(`/export/sealed-receipts/${number}/copy`).buffer(true).expect(200);
    return (await pdfText(body as Buffer)).replace(/[\s·]+/g, ' ').trim();
  };

  it('stay sealed: the erasure says before and after how many, why and until when, and no table has readable data', async () => {
    const { id, original, number } = await confirmed('Hedwig Sealsworth');
    const kept = {
      giftAidDeclarations: 0,
      receipts: [{ country: 'de', law: LAW, receipts: 1, until }],
      until,
      reason: 'legal_hold',
    };
    expect(await person(id)).toMatchObject({ erased: false, kept });
    expect(await erase(id)).toEqual({ key: id, deleted: true, donations: 1, kept });
    const tables = await sql<{ name: string }>(
      app,
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const hex = (text: string) => Buffer.from(text).toString('hex');
    for (const { name } of tables) {
      const rows = await sql<{ row: string }>(app, `SELECT t::text AS row FROM ${name} t`);
      for (const word of ['sealsworth', 'vergissmeinnicht', hex('Sealsworth'), hex('Vergissmeinnicht')])
        expect([name, rows.some(({ row }) => row.toLowerCase().includes(word))]).toEqual([name, false]);
    }
    expect(await person(id)).toMatchObject({ erased: true, kept });
    // A second erasure is harmless.
    expect(await erase(id)).toMatchObject({ donations: 0, kept });
    expect(await copyOf(number)).toBe(`KOPIE ${original}`);
    const { body: exported } = await admin.get(`/donors/${id}/export`).expect(200);
    expect(exported).toMatchObject({ sealedReceipts: [{ isCollective: false, keepUntil: until }] });
    expect(JSON.stringify(exported)).not.toContain('Sealsworth');
  });

  it('sealed receipts are open only to accountants and admins, who leave an entry in the audit log', async () => {
    const { id, number } = await confirmed('Hedwig Auditworth');
    await erase(id);
    const opened = { number, state: 'valid', donorName: 'Hedwig Auditworth', gifts: [{ amount: 132_250 }] };
    const path = `/export/sealed-receipts/${number}`;
    for (const caller of [accountant, admin])
      expect((await caller.get(path).expect(200)).body).toMatchObject(opened);
    for (const address of [path, `${path}/copy`, '/export/sealed-receipts', '/export/sealed-receipts/csv'])
      await app.http.get(address).expect(401);
    const csv = csvObjects((await accountant.get('/export/sealed-receipts/csv').expect(200)).text.slice(1));
    expect(csv.find((row) => row.number === number)).toMatchObject({
      country: 'de',
      isReadable: 'true',
      donorName: 'Hedwig Auditworth',
      amount: '1322.50',
      keepUntil: until,
    });
    await copyOf(number);
    for (const unknown of ['2026-999999', '2026-1', 'nothing', '../csv'])
      await accountant.get(`/export/sealed-receipts/${unknown}`).expect(404);
    const { body } = await admin.get(`/audit?subjectId=${number}`).expect(200);
    const deeds = (body as { data: { action: string; actor: string }[] }).data;
    expect(deeds.map(({ action, actor }) => `${action} ${actor}`)).toEqual([
      'sealed_receipt.copy accountant',
      'sealed_receipt.read admin',
      'sealed_receipt.read accountant',
    ]);
    const page = await accountant.get('/export/sealed-receipts?limit=1').expect(200);
    expect(page.body.data).toHaveLength(1);
    const next = await accountant
      .get(`/export/sealed-receipts?limit=1&cursor=${page.body.cursor}`)
      .expect(200);
    expect(next.body.data[0].number < page.body.data[0].number).toBe(true);
    await accountant.get('/export/sealed-receipts?cursor=x').expect(400);
  });

  it('sealed receipts are void in the list and on the copy after the money went back, and replaced after a correction', async () => {
    const { id, number } = await confirmed('Hedwig Voidsworth');
    await admin.patch(`/donations/${id}`, { donorAddress: 'Hafenweg 2\n20457 Hamburg' }).expect(200);
    await textOf(id);
    await erase(id);
    expect((await list()).filter((one) => one.number >= number).map(({ state }) => state)).toEqual([
      'valid',
      'replaced',
    ]);
    expect(await copyOf(number)).toContain('Eine neuere Quittung ersetzt sie.');
    await sql(app, "UPDATE donation SET refunded_amount = amount, status = 'REFUNDED' WHERE id = $1", [id]);
    const [last] = await list();
    expect(last).toMatchObject({ state: 'void' });
    expect(await copyOf(last?.number ?? '')).toContain('vollständig erstattet');
  });

  it('cannot be opened without the key: the answer says so, and the list still has the number', async () => {
    const { id, number } = await confirmed('Hedwig Keysworth');
    await erase(id);
    await sql(
      app,
      "UPDATE sealed_receipt SET sealed = decode(repeat('00', 64), 'hex') WHERE year || '-' || lpad(number::text, 6, '0') = $1",
      [number],
    );
    for (const path of [number, `${number}/copy`]) {
      const { body } = await accountant.get(`/export/sealed-receipts/${path}`).expect(409);
      expect(body).toMatchObject({ code: 'SEALED_RECEIPT_UNREADABLE' });
      expect(body.message).toContain('PIN_SECRET');
    }
    const csv = csvObjects((await accountant.get('/export/sealed-receipts/csv').expect(200)).text.slice(1));
    expect(csv.find((row) => row.number === number)).toMatchObject({ isReadable: 'false', donorName: '' });
    expect((await list()).map((one) => one.number)).toContain(number);
  });

  it('are deleted after the years of their law, and not before; the audit log says so', async () => {
    const { id, number } = await confirmed('Hedwig Lastday');
    await erase(id);
    const hold = app.app.get(ReceiptHold, { strict: false });
    const move = (days: number) =>
      sql(
        app,
        "UPDATE sealed_receipt SET keep_until = current_date - $2::int WHERE year || '-' || lpad(number::text, 6, '0') = $1",
        [number, days],
      );
    await move(0);
    expect(await hold.delete()).toBe(0);
    await move(1);
    expect(await hold.delete()).toBe(1);
    expect(await hold.delete()).toBe(0);
    await accountant.get(`/export/sealed-receipts/${number}`).expect(404);
    expect(await person(id)).not.toHaveProperty('kept');
    const { body } = await admin.get('/audit?action=sealed_receipt.expire').expect(200);
    expect((body as { data: object[] }).data).toMatchObject([{ subjectId: number, actor: 'system' }]);
  });

  it('are still checked by their code without a name, and an acknowledgement is not sealed', async () => {
    const { id, number } = await confirmed('Hedwig Checkworth');
    const [{ check_code: code } = { check_code: '' }] = await sql<{ check_code: string }>(
      app,
      'SELECT check_code FROM receipt WHERE donation_id = $1',
      [id],
    );
    await erase(id);
    const { body } = await app.http.get(`/r/${code}`).set('Accept', 'application/json').expect(200);
    expect(body).toMatchObject({ state: 'valid', number });
    expect(JSON.stringify(body)).not.toContain('Checkworth');
    const plain = await give(null, { donorName: 'Hedwig Plainworth', donorEmail: null });
    await receipt(plain, 'acknowledgement').expect(200);
    expect(await person(plain)).not.toHaveProperty('kept');
    expect(await erase(plain)).toEqual({ key: plain, deleted: true, donations: 1 });
  });
});

describe('the receipts of an event with a pack', () => {
  it('are in the ZIP, and the list names the donations that lack fields', async () => {
    const event = await createEvent(app, admin.token);
    const acknowledged = await give(ADDRESS, {}, event.id);
    await receipt(acknowledged).expect(200);
    await admin.patch(`/events/${event.id}/settings`, { receipts: { pack: 'de' } }).expect(200);
    const [complete, lacking] = [await give(ADDRESS, {}, event.id), await give(null, {}, event.id)];
    const { body } = await admin
      .get(`/export/receipts/zip?eventId=${event.id}`)
      .buffer(true)
      .responseType('blob')
      .expect(200);
    const files = unzipSync(body as Buffer);
    const records = csvObjects(
      Buffer.from(files['manifest.csv'] ?? [])
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
    const ofId = (id: string) => records.filter(({ donationId }) => donationId === id);
    expect(ofId(acknowledged)).toMatchObject([{ copy: 'false', pack: 'de-2026-11', missing: '' }]);
    expect(ofId(complete)).toMatchObject([{ copy: 'false', pack: 'de-2026-11', missing: '' }]);
    expect(ofId(lacking)).toMatchObject([{ receiptNumber: '', file: 'incomplete', missing: 'donorAddress' }]);
    expect(Object.keys(files)).toHaveLength(3);
    expect(await issuedFor(lacking)).toEqual([]);
  });

  it('are checked without issuing any: the fields that donors must complete, with their numbers', async () => {
    const event = await createEvent(app, admin.token);
    await admin.patch(`/events/${event.id}/settings`, { receipts: { pack: 'de' } }).expect(200);
    await give(ADDRESS, {}, event.id);
    const lacking = [
      await give(null, { donorEmail: 'grace@example.org' }, event.id),
      await give(null, { donorEmail: 'grace@example.org' }, event.id),
      await give(null, { donorName: null }, event.id),
    ];
    // Two donations of one donor.
    await sql(app, 'UPDATE donation SET donor_key = $2 WHERE id = ANY($1::uuid[])', [
      lacking.slice(0, 2),
      Buffer.alloc(32, 7),
    ]);
    const { body } = await admin.get(`/export/receipts/incomplete?eventId=${event.id}`).expect(200);
    expect(body).toMatchObject({
      pack: 'de',
      version: 'de-2026-11',
      reviewed: false,
      ending: [],
      incomplete: 3,
      fields: [
        { field: 'donorAddress', rule: 'missing', donors: 2 },
        { field: 'donorName', rule: 'missing', donors: 1 },
      ],
    });
    expect((body as { donations: { donationId: string }[] }).donations.map((one) => one.donationId)).toEqual(
      lacking,
    );
    const plain = await createEvent(app, admin.token);
    const { body: none } = await admin.get(`/export/receipts/incomplete?eventId=${plain.id}`).expect(200);
    expect(none).toMatchObject({ pack: 'none', incomplete: 0, fields: [], donations: [] });
  });

  it('are offered for each country with the form of its settings, in the language of the reader', async () => {
    const { body } = await admin.get('/export/receipts/packs?language=de').expect(200);
    const { data } = body as {
      data: { id: string; hasAnnual: boolean; hasCollective: boolean; fields: unknown[] }[];
    };
    expect(data.map(({ id }) => id).sort()).toEqual(['ca', 'ch', 'de', 'fr', 'nl', 'us']);
    expect(data.filter(({ hasAnnual }) => hasAnnual).map(({ id }) => id)).toEqual(['ch', 'nl']);
    expect(data.filter(({ hasCollective }) => hasCollective).map(({ id }) => id)).toEqual(['de']);
    expect(data.find(({ id }) => id === 'nl')?.fields).toEqual([
      {
        path: 'legal.nl.rsin',
        kind: 'text',
        label: 'RSIN der ANBI',
        hint: expect.stringContaining('Neun Ziffern'),
        maxLength: 9,
        choices: [],
        shownIf: null,
      },
      expect.objectContaining({ path: 'legal.nl.place', label: 'Ort der Ausstellung', maxLength: 60 }),
    ]);
    await admin.get('/export/receipts/packs?language=xx').expect(400);
  });

  it('have numbers without a gap, also if many requests come at once and some are refused', async () => {
    const event = await createEvent(app, admin.token);
    await admin.patch(`/events/${event.id}/settings`, { receipts: { pack: 'de' } }).expect(200);
    const ids: string[] = [];
    for (let index = 0; index < 12; index++)
      ids.push(await give(index % 3 === 0 ? null : ADDRESS, {}, event.id));
    const answers = await Promise.all([...ids, ...ids].map((id) => receipt(id)));
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(8);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(16);
    const [gaps] = await sql<{ most: number; all: number; last: number }>(
      app,
      `SELECT max(number) AS most, count(*)::int AS all, (SELECT max(last_number) FROM receipt_counter) AS last
       FROM (SELECT number FROM receipt UNION ALL SELECT number FROM collective_receipt) AS issued`,
    );
    expect(gaps?.most).toBe(gaps?.all);
    expect(gaps?.last).toBe(gaps?.all);
  });
});

describeWithTool('pdftotext', 'GET /export/fr/222bis', () => {
  it('counts and sums the French receipts of the accounting year, without void ones and without other packs', async () => {
    const { organization, legal, donorName, donorAddress } = SAMPLES.fr;
    const event = await createEvent(app, admin.token);
    await admin
      .patch(`/events/${event.id}/settings`, {
        receipts: { pack: 'fr' },
        legal: {
          legalName: organization.name,
          address: organization.address,
          signatory: organization.signatory,
          fr: legal,
        },
      })
      .expect(200);
    const year = new Date().getUTCFullYear();
    const giveInFrance = (values: object) =>
      give(donorAddress, { donorName, completedAt: `${year}-03-01T12:00:00.000Z`, ...values }, event.id);
    const kept = await giveInFrance({ amount: 10_000 });
    const older = await giveInFrance({ amount: 2_000, completedAt: `${year - 2}-06-01T12:00:00Z` });
    const returned = await giveInFrance({ amount: 5_000 });
    await giveInFrance({ amount: 70_000 });
    const text = await textOf(kept);
    expect(text).toContain('***100,00***');
    for (const id of [older, returned]) await receipt(id).expect(200);
    await admin.patch(`/donations/${kept}`, { benefitValue: 1_500, benefitText: 'Dîner' }).expect(200);
    expect(await textOf(kept)).toContain('***85,00***');
    await sql(app, "UPDATE donation SET status = 'REFUNDED', refunded_amount = amount WHERE id = $1", [
      returned,
    ]);
    const of = async (asked: number) =>
      (await admin.get(`/export/fr/222bis?year=${asked}`).expect(200)).body as object;
    expect(await of(year)).toEqual({
      from: `${year}-01-01`,
      to: `${year}-12-31`,
      receipts: 2,
      amount: 10_500,
      received: 8_500,
    });
    expect(await of(year - 2)).toMatchObject({ receipts: 0, amount: 0, received: 2_000 });
    await admin.get('/export/fr/222bis?year=soon').expect(400);
  });
});

describe('the settings of a pack', () => {
  it('are refused by name: an unknown pack, a wrong tax number and a day that does not exist', async () => {
    const { body } = await admin
      .patch('/settings/global', {
        receipts: { pack: 'xx' },
        legal: { de: { taxNumber: '17-412-34567', noticeDate: '2025-02-30', noticeKind: 'other' } },
      })
      .expect(400);
    const fields = (body as { fields: { field: string }[] }).fields.map(({ field }) => field);
    expect(fields.sort()).toEqual([
      'legal.de.noticeDate',
      'legal.de.noticeKind',
      'legal.de.taxNumber',
      'receipts.pack',
    ]);
  });
});
