import { beforeAll, describe, expect, it } from '@jest/globals';
import type TestAgent from 'supertest/lib/agent.js';
import { OwnSessions } from '../../src/donors/own/own-sessions.service.js';
import { pdfText } from '../export/tools.js';
import { SAMPLES } from '../receipts/pack-samples.js';
import { errorBody } from '../support/bearer.js';
import { createEvent, type EventFixture, sql } from '../support/fixtures.js';
import { FAST_MAIL, MailServer } from '../support/mail-server.js';
import { startPaymentsApp } from '../support/payments.js';
import { recordPledge, someAddress } from '../support/pledges.js';
import { withEvent, withOpened } from '../support/setup.js';
import { itWithTool } from '../support/tools.js';
import { until } from '../support/until.js';

const mail = withOpened(() => MailServer.start());
const { app, admin, event } = withEvent({
  start: () => startPaymentsApp(mail.environment, { mailTimes: FAST_MAIL, trustProxy: 1 }),
  fields: { name: 'Winter Gala' },
});
let other: EventFixture;

beforeAll(async () => {
  other = await createEvent(app, admin.token, { name: 'Charity Run' });
  await admin
    .patch('/settings/global', { organization: 'Haus am See', timezone: 'Europe/Berlin' })
    .expect(200);
});

let networks = 0;
/** An address of a network that no other request of this file uses. */
const newNetwork = () => `2001:db8:${(++networks).toString(16)}::1`;

const give = async (fields: object): Promise<string> => {
  const { body } = await admin
    .post('/donations', { amount: 1000, type: 'cash', eventId: event.id, donorName: 'Ada', ...fields })
    .expect(201);
  return (body as { id: string }).id;
};
const ask = (email: string, { ip = newNetwork(), lang = 'en' } = {}) =>
  app.http
    .post(`/me?lang=${lang}`)
    .set({ Accept: 'text/html', 'X-Forwarded-For': ip })
    .type('form')
    .send({ email });
const open = (agent: TestAgent, path = '/me') => agent.get(path).set('Accept', 'text/html');
const press = (agent: TestAgent, path: string) =>
  agent.post(path).set('Accept', 'text/html').type('form').send('go=1');

/** Requests a link for an address with donations, and returns its path. */
async function linkFor(email: string, lang = 'en'): Promise<string> {
  const before = mail.to(email).length;
  await ask(email, { lang }).expect(200);
  await until(() => mail.to(email).length > before, 'the link');
  const { pathname, search } = new URL(
    /http\S+\/me\/sign-in\/\S+/.exec(mail.to(email).at(-1)?.text ?? '')?.[0] ?? '',
  );
  return pathname + search;
}

/** Signs a new browser in. */
async function signIn(email: string): Promise<TestAgent> {
  const agent = app.agent();
  await press(agent, await linkFor(email)).expect(303);
  return agent;
}
const isSignedIn = async (agent: TestAgent) =>
  !(await open(agent).expect(200)).text.includes('Send me a link');

describe('the request for a link', () => {
  it('a known and an unknown address get the same answer, and only the known one an e-mail', async () => {
    const known = someAddress();
    await give({ donorEmail: known });
    const unknown = someAddress();
    const [one, two] = [await ask(known).expect(200), await ask(unknown).expect(200)];
    expect(one.text).toContain('If we know this address, a link is on its way.');
    expect(two.text).toBe(one.text);
    const shown = ({ date: _, 'x-request-id': __, ...headers }: Record<string, string>) =>
      Object.keys(headers).sort();
    expect(shown(two.headers as Record<string, string>)).toEqual(shown(one.headers));
    await until(() => mail.to(known).length === 1, 'the link');
    expect(mail.tries).not.toContain(unknown);
    expect(one.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
  });

  it('takes no longer for a known address than for an unknown one', async () => {
    const known = Array.from({ length: 12 }, someAddress);
    for (const donorEmail of known) await give({ donorEmail });
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (const email of known)
      for (const kind of ['known', 'unknown'] as const) {
        const started = performance.now();
        await ask(kind === 'known' ? email : someAddress()).expect(200);
        times[kind].push(performance.now() - started);
      }
    const median = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
    const [first, second] = [median(times.known), median(times.unknown)];
    expect(Math.max(first, second)).toBeLessThan(10 * Math.min(first, second));
    await until(() => known.every((email) => mail.to(email).length === 1), 'the links');
  });

  it('finds every spelling of an address, and sends the link to the address of the donation', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    await ask(`  ${email.toUpperCase()} `).expect(200);
    await until(() => mail.to(email).length === 1, 'the link');
    expect(mail.tries).not.toContain(email.toUpperCase());
  });

  it('refuses a text that is no e-mail address, in the language of the page', async () => {
    const { text } = await ask('ada', { lang: 'de' }).expect(400);
    expect(text).toContain('Bitte geben Sie eine vollständige E-Mail-Adresse ein');
    expect(text).toContain('value="ada"');
    await ask('', {}).expect(400);
  });

  it('an address gets three links an hour, whether it is known or not', async () => {
    const known = someAddress();
    await give({ donorEmail: known });
    for (const email of [known, someAddress()]) {
      for (const _ of [1, 2, 3]) await ask(email).expect(200);
      const { text, headers } = await ask(email.toUpperCase()).expect(429);
      expect(text).toContain('The latest link still works for 20 minutes.');
      expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
    }
  });

  it('a network may request twenty links an hour', async () => {
    const ip = '203.0.113.77';
    for (let count = 0; count < 20; count++) await ask(someAddress(), { ip }).expect(200);
    await ask(someAddress(), { ip }).expect(429);
    await ask(someAddress()).expect(200);
  });

  it('the audit records the request without the address', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    await linkFor(email);
    const { body } = await admin.get('/audit?action=donor.request_link').expect(200);
    const entries = (body as { data: { actor: string; subjectId: string | null }[] }).data;
    expect(entries[0]).toMatchObject({ actor: 'system', subjectId: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.stringify(entries)).not.toContain('@');
  });
});

describe('the link', () => {
  it('does not sign in when a mail program opens it, only with its button, and only once', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    const path = await linkFor(email);
    const agent = app.agent();
    for (const method of ['get', 'head', 'get'] as const) await agent[method](path).expect(200);
    expect((await open(agent, path).expect(200)).text).toContain('Show my donations');
    expect(await isSignedIn(agent)).toBe(false);
    const answer = await press(agent, path).expect(303);
    expect(answer.headers.location).toBe('/me?lang=en');
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^donor=[\w-]{43}; Max-Age=28800; Path=\/; .*HttpOnly; SameSite=Lax/,
    );
    expect(await isSignedIn(agent)).toBe(true);
    const second = app.agent();
    expect((await press(second, path).expect(410)).text).toContain('This link no longer works');
    expect((await open(second, path).expect(410)).text).toContain('Request a new link');
    expect(await isSignedIn(second)).toBe(false);
  });

  it('works in two browsers with two links, and the end of one session leaves the other', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    const [one, two] = [await signIn(email), await signIn(email)];
    expect((await press(one, '/me/sign-out').expect(200)).text).toContain('You are signed out');
    expect(await isSignedIn(one)).toBe(false);
    expect(await isSignedIn(two)).toBe(true);
  });

  it('ends after 20 minutes; a wrong one never works', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    const path = await linkFor(email);
    await sql(
      app,
      "UPDATE donor_link SET expires_at = expires_at - interval '20 minutes' WHERE used_at IS NULL",
    );
    for (const wrong of [path, `/me/sign-in/${'A'.repeat(43)}`, '/me/sign-in/x']) {
      await open(app.agent(), wrong).expect(410);
      await press(app.agent(), wrong).expect(410);
    }
  });

  it('the database stores only the digest of the link, and no log contains the link', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    const token = /sign-in\/([\w-]{43})/.exec(await linkFor(email))?.[1] ?? '';
    await until(
      async () =>
        (await sql(app, "SELECT 1 FROM email WHERE kind = 'own_page_link' AND sealed IS NOT NULL")).length ===
        0,
      'the sent e-mail',
    );
    const rows = await sql<{ row: string }>(
      app,
      'SELECT t::text AS row FROM email t UNION ALL SELECT t::text FROM donor_link t UNION ALL SELECT t::text FROM audit_entry t',
    );
    expect(rows.length).toBeGreaterThan(3);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('the form of another site, and a request without a form, use no link', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    const path = await linkFor(email);
    await press(app.agent(), path).set('Origin', 'https://other.example').expect(415);
    await press(app.agent(), path).set('Sec-Fetch-Site', 'cross-site').expect(415);
    await app.agent().post(path).set('Origin', 'https://other.example').expect(415);
    await press(app.agent(), path).expect(303);
  });
});

describe('the session', () => {
  it('ends after 30 minutes without a request, and after 8 hours', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    const agent = await signIn(email);
    const key = "donor_key = (SELECT donor_key FROM donation WHERE donor_email = '" + email + "' LIMIT 1)";
    const age = (column: string, time: string) =>
      sql(app, `UPDATE donor_session SET ${column} = now() - interval '${time}' WHERE ${key}`);
    await age('used_at', '29 minutes');
    expect(await isSignedIn(agent)).toBe(true);
    await age('created_at', '7 hours 59 minutes');
    expect(await isSignedIn(agent)).toBe(true);
    await age('used_at', '30 minutes');
    expect(await isSignedIn(agent)).toBe(false);
    expect((await open(agent, '/me/statements/2026').expect(303)).headers.location).toBe('/me');
    const again = await signIn(email);
    await age('created_at', '8 hours');
    expect(await isSignedIn(again)).toBe(false);
    await app.app.get(OwnSessions, { strict: false }).prune();
    expect(await sql(app, `SELECT 1 FROM donor_session WHERE ${key}`)).toEqual([]);
  });

  it('ends with the erasure of the donor, as do the links', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    const agent = await signIn(email);
    const unused = await linkFor(email);
    const { body } = await admin.get(`/donors?search=${email}`).expect(200);
    const [{ key } = { key: '' }] = (body as { data: { key: string }[] }).data;
    const exported = await admin.get(`/donors/${key}/export`).expect(200);
    expect(exported.body).toMatchObject({ ownPageLinks: [{}, {}], ownPageSessions: [{}] });
    await admin.delete(`/donors/${key}`).expect(200);
    expect(await isSignedIn(agent)).toBe(false);
    await press(app.agent(), unused).expect(410);
    const sent = mail.to(email).length;
    await ask(email).expect(200);
    await ask(someAddress()).expect(200);
    expect(mail.to(email)).toHaveLength(sent);
    expect(await sql(app, 'SELECT 1 FROM email WHERE subject LIKE $1', [`${key}%`])).toEqual([]);
  });
});

describe('the page', () => {
  it('shows the gifts of all events, also anonymous ones, and nothing of another donor', async () => {
    const email = someAddress();
    await give({ donorEmail: email.toUpperCase(), amount: 2_200, eventId: other.id, isAnonymous: true });
    await give({ donorEmail: email, amount: 1_100 });
    await give({ donorEmail: someAddress(), amount: 7_700 });
    const agent = await signIn(email);
    const { text, headers } = await open(agent).expect(200);
    expect(text).toContain('€11.00');
    expect(text).toContain('€22.00');
    expect(text).toContain('Charity Run');
    expect(text).toContain('shown without your name');
    expect(text).toContain('shows everything that was given with the address');
    expect(text).not.toContain('€77.00');
    expect(text).toContain('noindex');
    expect(headers['cache-control']).toBe('no-store');
    expect((await open(agent, '/me?lang=de').expect(200)).text).toContain('Eingegangen');
  });

  it('gives the receipts of the donor, the first one as the original, and none of another donor', async () => {
    const email = someAddress();
    const own = await give({ donorEmail: email });
    const others = await give({ donorEmail: someAddress() });
    const agent = await signIn(email);
    expect((await open(agent).expect(200)).text).toContain(`/me/receipts/${own}`);
    await agent.head(`/me/receipts/${own}`).expect(200);
    const isCopy = async () => {
      const { body, headers } = await agent.get(`/me/receipts/${own}`).responseType('blob').expect(200);
      expect(headers).toMatchObject({ 'content-type': 'application/pdf', 'cache-control': 'no-store' });
      return (body as Buffer).length;
    };
    const [original, copy] = [await isCopy(), await isCopy()];
    expect(copy).not.toBe(original);
    expect((await agent.get(`/me/receipts/${others}`).expect(404)).body).toEqual(
      errorBody(404, 'Not Found', 'DONATION_NOT_FOUND'),
    );
    await agent.get('/me/receipts/x').expect(404);
    await app.http.get(`/me/receipts/${own}`).expect(303);
    const { body } = await admin.get('/audit?action=receipt.pdf').expect(200);
    expect((body as { data: object[] }).data).toMatchObject([
      { actor: 'donor', subjectId: own },
      { actor: 'donor', subjectId: own },
    ]);
  });

  it('gives no receipts of an event that offers none to donors', async () => {
    const email = someAddress();
    const closed = await createEvent(app, admin.token, { name: 'No receipts' });
    await admin.patch(`/events/${closed.id}/settings`, { receipts: { email: false } }).expect(200);
    const id = await give({ donorEmail: email, eventId: closed.id });
    const agent = await signIn(email);
    expect((await open(agent).expect(200)).text).not.toContain(id);
    await agent.get(`/me/receipts/${id}`).expect(403);
  });

  it('offers the annual statement of each year with donations', async () => {
    const email = someAddress();
    const id = await give({ donorEmail: email });
    await give({ donorEmail: email });
    // At this time it is already the first of January in Berlin.
    await sql(app, "UPDATE donation SET completed_at = '2024-12-31T23:30:00Z' WHERE id = $1", [id]);
    const agent = await signIn(email);
    const { text } = await open(agent).expect(200);
    const years = [...text.matchAll(/\/me\/statements\/(\d+)/g)].map(([, year]) => Number(year));
    expect(years).toEqual([new Date().getFullYear(), 2025]);
    const { body, headers } = await agent.get('/me/statements/2025?lang=de').responseType('blob').expect(200);
    expect((body as Buffer).subarray(0, 5).toString()).toBe('%PDF-');
    expect(headers['content-disposition']).toContain('statement-2025.pdf');
    expect((await agent.get('/me/statements/2019').expect(409)).body).toMatchObject({
      code: 'STATEMENT_EMPTY',
    });
    await agent.get('/me/statements/x').expect(404);
    await agent.get('/me/statement?from=2024-12-31&to=2025-01-01&lang=de').expect(200);
    await agent.get('/me/statement?from=2025-01-02&to=2025-01-01').expect(400);
    // A donor cannot complete the facts of the organization, and gets the list until they are complete.
    await admin.patch('/settings/global', { receipts: { pack: 'nl' } }).expect(200);
    await agent.get('/me/statements/2025?lang=de').expect(200);
    await admin.patch('/settings/global', { receipts: { pack: null } }).expect(200);
    await app.http.get('/me/statement?from=2025-01-01&to=2025-12-31').expect(303);
  });

  itWithTool(
    'pdftotext',
    'offers the collective receipt of a year only once it is out, and as a copy',
    async () => {
      const email = someAddress();
      await give({ donorEmail: email, donorAddress: 'Lindenstraße 7\n10969 Berlin' });
      const agent = await signIn(email);
      const year = new Date().getFullYear();
      const { organization, legal } = SAMPLES.de;
      await admin
        .patch('/settings/global', {
          receipts: { pack: 'de' },
          legal: {
            legalName: organization.name,
            address: organization.address,
            de: { ...legal, noticeDate: `${year}-01-02` },
          },
        })
        .expect(200);
      const statement = async () =>
        await pdfText(
          (await agent.get(`/me/statements/${year}?lang=de`).responseType('blob').expect(200)).body as Buffer,
        );
      expect(await statement()).toContain('Spendenübersicht');
      const { body } = await admin.get(`/donors?search=${encodeURIComponent(email)}`).expect(200);
      const key = (body as { data: { key: string }[] }).data[0]?.key ?? '';
      await admin.post(`/donors/${key}/collective-receipt`, { year }).expect(200);
      const copy = await statement();
      expect(copy).toContain('KOPIE');
      expect(copy).toContain('Anlage zur Sammelbestätigung');
      await admin
        .patch('/settings/global', {
          receipts: { pack: null },
          legal: { legalName: null, address: null, de: null },
        })
        .expect(200);
    },
  );

  it('shows open pledges with the links to pay and to withdraw, and each paid pledge once', async () => {
    const email = someAddress();
    const pledge = await recordPledge(admin, { eventId: event.id, donorEmail: email, amount: 12_300 });
    const agent = await signIn(email);
    const { text } = await open(agent).expect(200);
    expect(text.split('€123.00')).toHaveLength(2);
    const [, pay = ''] = /href="(\/donate\/[^"]+pledge=[^"]+)"/.exec(text) ?? [];
    expect((await app.http.get(pay).set('Accept', 'text/html').expect(200)).text).toContain('€123');
    const [, withdraw = ''] = /href="(\/pledge\/[^"]+)"/.exec(text) ?? [];
    await app.http.post(withdraw).type('form').send(`pledge=${pledge}`).expect(200);
    const after = (await open(agent).expect(200)).text;
    expect(after).toContain('Pledge withdrawn');
    expect(after).not.toContain('Open pledges');
  });
});

describe('the data of the donor', () => {
  it('are in one file, without the acts of other people', async () => {
    const email = someAddress();
    const id = await give({ donorEmail: email });
    const others = await give({ donorEmail: someAddress() });
    await admin.patch(`/donations/${id}`, { message: 'For the children' }).expect(200);
    const agent = await signIn(email);
    await agent.get(`/me/receipts/${id}`).expect(200);
    const { text, headers } = await agent.get('/me/data').expect(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
    expect(headers['content-disposition']).toContain('donor.json');
    const file = JSON.parse(text) as { donations: object[]; audit: { actorKind: string; action: string }[] };
    expect(file.donations).toMatchObject([{ id, message: 'For the children' }]);
    expect(text).not.toContain(others);
    expect(new Set(file.audit.map(({ actorKind }) => actorKind))).toEqual(new Set(['donor']));
    expect(file.audit.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['donor.sign_in', 'receipt.pdf', 'donor.export']),
    );
    await app.http.get('/me/data').expect(303);
  });

  it('the donor ends the e-mails about pledges, and a repeat changes nothing', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    const agent = await signIn(email);
    for (const _ of [1, 2]) await press(agent, '/me/pledge-emails').expect(303);
    expect((await open(agent).expect(200)).text).toContain('This address gets no e-mails about pledges.');
    const key = 'SELECT donor_key FROM donation WHERE donor_email = $1';
    expect(await sql(app, `SELECT 1 FROM pledge_opt_out WHERE donor_key IN (${key})`, [email])).toHaveLength(
      1,
    );
    await press(app.agent(), '/me/pledge-emails').expect(303);
  });

  it('the donor sees and cancels the own Gift Aid declaration, and no other one', async () => {
    const declare = async (donorEmail: string): Promise<string> => {
      const id = await give({ donorEmail });
      const address = { line1: '10 High Street', city: 'Leeds', postcode: 'LS1 1AA', country: 'GB' };
      const { body } = await admin
        .post(`/gift-aid/donations/${id}`, { firstName: 'Ada', lastName: 'Lovelace', address })
        .expect(201);
      return (body as { id: string }).id;
    };
    const email = someAddress();
    const [own, others] = [await declare(email), await declare(someAddress())];
    const agent = await signIn(email);
    const { text } = await open(agent).expect(200);
    expect(text).toContain('Ada Lovelace');
    expect(text).toContain('Cancel this declaration');
    await press(agent, `/me/gift-aid/${others}`).expect(404);
    await press(agent, '/me/gift-aid/x').expect(404);
    await press(agent, `/me/gift-aid/${own}`).expect(303);
    const after = (await open(agent).expect(200)).text;
    expect(after).toContain('cancelled on');
    expect(after).not.toContain('Cancel this declaration');
    const { body } = await admin.get('/audit?action=gift_aid.cancel').expect(200);
    expect((body as { data: object[] }).data).toMatchObject([
      { actor: 'donor', detail: { declaration: own } },
    ]);
  });
});

describe('the postal address of the donor', () => {
  const ADDRESS = { line1: 'Lindenstraße 7', postcode: '10969', city: 'Berlin', country: 'DE' };
  const send = (agent: TestAgent, address: object) =>
    agent.post('/me/address?lang=en').set('Accept', 'text/html').type('form').send(address);
  let taxed: EventFixture;

  beforeAll(async () => {
    taxed = await createEvent(app, admin.token, { name: 'Tax Gala' });
    const { organization, legal } = SAMPLES.de;
    await admin
      .patch(`/events/${taxed.id}/settings`, {
        receipts: { pack: 'de' },
        legal: {
          legalName: organization.name,
          address: organization.address,
          signatory: organization.signatory,
          de: { ...legal, noticeDate: `${new Date().getUTCFullYear()}-01-02` },
        },
      })
      .expect(200);
  });

  it('completes the receipts without an address, and leaves those that print one', async () => {
    const email = someAddress();
    const old = 'Alte Straße 1\n10115 Berlin';
    const issued = await give({ donorEmail: email, donorAddress: old });
    const lacking = await give({ donorEmail: email, eventId: taxed.id });
    const agent = await signIn(email);
    await agent.get(`/me/receipts/${issued}`).expect(200);
    await agent.get(`/me/receipts/${lacking}`).expect(200);
    const before = (await open(agent).expect(200)).text;
    expect(before).toContain('only with your postal address');
    expect(before.split('Add your address for the tax office')).toHaveLength(2);
    const wrong = (await send(agent, { ...ADDRESS, city: ' ' }).expect(400)).text;
    expect(wrong).toContain('Please enter your town or city.');
    expect(wrong).toContain('value="Lindenstraße 7"');
    for (const _ of [1, 2]) await send(agent, ADDRESS).expect(303);
    const after = (await open(agent).expect(200)).text;
    expect(after).toContain('Lindenstraße 7');
    expect(after).not.toContain('Add your address for the tax office');
    const addressOf = async (id: string) =>
      (await sql<{ donor_address: string }>(app, 'SELECT donor_address FROM donation WHERE id = $1', [id]))[0]
        ?.donor_address;
    expect(await addressOf(issued)).toBe(old);
    expect(await addressOf(lacking)).toBe('Lindenstraße 7\n10969 Berlin\nGermany');
    await agent.get(`/me/receipts/${lacking}`).expect(200);
    const packs = 'SELECT pack FROM receipt WHERE donation_id = $1 AND replaced_at IS NULL';
    expect(await sql(app, packs, [lacking])).toEqual([{ pack: 'de' }]);
    const { body } = await admin.get('/audit?action=donor.change_address').expect(200);
    expect((body as { data: object[] }).data).toMatchObject([{ actor: 'donor', detail: { donations: 1 } }]);
  });

  it('a donor without a postal address gets one e-mail a week with a link that signs in', async () => {
    const [email, other] = [someAddress(), someAddress()];
    for (const _ of [1, 2]) await give({ donorEmail: email, eventId: taxed.id });
    await give({ donorEmail: other, eventId: taxed.id, donorAddress: 'Alte Straße 1' });
    await give({ eventId: taxed.id });
    const askAll = async () =>
      (await admin.post('/donors/missing-addresses', { eventId: taxed.id }).expect(200)).body as object;
    expect(await askAll()).toEqual({ asked: 1, askedBefore: 0 });
    await until(() => mail.to(email).length > 0, 'the question');
    expect(await askAll()).toEqual({ asked: 0, askedBefore: 1 });
    expect(mail.to(other)).toEqual([]);
    const { text = '' } = mail.to(email)[0] ?? {};
    expect(text).toContain('postal address');
    const { pathname, search } = new URL(/http\S+\/me\/sign-in\/\S+/.exec(text)?.[0] ?? '');
    const agent = app.agent();
    await press(agent, pathname + search).expect(303);
    await send(agent, ADDRESS).expect(303);
    await sql(
      app,
      "UPDATE email SET created_at = created_at - interval '8 days' WHERE kind = 'missing_address'",
    );
    expect(await askAll()).toEqual({ asked: 0, askedBefore: 0 });
    await admin.post('/donors/missing-addresses', { eventId: 'no-such-event' }).expect(404);
    const plain = await admin.post('/donors/missing-addresses', { eventId: event.id }).expect(200);
    expect(plain.body).toEqual({ asked: 0, askedBefore: 0 });
  });
});

describe('a donation without an e-mail address', () => {
  const claim = (agent: TestAgent, code: string) =>
    agent.post('/me/claim?lang=en').set('Accept', 'text/html').type('form').send({ code });
  const codeOf = async (id: string) => {
    await admin.get(`/export/receipts/${id}`).expect(200);
    const [row] = await sql<{ code: string }>(
      app,
      'SELECT check_code AS code FROM receipt WHERE donation_id = $1',
      [id],
    );
    return row?.code ?? '';
  };

  it('the code of its receipt adds a donation without an e-mail address, but not a donation of a known donor', async () => {
    const email = someAddress();
    await give({ donorEmail: email });
    const [cash, others] = [await give({ amount: 4_400 }), await give({ donorEmail: someAddress() })];
    const agent = await signIn(email);
    expect((await open(agent).expect(200)).text).not.toContain('€44.00');
    expect((await claim(agent, await codeOf(others)).expect(404)).text).toContain(
      'No donation without an e-mail',
    );
    const code = await codeOf(cash);
    await claim(agent, code.toLowerCase().replace(/(.{5})/g, '$1 ')).expect(303);
    expect((await open(agent).expect(200)).text).toContain('€44.00');
    expect((await claim(agent, code).expect(404)).text).toContain('check the code');
    const { headers } = await claim(agent, code).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
    const { body } = await admin.get(`/donations/${cash}/history`).expect(200);
    expect(JSON.stringify(body)).toContain('"donor"');
    await claim(app.agent(), code).expect(303);
  });
});

describe('the erasure', () => {
  it('asks the office for the erasure once, and the erasure closes the request', async () => {
    const email = someAddress();
    const id = await give({ donorEmail: email });
    const agent = await signIn(email);
    await Promise.all([
      press(agent, '/me/erasure?lang=en').expect(303),
      press(agent, '/me/erasure?lang=en').expect(303),
    ]);
    await until(() => mail.to(email).length === 2, 'the confirmation');
    expect(mail.to(email)[1]?.text).toContain('request to delete your personal data');
    expect((await open(agent).expect(200)).text).toContain('You asked on');
    const items = async () => {
      const { body } = await admin.get('/review-items').expect(200);
      return (body as { kind: string; dueBy: string; subject: string }[]).filter(
        ({ kind }) => kind === 'erasure_requested',
      );
    };
    const [item, ...more] = await items();
    expect(more).toEqual([]);
    expect(Date.parse(item?.dueBy ?? '') - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect(mail.to(email)).toHaveLength(2);
    await admin.delete(`/donors/${item?.subject.replace('donor:', '')}`).expect(200);
    expect(await items()).toEqual([]);
    expect(await sql(app, 'SELECT 1 FROM donation WHERE id = $1 AND donor_email IS NOT NULL', [id])).toEqual(
      [],
    );
    expect(await isSignedIn(agent)).toBe(false);
  });
});
