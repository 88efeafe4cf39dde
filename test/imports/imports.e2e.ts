import { describe, expect, it } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { newId } from '../../src/common/crypto/ids.js';
import { ImportRetention } from '../../src/imports/import-retention.js';
import { ImportRunner } from '../../src/imports/import-runner.service.js';
import { as, errorBody } from '../support/bearer.js';
import { createEvent, sql } from '../support/fixtures.js';
import { withEvent, withStaff } from '../support/setup.js';
import { until } from '../support/until.js';

const evening = withEvent({ each: true });
const { app, admin, event } = evening;
const maria = withStaff(evening, { each: true });

interface ImportBody {
  id: string;
  status: string;
  encoding: string | null;
  delimiter: string | null;
  columns: { heading: string; field: string | null; examples: string[] }[];
  rows: number;
  rowsDone: number;
  created: number;
  changed: number;
  same: number;
  wrong: number;
}
interface CheckBody extends Pick<ImportBody, 'created' | 'changed' | 'same' | 'wrong'> {
  import: ImportBody;
  problems: { row: number; field: string; rule: string }[];
  formats?: { decimal: string | null; dateOrder: string | null };
}
interface GuestBody {
  id: string;
  name: string;
  email: string | null;
  table: string | null;
  paddle: string | null;
  note: string | null;
}

const send = (file: string | Uint8Array, fileName = 'guests.csv', ref = event.slug, kind = '') =>
  admin
    .post(`/events/${ref}/imports?fileName=${encodeURIComponent(fileName)}&kind=${kind}`)
    .set('Content-Type', 'application/octet-stream')
    .send(typeof file === 'string' ? file : Buffer.from(file));
const upload = async (file: string | Uint8Array) => (await send(file).expect(201)).body as ImportBody;
const check = async ({ id }: { id: string }, body: object = {}) =>
  (await admin.post(`/imports/${id}/check`, body).expect(200)).body as CheckBody;
const shown = async ({ id }: { id: string }) =>
  (await admin.get(`/imports/${id}`).expect(200)).body as ImportBody;
async function run(file: string | Uint8Array): Promise<ImportBody> {
  return await finish(await upload(file));
}
async function finish(made: ImportBody): Promise<ImportBody> {
  await admin.post(`/imports/${made.id}/run`).expect(202);
  await until(async () => (await shown(made)).status === 'done', 'the end of the import');
  return await shown(made);
}
const guests = async () =>
  ((await admin.get(`/events/${event.id}/guests?limit=1000`).expect(200)).body as { data: GuestBody[] }).data;
const counts = ({
  created,
  changed,
  same,
  wrong,
}: Pick<ImportBody, 'created' | 'changed' | 'same' | 'wrong'>) => ({
  created,
  changed,
  same,
  wrong,
});

const LIST = `Name;E-Mail;Tisch;Bieternummer;Farbe
Mary Jones;mary@example.org;12;117;red
Bob Jones;;12;117;blue
Zoë Müller;zoe@example.org;3;;
Zoë Müller;zoe@example.org;3;;
;nobody@example.org;4;;
Max;not an address;4;;
Eve;;5;117;
`;

describe('an uploaded guest list', () => {
  it('returns its encoding, its columns and examples of their values, and adds no guest', async () => {
    const made = await upload(LIST);
    expect(made).toMatchObject({
      status: 'uploaded',
      encoding: 'utf-8',
      delimiter: ';',
      rows: 7,
      created: 0,
    });
    expect(made.columns.map(({ heading, field }) => [heading, field])).toEqual([
      ['Name', 'name'],
      ['E-Mail', 'email'],
      ['Tisch', 'table'],
      ['Bieternummer', 'paddle'],
      ['Farbe', null],
    ]);
    expect(made.columns[1]?.examples).toEqual(['mary@example.org', 'zoe@example.org']);
    expect(await guests()).toEqual([]);
  });

  it('a check counts the rows and names every wrong cell, without adding a guest', async () => {
    const checked = await check(await upload(LIST));
    expect(counts(checked)).toEqual({ created: 4, changed: 0, same: 0, wrong: 3 });
    expect(checked.problems.map(({ row, field, rule }) => [row, field, rule])).toEqual([
      [6, 'name', 'required'],
      [7, 'email', 'email'],
      [8, 'paddle', 'duplicate'],
    ]);
    expect(await guests()).toEqual([]);
  });

  it('the wrong rows can be downloaded, corrected and uploaded again, before and after the import', async () => {
    const made = await upload(LIST);
    const file = async () => (await admin.get(`/imports/${made.id}/wrong-rows`).expect(200)).text;
    const before = await file();
    expect(before.split('\r\n').slice(0, 3)).toEqual([
      '\uFEFFName,E-Mail,Tisch,Bieternummer,Farbe,Problem',
      ',nobody@example.org,4,,,Name: Fill in this field.',
      'Max,not an address,4,,,E-Mail: Enter an e-mail address such as name@example.org.',
    ]);
    await admin.post(`/imports/${made.id}/run`).expect(202);
    await until(async () => (await shown(made)).status === 'done', 'the end of the import');
    expect(await file()).toBe(before);
    const corrected = before.replace('not an address', 'max@example.org').replace('117', '118');
    expect(counts(await run(corrected))).toEqual({ created: 2, changed: 0, same: 0, wrong: 1 });
  });

  it.each([
    ['de', 'Problem', 'Name: Füllen Sie dieses Feld aus.'],
    ['es', 'Problema', 'Name: Rellene este campo.'],
    ['fr', 'Problème', 'Name : Remplissez ce champ.'],
    ['it', 'Problema', 'Name: Compili questo campo.'],
    ['nl', 'Probleem', 'Name: Vul dit veld in.'],
  ])(
    'the wrong rows name their problems in the language %s of the reader, also after the import',
    async (language, heading, text) => {
      const made = await upload(LIST);
      const rows = async () =>
        (await admin.get(`/imports/${made.id}/wrong-rows?language=${language}`).expect(200)).text.split(
          '\r\n',
        );
      const before = await rows();
      expect([before[0]?.split(',').at(-1), before[1]?.split(',').at(-1)]).toEqual([heading, text]);
      await admin.post(`/imports/${made.id}/run`).expect(202);
      await until(async () => (await shown(made)).status === 'done', 'the end of the import');
      expect(await rows()).toEqual(before);
      await admin.get(`/imports/${made.id}/wrong-rows?language=xx`).expect(400);
    },
  );

  it('wrong rows that an earlier release stored keep their English problems', async () => {
    const done = await run(LIST);
    await sql(app, 'UPDATE table_import SET wrong_rows = $2 WHERE id = $1', [
      done.id,
      Buffer.from('\uFEFFName,problem\r\n,name must not be empty\r\n'),
    ]);
    expect((await admin.get(`/imports/${done.id}/wrong-rows?language=de`).expect(200)).text).toBe(
      '\uFEFFName,problem\r\n,name must not be empty\r\n',
    );
  });

  it('a check uses the corrected columns and encoding, and refuses invalid ones', async () => {
    const made = await upload(Buffer.from('Who,Where\nZo\u008e,12\n', 'latin1'));
    const unnamed = await check(made);
    expect(counts(unnamed)).toEqual({ created: 0, changed: 0, same: 0, wrong: 1 });
    expect(unnamed.problems).toMatchObject([{ row: 2, field: 'name', rule: 'required' }]);
    expect((await admin.post(`/imports/${made.id}/run`)).body).toEqual(
      errorBody(400, 'Bad Request', 'COLUMNS_INCOMPLETE'),
    );
    const checked = await check(made, { columns: ['name', 'table'], encoding: 'macintosh' });
    expect(counts(checked)).toEqual({ created: 1, changed: 0, same: 0, wrong: 0 });
    expect(checked.import.columns.map(({ field, examples }) => [field, ...examples])).toEqual([
      ['name', 'Zoé'],
      ['table', '12'],
    ]);
    for (const wrong of [
      { columns: ['name', 'name'] },
      { columns: ['age'] },
      { delimiter: '#' },
      { sheet: 2 },
    ])
      await admin.post(`/imports/${made.id}/check`, wrong).expect(400);
  });

  it('gets the fields of the latest import for columns with the same headings', async () => {
    const file = 'Who,Where\nAda,12\n';
    const first = await upload(file);
    await check(first, { columns: ['name', 'table'] });
    await admin.post(`/imports/${first.id}/run`).expect(202);
    const second = await upload(file);
    expect(second.columns.map(({ field }) => field)).toEqual(['name', 'table']);
  });

  it('is refused and not stored if the file is not a table', async () => {
    for (const [file, code] of [
      ['', 'TABLE_EMPTY'],
      ['Name\n', 'TABLE_EMPTY'],
      ['%PDF-1.7 a report', 'TABLE_UNREADABLE'],
      [Buffer.from('PK\u0003\u0004 damaged'), 'TABLE_UNREADABLE'],
      [`Name\n${'Ada\n'.repeat(20_001)}`, 'TABLE_TOO_LARGE'],
    ] as const)
      expect((await send(file)).body).toEqual(errorBody(400, 'Bad Request', code));
    expect((await send('x'.repeat(5 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await admin.get(`/events/${event.id}/imports`).expect(200)).body).toEqual({ data: [] });
  });

  it('can be discarded before the import', async () => {
    const made = await upload(LIST);
    await admin.delete(`/imports/${made.id}`).expect(200);
    await admin.get(`/imports/${made.id}`).expect(404);
    const done = await run(LIST);
    expect((await admin.delete(`/imports/${done.id}`)).body).toEqual(
      errorBody(409, 'Conflict', 'IMPORT_OVER'),
    );
  });

  it('is refused to volunteers, and an unknown id answers 404', async () => {
    const made = await upload(LIST);
    const staff = as(app, maria.token);
    await staff.get(`/imports/${made.id}`).expect(403);
    await staff.post(`/imports/${made.id}/run`).expect(403);
    await admin.get(`/imports/${newId()}`).expect(404);
    await admin.get('/imports/garbage').expect(404);
    await send(LIST, 'guests.csv', 'no-such-event').expect(404);
  });
});

describe('an import', () => {
  it('adds the right rows once, also when it is started twice and the list is imported again', async () => {
    const made = await upload(LIST);
    await Promise.all([1, 2].map(() => admin.post(`/imports/${made.id}/run`).expect(202)));
    await until(async () => (await shown(made)).status === 'done', 'the end of the import');
    expect(counts(await shown(made))).toEqual({ created: 4, changed: 0, same: 0, wrong: 3 });
    expect((await guests()).map(({ name, paddle }) => [name, paddle])).toEqual([
      ['Bob Jones', '117'],
      ['Mary Jones', '117'],
      ['Zoë Müller', null],
      ['Zoë Müller', null],
    ]);
    expect(counts(await run(LIST))).toEqual({ created: 0, changed: 0, same: 4, wrong: 3 });
    expect(await guests()).toHaveLength(4);
    const [row] = await sql<{ file: Buffer | null }>(app, 'SELECT file FROM table_import WHERE id = $1', [
      made.id,
    ]);
    expect(row?.file).toBeNull();
  });

  it('reads a workbook', async () => {
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const file = zipSync({
      'xl/workbook.xml': strToU8('<workbook/>'),
      'xl/worksheets/sheet1.xml': strToU8(
        `<worksheet><sheetData><row>${cell('Vorname')}${cell('Nachname')}${cell('Tisch')}</row>
         <row>${cell('Ada')}${cell('Lovelace')}<c><v>12</v></c></row></sheetData></worksheet>`,
      ),
    });
    const done = await run(file);
    expect(done).toMatchObject({ encoding: null, delimiter: null, created: 1 });
    expect(await guests()).toMatchObject([{ name: 'Ada Lovelace', table: '12' }]);
  });

  it('imports the exported guest list without changing a guest', async () => {
    await run(LIST.replace('red', 'red').replace('Mary Jones', '"=Mary ""M"" Jones"'));
    const before = await guests();
    const file = (await admin.get(`/events/${event.id}/guests/export`).expect(200)).text;
    expect(counts(await run(file))).toEqual({ created: 0, changed: 0, same: 4, wrong: 0 });
    expect(await guests()).toEqual(before);
  });

  it('continues after a crash in the middle, and imports no row twice', async () => {
    const many = `Name,Table\n${Array.from({ length: 1_600 }, (_, index) => `Guest ${index},${index % 40}`).join('\n')}`;
    const made = await upload(many);
    // The state after a crash: two batches are committed, and no process works on the import.
    await sql(app, "UPDATE table_import SET status = 'running' WHERE id = $1", [made.id]);
    const runner = app.app.get(ImportRunner);
    await sql(
      app,
      `CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'crash'; END $$;
       CREATE TRIGGER crash BEFORE UPDATE ON table_import FOR EACH ROW WHEN (NEW.rows_done > 1000) EXECUTE FUNCTION crash()`,
    );
    // Another import was left unfinished too. It has the later id, so it is after the failing import.
    const other = await upload('Name\nAda\n');
    await sql(app, "UPDATE table_import SET status = 'running' WHERE id = $1", [other.id]);
    await runner.resume();
    expect(await shown(other)).toMatchObject({ status: 'done', created: 1 });
    expect(await shown(made)).toMatchObject({ status: 'running', rowsDone: 1_000, created: 1_000 });
    await sql(app, 'DROP FUNCTION crash CASCADE');
    await Promise.all([runner.resume(), runner.resume()]);
    await until(async () => (await shown(made)).status === 'done', 'the end of the import');
    expect(counts(await shown(made))).toEqual({ created: 1_600, changed: 0, same: 0, wrong: 0 });
    const [row] = await sql<{ guests: string }>(
      app,
      'SELECT count(*) AS guests FROM guest WHERE event_id = $1',
      [event.id],
    );
    expect(Number(row?.guests)).toBe(1_601);
  });

  it('checks 20,000 rows within ten seconds', async () => {
    const many = `Name,E-Mail,Table\n${Array.from({ length: 20_000 }, (_, index) => `Guest ${index},g${index}@example.org,${index % 200}`).join('\n')}`;
    const made = await upload(many);
    const begin = performance.now();
    expect((await check(made)).created).toBe(20_000);
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  it('an import beyond 20,000 guests is refused at its start', async () => {
    await admin.post(`/events/${event.id}/guests`, { name: 'Ada' }).expect(201);
    const made = await upload(
      `Name\n${Array.from({ length: 20_000 }, (_, index) => `G${index}`).join('\n')}`,
    );
    expect((await admin.post(`/imports/${made.id}/run`)).body).toEqual(
      errorBody(409, 'Conflict', 'TOO_MANY_GUESTS'),
    );
  });

  it('guests of a full list can be imported again, because rows of known guests add nothing', async () => {
    await sql(
      app,
      `INSERT INTO guest (id, event_id, name) SELECT gen_random_uuid(), $1, 'G' || number FROM generate_series(1, 20000) AS number`,
      [event.id],
    );
    expect(counts(await run('Name\nG1\nG2\n'))).toEqual({ created: 0, changed: 0, same: 2, wrong: 0 });
    const made = await upload('Name\nG1\nNew\n');
    expect((await admin.post(`/imports/${made.id}/run`)).body).toEqual(
      errorBody(409, 'Conflict', 'TOO_MANY_GUESTS'),
    );
  });
});

describe('the undo of an import', () => {
  const undo = ({ id }: { id: string }) => admin.post(`/imports/${id}/undo`);

  it('deletes the new guests and gives changed guests their earlier values; the list can be imported again', async () => {
    const first = await run('Name,Table,Paddle,Note\nMary,12,7,Vegetarian\nBob,12,8,\n');
    const before = await guests();
    const second = await run('Name,Table,Paddle,Note\nMary,12,8,Vegan\nBob,12,7,\nEve,3,9,\n');
    expect(counts(second)).toEqual({ created: 1, changed: 2, same: 0, wrong: 0 });
    for (let times = 0; times < 2; times++)
      expect((await undo(second).expect(200)).body).toMatchObject({ status: 'undone' });
    const withoutTime = (list: object[]) => list.map((one) => ({ ...one, updatedAt: null }));
    expect(withoutTime(await guests())).toEqual(withoutTime(before));
    await undo(first).expect(409);
    expect(counts(await run('Name,Table,Paddle,Note\nEve,3,9,\n'))).toEqual({
      created: 1,
      changed: 0,
      same: 0,
      wrong: 0,
    });
  });

  it('is refused as a whole after a guest was changed, and names the rows', async () => {
    const done = await run('Name,Table\nMary,12\nBob,12\n');
    const mary = (await guests()).find(({ name }) => name === 'Mary');
    await admin.post(`/guests/${String(mary?.id)}/check-in`, {}).expect(200);
    const { body } = await undo(done);
    expect(body).toEqual(errorBody(409, 'Conflict', 'IMPORT_CHANGED'));
    expect((body as { message: string }).message).toContain('in rows 2');
    expect((await admin.get(`/imports/${done.id}/changed-rows`).expect(200)).body).toEqual({
      data: [{ number: 2, name: 'Mary' }],
    });
    expect(await guests()).toHaveLength(2);
  });

  it('is refused while the list is only uploaded', async () => {
    expect((await undo(await upload(LIST))).body).toEqual(errorBody(409, 'Conflict', 'IMPORT_OVER'));
  });
});

interface DonationBody {
  id: string;
  amount: number;
  type: string;
  status: string;
  donorName: string | null;
  donorEmail: string | null;
  isAnonymous: boolean;
  paddle: string | null;
  completedAt: string | null;
  isPastDonation?: boolean;
}
const donations = async (ref = event.slug) =>
  ((await admin.get(`/donations?eventId=${ref}&limit=100`).expect(200)).body as { data: DonationBody[] })
    .data;
/** Totals of the event, and the sum of its completed rows. */
const sums = async (eventId: string) => {
  const [row] = await sql<{ total: string; rows: string }>(
    app,
    `SELECT coalesce((SELECT sum(total_raised) FROM event_total WHERE event_id = $1), 0)::text AS total,
      coalesce((SELECT sum(amount) FROM donation WHERE event_id = $1 AND status = 'COMPLETED'), 0)::text AS rows`,
    [eventId],
  );
  return [Number(row?.total), Number(row?.rows)];
};

describe('an imported list of pledges', () => {
  const PLEDGES = `Betrag;Name;E-Mail;Bieternummer;Währung
1.500,00;;;117;EUR
250,00;Grace;grace@example.org;;eur
250,00;Grace;grace@example.org;;
0;Zero;;;
12,345;Half;;;
100,00;Max;not an address;;
100,00;Eve;;no 7;CHF
`;
  const uploadPledges = async (file = PLEDGES) =>
    (await send(file, 'pledges.csv', event.slug, 'pledges').expect(201)).body as ImportBody;

  it('adds each pledge once, also if the list is imported twice, and equal rows are pledges of their own', async () => {
    await admin
      .post(`/events/${event.id}/guests`, { name: 'Ada', email: 'ada@example.org', paddle: '117' })
      .expect(201);
    const made = await uploadPledges();
    expect(made.columns.map(({ field }) => field)).toEqual(['amount', 'name', 'email', 'paddle', 'currency']);
    const checked = await check(made);
    expect(counts(checked)).toEqual({ created: 3, changed: 0, same: 0, wrong: 4 });
    expect(checked.formats).toEqual({ decimal: ',', dateOrder: 'dmy' });
    expect(checked.problems.map(({ row, field, rule }) => [row, field, rule])).toEqual([
      [5, 'amount', 'pattern'],
      [6, 'amount', 'pattern'],
      [7, 'email', 'email'],
      [8, 'currency', 'choice'],
      [8, 'paddle', 'pattern'],
    ]);
    expect(await donations()).toEqual([]);
    expect(counts(await finish(made))).toEqual(counts(checked));
    const shape = ({ amount, donorName, donorEmail, paddle }: DonationBody) => [
      amount,
      donorName,
      donorEmail,
      paddle,
    ];
    const added = await donations();
    expect(added.map(shape).sort()).toEqual([
      [150_000, 'Ada', 'ada@example.org', '117'],
      [25_000, 'Grace', 'grace@example.org', null],
      [25_000, 'Grace', 'grace@example.org', null],
    ]);
    // The donors gave their names for the list, and not for the wall.
    for (const { type, status, isAnonymous } of added)
      expect({ type, status, isAnonymous }).toEqual({ type: 'pledge', status: 'PENDING', isAnonymous: true });
    expect(counts(await finish(await uploadPledges()))).toEqual({
      created: 0,
      changed: 0,
      same: 3,
      wrong: 4,
    });
    expect(await sums(event.id)).toEqual([0, 0]);
    const { body } = await admin.get(`/donations/${added[0]?.id ?? ''}/history`).expect(200);
    expect(JSON.stringify(body)).toContain('imported');
  });

  it('can be undone until a pledge is paid, and imported again after the undo', async () => {
    const done = await finish(await uploadPledges());
    const undone = await admin.post(`/imports/${done.id}/undo`).expect(200);
    expect(undone.body).toMatchObject({ status: 'undone' });
    expect((await donations()).map(({ status }) => status)).toEqual(Array(3).fill('CANCELLED'));
    const again = await finish(await uploadPledges());
    expect(again).toMatchObject({ created: 3, same: 0 });
    const open = (await donations()).find(({ status }) => status === 'PENDING');
    await admin.post(`/donations/${open?.id ?? ''}/fulfil`, { type: 'cash' }).expect(200);
    expect((await admin.post(`/imports/${again.id}/undo`)).body).toEqual(
      errorBody(409, 'Conflict', 'IMPORT_CHANGED'),
    );
    expect((await admin.get(`/imports/${again.id}/changed-rows`).expect(200)).body).toMatchObject({
      data: [{ number: expect.any(Number) as unknown }],
    });
    expect(await sums(event.id)).toEqual([open?.amount, open?.amount]);
  });

  it('knows the rounds of the event by name, and refuses amounts above the limit of the event', async () => {
    const { body: round } = await admin
      .post('/pledge-rounds', { eventId: event.id, amount: 10_000, name: 'Roof' })
      .expect(201);
    await admin
      .patch(`/events/${event.id}/settings`, {
        donation: { maxOfflineAmount: 50_000, confirmOfflineAbove: 10_000 },
      })
      .expect(200);
    const made = await uploadPledges('Amount,Round,Paddle\n500,roof,1\n100,Cellar,2\n500.01,,3\n');
    expect((await check(made)).problems.map(({ row, field, rule }) => [row, field, rule])).toEqual([
      [3, 'round', 'choice'],
      [4, 'amount', 'maximum'],
    ]);
    await finish(made);
    expect(await donations()).toMatchObject([
      { amount: 50_000, roundId: (round as { id: string }).id, paddle: '1' },
    ]);
  });
});

describe('imported past donations', () => {
  const past = async () => {
    const made = await createEvent(app, admin.token, { name: 'Before 2026' });
    await admin.patch(`/events/${made.id}`, { status: 'archived' }).expect(200);
    return made;
  };
  const uploadGifts = async (file: string, ref: string) =>
    (await send(file, 'gifts.csv', ref, 'donations').expect(201)).body as ImportBody;

  it('count at the day on which they arrived, without receipts, and only in an archived event', async () => {
    const GIFTS = `Amount,Received on,Name,E-mail,Kind
"1,200.50",2019-12-24,Ada,ada@example.org,Cheque
30.00,31/12/2020,,,Efectivo
30.00,31/12/2020,,,Efectivo
10.00,01/01/2999,,,
10.00,,,,Gold
`;
    expect((await send(GIFTS, 'gifts.csv', event.slug, 'donations')).body).toEqual(
      errorBody(409, 'Conflict', 'EVENT_NOT_ARCHIVED'),
    );
    const { id, slug } = await past();
    expect((await send(GIFTS, 'pledges.csv', slug, 'pledges')).body).toEqual(
      errorBody(409, 'Conflict', 'EVENT_TAKES_NO_DONATIONS'),
    );
    const made = await uploadGifts(GIFTS, slug);
    expect((await check(made)).problems.map(({ row, field, rule }) => [row, field, rule])).toEqual([
      [5, 'date', 'date'],
      [6, 'date', 'required'],
      [6, 'type', 'choice'],
    ]);
    expect(await finish(made)).toMatchObject({ created: 3, wrong: 2 });
    const gifts = await donations(slug);
    expect(gifts.map(({ amount, type, completedAt }) => [amount, type, completedAt]).sort()).toEqual([
      [120_050, 'check', '2019-12-24T12:00:00.000Z'],
      [3_000, 'cash', '2020-12-31T12:00:00.000Z'],
      [3_000, 'cash', '2020-12-31T12:00:00.000Z'],
    ]);
    expect(await sums(id)).toEqual([126_050, 126_050]);
    expect(await sums(event.id)).toEqual([0, 0]);
    for (const { id: gift, isPastDonation, status } of gifts) {
      expect({ isPastDonation, status }).toEqual({ isPastDonation: true, status: 'COMPLETED' });
      expect((await admin.get(`/export/receipts/${gift}`)).body).toEqual(
        errorBody(409, 'Conflict', 'PAST_DONATION'),
      );
    }
    await app.http.get(`/events/${slug}`).expect(404);
    const again = await finish(await uploadGifts(GIFTS, slug));
    expect(again).toMatchObject({ created: 0, same: 3 });
    await admin.post(`/imports/${made.id}/undo`).expect(200);
    expect(await sums(id)).toEqual([0, 0]);
  });

  it('a file whose amounts or days have two meanings is refused until a person chooses the meaning', async () => {
    const { slug } = await past();
    const made = await uploadGifts('Amount,Date\n1.234,03/04/2020\n', slug);
    expect((await check(made)).formats).toEqual({ decimal: null, dateOrder: null });
    expect((await admin.post(`/imports/${made.id}/run`)).body).toEqual(
      errorBody(400, 'Bad Request', 'FORMAT_UNCLEAR'),
    );
    await check(made, { decimal: ',' });
    const checked = await check(made, { dateOrder: 'mdy' });
    expect(checked).toMatchObject({ created: 1, wrong: 0, formats: { decimal: ',', dateOrder: 'mdy' } });
    await finish(made);
    expect(await donations(slug)).toMatchObject([
      { amount: 123_400, completedAt: '2020-03-04T12:00:00.000Z' },
    ]);
    const without = await uploadGifts('Amount\n5\n', slug);
    expect((await admin.post(`/imports/${without.id}/run`)).body).toEqual(
      errorBody(400, 'Bad Request', 'COLUMNS_INCOMPLETE'),
    );
  });

  it('come from the CSV export of donations without choosing a column', async () => {
    for (const [amount, type] of [
      [2_550, 'cash'],
      [100_000, 'bank_transfer'],
      [5_000, 'pledge'],
    ])
      await admin.post('/donations', { amount, type, eventId: event.id, donorName: 'Ada "A"' }).expect(201);
    const file = (await admin.get(`/donations/export?eventId=${event.id}`).expect(200)).text;
    const { id, slug } = await past();
    const made = await uploadGifts(file, slug);
    const checked = await check(made);
    expect(checked.problems.map(({ field }) => field)).toEqual(['status', 'date', 'type']);
    expect(await finish(made)).toMatchObject({ created: 2, wrong: 1 });
    expect(
      (await donations(slug)).map(({ amount, type, donorName }) => [amount, type, donorName]).sort(),
    ).toEqual([
      [100_000, 'bank_transfer', 'Ada "A"'],
      [2_550, 'cash', 'Ada "A"'],
    ]);
    expect(await sums(id)).toEqual([102_550, 102_550]);
  });

  it('are checked within ten seconds, 20,000 rows, and continue after a crash without a second booking', async () => {
    const { id, slug } = await past();
    const row = (index: number) =>
      `${index % 500}.50,2020-01-${String(1 + (index % 28)).padStart(2, '0')},Donor ${index},d${index % 900}@example.org,cash`;
    const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index));
    const large = await uploadGifts(`Amount,Date,Name,E-mail,Kind\n${rows(20_000).join('\n')}`, slug);
    const begin = performance.now();
    expect((await check(large)).created).toBe(20_000);
    expect(performance.now() - begin).toBeLessThan(10_000);
    const made = await uploadGifts(`Amount,Date,Name,E-mail,Kind\n${rows(1_200).join('\n')}`, slug);
    await sql(app, "UPDATE table_import SET status = 'running' WHERE id = $1", [made.id]);
    await sql(
      app,
      `CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'crash'; END $$;
       CREATE TRIGGER crash BEFORE UPDATE ON table_import FOR EACH ROW WHEN (NEW.rows_done > 500) EXECUTE FUNCTION crash()`,
    );
    const runner = app.app.get(ImportRunner);
    await runner.resume();
    expect(await shown(made)).toMatchObject({ status: 'running', rowsDone: 500, created: 500 });
    await sql(app, 'DROP FUNCTION crash CASCADE');
    await Promise.all([runner.resume(), runner.resume()]);
    await until(async () => (await shown(made)).status === 'done', 'the end of the import');
    expect(counts(await shown(made))).toEqual({ created: 1_200, changed: 0, same: 0, wrong: 0 });
    const sum = Array.from({ length: 1_200 }, (_, index) => (index % 500) * 100 + 50).reduce((a, b) => a + b);
    expect(await sums(id)).toEqual([sum, sum]);
    await admin.post(`/imports/${made.id}/undo`).expect(200);
    expect(await sums(id)).toEqual([0, 0]);
  });
});

describe('personal data of imports', () => {
  it('an erasure removes the donor from uploads, wrong rows and earlier values', async () => {
    await run('Name,E-Mail,Table,Note\nMary Jones,mary@example.org,12,first\nMax,mary@example.org x,,\n');
    await run('Name,E-Mail,Table,Note\nMary Jones,mary@example.org,12,second\n');
    const pending = await upload('Name,E-Mail\nMary Jones,mary@example.org\n');
    await admin
      .post('/donations', {
        amount: 500,
        type: 'cash',
        eventId: event.id,
        donorName: 'Mary Jones',
        donorEmail: 'mary@example.org',
      })
      .expect(201);
    const { body } = await admin.get('/donors').expect(200);
    await admin.delete(`/donors/${String((body as { data: { key: string }[] }).data[0]?.key)}`).expect(200);
    await admin.get(`/imports/${pending.id}`).expect(404);
    const rows = await sql<{ text: string }>(
      app,
      `SELECT coalesce(convert_from(wrong_rows, 'UTF8'), '') || i::text AS text FROM table_import i WHERE event_id = $1
       UNION ALL SELECT r::text FROM table_import_row r JOIN table_import i ON i.id = r.import_id WHERE event_id = $1
       UNION ALL SELECT g::text FROM guest g WHERE event_id = $1`,
      [event.id],
    );
    expect(rows.filter(({ text }) => /mary/i.test(text))).toEqual([]);
  });

  it('an upload is deleted after a day, an import after thirty days; its guests stay', async () => {
    const retention = app.app.get(ImportRetention);
    const [pending, done] = [await upload(LIST), await run('Name\nAda\n')];
    await sql(app, 'DELETE FROM table_import WHERE event_id <> $1', [event.id]);
    await sql(app, "UPDATE table_import SET created_at = now() - interval '25 hours'");
    expect(await retention.delete()).toBe(1);
    await admin.get(`/imports/${pending.id}`).expect(404);
    await sql(app, "UPDATE table_import SET created_at = now() - interval '31 days'");
    expect(await retention.delete()).toBe(1);
    await admin.get(`/imports/${done.id}`).expect(404);
    expect(await guests()).toHaveLength(1);
  });

  it('another event has its own imports', async () => {
    await run('Name\nAda\n');
    const other = await createEvent(app, admin.token);
    expect((await admin.get(`/events/${other.id}/imports`).expect(200)).body).toEqual({ data: [] });
  });
});
