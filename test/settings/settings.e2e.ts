import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { DEFAULT_SETTINGS } from '../../src/settings/settings.js';
import { startApp } from '../support/app.js';
import { as, confirmed } from '../support/bearer.js';
import { createEvent, createStaff, type EventFixture, sql } from '../support/fixtures.js';
import { insertDonation } from '../support/donation-rows.js';
import { withAdmin, withService, withMade } from '../support/setup.js';

const app = withService();
const admin = withAdmin(app);
const me = withMade(() => confirmed(app, admin.token), beforeAll);

const bearer = { type: 'bearer' } as const;

const patchGlobal = (body: object) => me.patch('/settings/global', body);
const readGlobal = async () =>
  (await app.http.get('/settings/global').expect(200)).body as typeof DEFAULT_SETTINGS;
const patchEvent = (ref: string, body: object) => admin.patch(`/events/${ref}/settings`, body);
const readEvent = async (ref: string) =>
  (await app.http.get(`/events/${ref}/settings`).expect(200)).body as typeof DEFAULT_SETTINGS & {
    isOverride: boolean;
    currency: string;
  };
const patchBranding = (ref: string, body: object) => admin.patch(`/events/${ref}/branding`, body);
const sendRaw = (method: 'patch' | 'post', path: string, json: string) =>
  app.http[method](path).auth(admin.token, bearer).set('Content-Type', 'application/json').send(json);

/** Resets every part of the settings to its default. */
const RESET = Object.fromEntries(Object.keys(DEFAULT_SETTINGS).map((key) => [key, null]));

beforeEach(async () => {
  await patchGlobal(RESET).expect(200);
});

describe('GET /settings/global', () => {
  it('returns the same bytes and ETag with and without a token, and new ones after a change', async () => {
    const ask = () => admin.get('/settings/global');
    const [open, signedIn] = await Promise.all([app.http.get('/settings/global'), ask()]);
    const { etag = '' } = signedIn.headers as { etag?: string };
    expect(signedIn.text).toBe(open.text);
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect(open.headers.etag).toBe(etag);
    await ask().set('If-None-Match', etag).expect(304);
    await patchGlobal({ organization: 'Another Name' }).expect(200);
    const changed = await ask().set('If-None-Match', etag).expect(200);
    expect(changed.headers.etag).not.toBe(etag);
    expect(changed.body).toMatchObject({ organization: 'Another Name' });
  });

  it('returns organization, payment, theme, locales and the rest without a token', async () => {
    expect(await readGlobal()).toEqual({
      organization: 'Fundraising Organization',
      timezone: 'UTC',
      contact: { email: '', phone: '' },
      legal: {
        legalName: '',
        taxId: '',
        address: '',
        footer: '',
        signatory: '',
        yearEnd: '04-05',
        de: {
          noticeKind: 'exemption',
          taxOffice: '',
          taxNumber: '',
          noticeDate: null,
          assessmentPeriod: '',
          purposes: [],
          place: '',
          machineSignature: false,
          machineNoticeDate: null,
        },
        us: { ein: '', intangibleReligiousBenefits: false, stateDisclosures: [] },
        ca: { registrationNumber: '', place: '' },
        fr: {
          siren: '',
          rna: '',
          object: '',
          category: 'general',
          decreeDate: null,
          isWealthTax: false,
          yearEnd: '12-31',
        },
        ch: { uid: '', exemptionCanton: '', exemptionDate: null, place: '', language: 'de' },
        nl: { rsin: '', place: '' },
      },
      payment: { currency: 'eur', acceptedCurrencies: null },
      theme: { assets: {}, variables: {} },
      donation: {
        minAmount: 100,
        maxAmount: null,
        maxOfflineAmount: null,
        confirmOfflineAbove: null,
        presets: [1000, 2500, 5000, 10000],
        presetLines: {},
        monthlyUrl: null,
        preselected: null,
        receiptDownload: false,
        showLatest: true,
        undoMinutes: 10,
        fields: {
          donorName: 'optional',
          donorEmail: 'optional',
          message: 'optional',
          address: 'hidden',
          giftAid: false,
          tribute: false,
        },
        giftAidScope: 'this',
        coverFee: { offer: false, basisPoints: 150, fixed: 25 },
      },
      receipts: { email: true, pack: 'none' },
      pledges: { emails: true, reminderDays: [2, 7, 21] },
      ready: { most: 500_000, days: 14, secondAdmin: true, confirmAbove: 1_000_000 },
      transfer: {
        offer: true,
        iban: '',
        bic: '',
        name: '',
        street: '',
        buildingNumber: '',
        postalCode: '',
        town: '',
        country: '',
        epcCode: true,
        days: 30,
      },
      live: {
        theme: 'dark',
        moderate: 'none',
        moderateMessages: false,
        celebrateFrom: null,
        raiseLevels: [],
        holdFrom: null,
        match: { mode: 'one', total: 'apart' },
        slides: { images: [], everyMinutes: 5, showSeconds: 8 },
        wall: {
          scene: 'wall',
          notice: '',
          paused: false,
          nextGoal: null,
          sound: false,
          pausedAt: null,
        },
      },
      boards: { order: 'raised', minGifts: 3, roundTo: 50 },
      accounting: {
        campaign: '',
        appeal: '',
        fund: '',
        financialType: 'Donation',
        salesforceContactId: 'Contact1_External_Id__c',
        salesforceDonationId: 'Donation_External_Id__c',
      },
      embed: { origins: [] },
      locales: { default: 'en', supported: ['en'] },
      privacy: { retainUnpaidDays: null, guestDays: 30 },
      auth: { requireSecondFactor: false, passwordSignIn: true, enrolledTerminalsOnly: false },
    });
  });

  it('hides stored values that are not part of the settings', async () => {
    await sql(
      app,
      `UPDATE global_settings SET value = '{"organization":"Trust","stripeSecret":"sk_live_x","payment":{"key":"x"}}'`,
    );
    const fresh = await startApp({}, {}, app.databaseUrl);
    const { text } = await fresh.http.get('/settings/global').expect(200);
    await fresh.close();
    expect(text).toContain('Trust');
    expect(text).not.toContain('sk_live_x');
    expect(text).not.toContain('key');
  });
});

describe('PATCH /settings/global', () => {
  it('merges organization and payment.currency and returns all settings', async () => {
    const { body } = await patchGlobal({
      organization: 'Example Trust',
      payment: { currency: 'usd' },
    }).expect(200);
    expect(body).toEqual({
      ...DEFAULT_SETTINGS,
      organization: 'Example Trust',
      payment: { currency: 'usd', acceptedCurrencies: null },
    });
    expect(await readGlobal()).toEqual(body);
  });

  it('every field of the settings can be changed', async () => {
    const settings = {
      organization: 'Example Trust',
      timezone: 'Europe/Berlin',
      contact: { email: 'office@example.org', phone: '+49 (0)30 12-34' },
      legal: {
        legalName: 'Example Trust e.V.',
        taxId: 'DE123',
        address: 'Main Street 1\n12345 Town',
        footer: 'Thank you\nvery much',
        signatory: 'Ada Lovelace',
        yearEnd: '12-31',
        de: {
          noticeKind: 'section60a',
          taxOffice: 'Hamburg-Nord',
          taxNumber: '17/412/34567',
          noticeDate: '2025-03-14',
          assessmentPeriod: '2022 bis 2024',
          purposes: ['der Jugendhilfe'],
          place: 'Hamburg',
          machineSignature: true,
          machineNoticeDate: '2025-01-10',
        },
        us: { ein: '53-0196605', intangibleReligiousBenefits: true, stateDisclosures: ['Ask the state.'] },
        ca: { registrationNumber: '123456789RR0001', place: 'Ottawa, Ontario' },
        fr: {
          siren: '732829320',
          rna: 'W751212517',
          object: 'Aide aux enfants hospitalisés',
          category: 'publicBenefit',
          decreeDate: '1998-05-12',
          isWealthTax: true,
          yearEnd: '06-30',
        },
        ch: {
          uid: 'CHE-116.281.710',
          exemptionCanton: 'ZH',
          exemptionDate: '2015-06-30',
          place: 'Zürich',
          language: 'fr',
        },
        nl: { rsin: '123456782', place: 'Amsterdam' },
      },
      payment: { currency: 'chf', acceptedCurrencies: ['chf', 'eur'] },
      theme: {
        assets: { logo: 'https://cdn.example.org/logo.svg' },
        variables: { '--brand-color': '#0a7c66' },
      },
      donation: {
        minAmount: 500,
        maxAmount: 100_000,
        maxOfflineAmount: 10_000_000,
        confirmOfflineAbove: 1_000_000,
        presets: [500, 1000],
        presetLines: { '500': 'one lamp' },
        monthlyUrl: 'https://www.example.org/monthly',
        preselected: 500,
        receiptDownload: true,
        showLatest: false,
        undoMinutes: 30,
        fields: {
          donorName: 'required',
          donorEmail: 'required',
          message: 'hidden',
          address: 'optional',
          giftAid: true,
          tribute: true,
        },
        giftAidScope: 'past_and_future',
        coverFee: { offer: true, basisPoints: 290, fixed: 30 },
      },
      receipts: { email: false, pack: 'de' },
      pledges: { emails: false, reminderDays: [1, 120] },
      ready: { most: 100_000, days: 30, secondAdmin: false, confirmAbove: 2_000_000 },
      transfer: {
        offer: false,
        iban: 'CH5800791123000889012',
        bic: 'POFICHBEXXX',
        name: 'Example Trust',
        street: 'Bahnhofstrasse',
        buildingNumber: '12',
        postalCode: '8001',
        town: 'Zürich',
        country: 'CH',
        epcCode: false,
        days: 14,
      },
      live: {
        theme: 'light',
        moderate: 'messages',
        moderateMessages: true,
        celebrateFrom: 50_000,
        raiseLevels: [100_000, 25_000],
        holdFrom: 100_000,
        match: { mode: 'all', total: 'with' },
        slides: { images: [`/images/${'0a'.repeat(32)}.webp`], everyMinutes: 10, showSeconds: 6 },
        wall: { scene: 'qr', notice: 'Dinner is served', paused: true, nextGoal: 5_000_000, sound: true },
      },
      boards: { order: 'share', minGifts: 5, roundTo: 100 },
      accounting: {
        campaign: 'Gala 2026',
        appeal: 'GALA26',
        fund: 'UNREST',
        financialType: 'Campaign Contribution',
        salesforceContactId: 'Contact1_Gala_Id__c',
        salesforceDonationId: 'Gala_Id__c',
      },
      embed: { origins: ['https://www.example.org'] },
      locales: { default: 'de', supported: ['de', 'fr', 'en-GB'] },
      privacy: { retainUnpaidDays: 90, guestDays: 45 },
      auth: { requireSecondFactor: false, passwordSignIn: true, enrolledTerminalsOnly: true },
    };
    const { body } = await patchGlobal(settings).expect(200);
    const wall = { ...settings.live.wall, pausedAt: expect.any(String) };
    expect(body).toEqual({ ...settings, live: { ...settings.live, wall } });
  });

  it('accepts the whole settings object unchanged', async () => {
    await patchGlobal({ organization: 'Example Trust' }).expect(200);
    const { body } = await patchGlobal(await readGlobal()).expect(200);
    expect(body).toMatchObject({ ...DEFAULT_SETTINGS, organization: 'Example Trust' });
  });

  it('null and blank text reset a field to its default', async () => {
    await patchGlobal({
      organization: 'Trust',
      legal: { taxId: '1' },
      theme: { assets: { logo: '/a.svg' } },
    });
    const { body } = await patchGlobal({
      organization: ' ',
      legal: { taxId: null },
      theme: { assets: { logo: null } },
    });
    expect(body).toEqual(DEFAULT_SETTINGS);
  });

  it('accepts live.moderateMessages as the older form of live.moderate and stores only that', async () => {
    const { body } = await patchGlobal({ live: { moderateMessages: true } }).expect(200);
    expect(body).toMatchObject({ live: { moderate: 'messages', moderateMessages: true } });
    const rows = await sql<{ value: unknown }>(app, 'SELECT value FROM global_settings');
    expect(rows).toEqual([{ value: { live: { moderate: 'messages' } } }]);
    await patchGlobal({ live: { moderate: 'none', moderateMessages: false } }).expect(200);
    expect((await readGlobal()).live).toMatchObject({ moderate: 'none', moderateMessages: false });
    await patchGlobal({ live: { moderate: 'messages' } }).expect(200);
    await patchGlobal({ live: { moderateMessages: null } }).expect(200);
    expect((await readGlobal()).live).toEqual(DEFAULT_SETTINGS.live);
  });

  it('saves an origin as browsers write it', async () => {
    await patchGlobal({
      embed: { origins: ['https://WWW.Example.org:443/', 'https://b\u00fccher.example'] },
    }).expect(200);
    expect((await readGlobal()).embed.origins).toEqual([
      'https://www.example.org',
      'https://xn--bcher-kva.example',
    ]);
  });

  it('saves a bank account without spaces, in capital letters', async () => {
    const transfer = { iban: ' de89 3704 0044 0532 0130 00', bic: 'cobadeff xxx', country: 'de' };
    await patchGlobal({ transfer }).expect(200);
    expect((await readGlobal()).transfer).toMatchObject({
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
      country: 'DE',
    });
  });

  it('a sent array replaces the stored array', async () => {
    await patchGlobal({ payment: { acceptedCurrencies: ['eur', 'usd'] } }).expect(200);
    await patchGlobal({ payment: { acceptedCurrencies: ['gbp'] } }).expect(200);
    expect((await readGlobal()).payment.acceptedCurrencies).toEqual(['gbp']);
  });

  it.each([
    ['an unknown key', { colour: 'red' }, 'colour is not a known field'],
    ['an unknown nested key', { payment: { secret: 'x' } }, 'payment.secret is not a known field'],
    ['an organization that is not text', { organization: 7 }, 'organization must be a string'],
    [
      'an organization of 201 characters',
      { organization: 'x'.repeat(201) },
      'organization must be at most 200 characters',
    ],
    [
      'an unknown currency',
      { payment: { currency: 'xyz' } },
      'payment.currency must be an ISO 4217 currency code',
    ],
    [
      'an empty list of currencies',
      { payment: { acceptedCurrencies: [] } },
      /acceptedCurrencies must have 1 to 200/,
    ],
    [
      'a repeated currency',
      { payment: { acceptedCurrencies: ['eur', 'EUR'] } },
      /acceptedCurrencies must not contain duplicates/,
    ],
    ['an unknown time zone', { timezone: 'Mars/Olympus' }, 'timezone must be an IANA time zone name'],
    ['an offset as time zone', { timezone: '+01:00' }, 'timezone must be an IANA time zone name'],
    ['an invalid locale', { locales: { default: 'not a locale' } }, /BCP 47/],
    [
      'a default locale that is not supported',
      { locales: { default: 'de' } },
      'locales.default must be one of locales.supported',
    ],
    [
      'a minimum above the maximum',
      { donation: { minAmount: 10, maxAmount: 5 } },
      /minAmount must not exceed/,
    ],
    [
      'a minimum of zero',
      { donation: { minAmount: 0 } },
      'donation.minAmount must be from 1 to 1000000000000',
    ],
    [
      'an amount with decimals',
      { donation: { minAmount: 1.5 } },
      'donation.minAmount must be an integer in minor units',
    ],
    ['an amount as text', { donation: { maxAmount: '100' } }, /integer in minor units/],
    ['an invalid preset', { donation: { presets: [100, 'x'] } }, /presets has an invalid entry/],
    [
      'a line above 60 characters',
      { donation: { presetLines: { '500': 'x'.repeat(61) } } },
      /presetLines.500 must be at most 60 characters/,
    ],
    [
      'a line for a text instead of an amount',
      { donation: { presetLines: { '€5': 'one lamp' } } },
      /is not an amount in minor units/,
    ],
    ...['http://x.example/', 'javascript:alert(1)', '/monthly', 'https://u:p@x.example/'].map(
      (monthlyUrl): [string, object, RegExp] => [
        `${monthlyUrl} as page for monthly donations`,
        { donation: { monthlyUrl } },
        /monthlyUrl must be an https address/,
      ],
    ),
    ...(
      [
        [{ iban: 'DE88370400440532013000' }, 'iban has a wrong digit: the check digits do not match'],
        [{ iban: 'DE8937040044053201300' }, 'iban has not the length of an IBAN of its country'],
        [{ iban: 'US12345678901234567890' }, 'iban must be an IBAN of a country in the SEPA area'],
        [{ iban: '1234567890' }, 'iban must be an IBAN such as DE89 3704 0044 0532 0130 00'],
        [{ bic: 'COBA' }, 'bic must be a BIC with 8 or 11 characters'],
        [{ name: 'N'.repeat(71) }, 'name must be at most 70 characters'],
        [{ name: '東京' }, 'name must have only Latin letters, as banks require'],
        [{ country: 'Schweiz' }, 'country must be a country code with two letters, such as CH'],
        [{ days: 0 }, 'days must be from 1 to 365'],
      ] as const
    ).map(([transfer, message]): [string, object, string] => [
      `a bank account with ${JSON.stringify(transfer)}`,
      { transfer },
      `transfer.${message}`,
    ]),
    ['an unknown form field', { donation: { fields: { phone: 'required' } } }, /phone is not a known field/],
    [
      'an unknown mode',
      { donation: { fields: { donorName: 'maybe' } } },
      /must be one of optional, required, hidden/,
    ],
    ['a flag as text', { live: { moderateMessages: 'false' } }, 'live.moderateMessages must be a boolean'],
    [
      'an unknown moderation',
      { live: { moderate: 'everything' } },
      'live.moderate must be one of none, messages, all',
    ],
    [
      'two contradictory moderations',
      { live: { moderate: 'none', moderateMessages: true } },
      'live.moderateMessages contradicts live.moderate',
    ],
    ['a frame over http', { embed: { origins: ['http://x.example'] } }, /must be an https origin/],
    ['a frame with a path', { embed: { origins: ['https://x.example/a'] } }, /must be an https origin/],
    ['a frame with a wildcard', { embed: { origins: ['https://*.example'] } }, /must be an https origin/],
    [
      'a frame that adds a directive',
      { embed: { origins: ['https://x.example;script-src'] } },
      /must be an https origin/,
    ],
    [
      'an asset over http',
      { theme: { assets: { logo: 'http://x.example/a.png' } } },
      /https address or a path/,
    ],
    [
      'an asset that is a script',
      { theme: { assets: { logo: 'javascript:alert(1)' } } },
      /https address or a path/,
    ],
    ['a style that ends its rule', { theme: { variables: { '--a': 'red}body{' } } }, /must be a colour/],
    ['an invalid style name', { theme: { variables: { color: 'red' } } }, /is not a style variable name/],
    ['a section that is a list', { theme: [] }, 'theme must be an object'],
  ])('refuses settings with %s', async (_, body, message) => {
    const answer = await patchGlobal(body).expect(400);
    expect(answer.body).toMatchObject({ statusCode: 400, error: 'Bad Request', code: 'VALIDATION_FAILED' });
    expect((answer.body as { message: string }).message).toMatch(message);
    expect(await readGlobal()).toEqual(DEFAULT_SETTINGS);
  });

  it.each([
    '{"__proto__":{"organization":"x"}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"theme":{"__proto__":{"assets":{}}}}',
    '{"theme":{"assets":{"__proto__":"/x.png"}}}',
    '{"theme":{"assets":{"constructor":"/x.png"}}}',
    '{"theme":{"variables":{"__proto__":"red"}}}',
    '[]',
    'null',
    '"text"',
    '7',
  ])('refuses the raw settings body %s', async (json) => {
    await sendRaw('patch', '/settings/global', json).expect(400);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('refuses a settings change without a body', async () => {
    await admin.patch('/settings/global').expect(400);
  });

  it('keeps every change when twenty requests change different keys at once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `--v${index}`);
    await Promise.all(
      names.map((name) => patchGlobal({ theme: { variables: { [name]: 'red' } } }).expect(200)),
    );
    expect(Object.keys((await readGlobal()).theme.variables).sort()).toEqual(names.sort());
  });

  it('only admins may change settings, and each change leaves an audit entry', async () => {
    const event = await createEvent(app, admin.token);
    const staff = await createStaff(app, admin.token, event.id);
    await app.http.patch('/settings/global').send({ organization: 'x' }).expect(401);
    await as(app, staff.token).patch('/settings/global', { organization: 'x' }).expect(403);
    await patchGlobal({ legal: { signatory: 'Ada Lovelace' } }).expect(200);
    const rows = await sql<{ detail: unknown }>(
      app,
      `SELECT detail FROM audit_entry WHERE action = 'settings.update' ORDER BY id DESC LIMIT 1`,
    );
    expect(rows).toEqual([{ detail: { fields: ['legal.signatory'] } }]);
  });

  it('the currency applies to events created later', async () => {
    await patchGlobal({ payment: { currency: 'jpy' } }).expect(200);
    expect((await createEvent(app, admin.token)).currency).toBe('jpy');
  });
});

const withoutOverrides = ({ id, slug }: EventFixture) => ({
  ...DEFAULT_SETTINGS,
  id,
  slug,
  name: 'Summer Gala',
  isOverride: false,
  currency: 'eur',
});

describe('GET /events/:slug/settings', () => {
  it('returns the global settings for an event without overrides', async () => {
    await patchGlobal({ organization: 'Trust', payment: { currency: 'usd' } }).expect(200);
    const event = await createEvent(app, admin.token);
    expect(await readEvent(event.slug)).toEqual({
      ...DEFAULT_SETTINGS,
      organization: 'Trust',
      payment: { currency: 'usd', acceptedCurrencies: null },
      id: event.id,
      slug: event.slug,
      name: 'Summer Gala',
      isOverride: false,
      currency: 'usd',
    });
    expect(await readEvent(event.id)).toMatchObject({ isOverride: false });
  });

  it('returns the overrides merged into the global settings', async () => {
    await patchGlobal({
      organization: 'Trust',
      theme: { assets: { logo: '/global.svg', hero: '/hero.jpg' } },
    });
    const event = await createEvent(app, admin.token);
    await patchEvent(event.slug, { theme: { assets: { logo: '/event.svg' } } }).expect(200);
    expect(await readEvent(event.slug)).toMatchObject({
      organization: 'Trust',
      theme: { assets: { logo: '/event.svg', hero: '/hero.jpg' } },
      isOverride: true,
    });
  });

  it('accepts the unchanged sign-in settings and refuses a change of them', async () => {
    const event = await createEvent(app, admin.token);
    const { auth } = await readEvent(event.slug);
    await patchEvent(event.id, { organization: 'Own', auth }).expect(200);
    await patchEvent(event.id, { auth: null }).expect(200);
    const { body } = await patchEvent(event.id, { auth: { ...auth, enrolledTerminalsOnly: true } }).expect(
      400,
    );
    expect(body).toMatchObject({
      code: 'READ_ONLY_FIELD',
      message: 'auth.enrolledTerminalsOnly cannot be changed here: it applies to the whole organization',
    });
    expect((await readEvent(event.slug)).auth).toEqual(auth);
  });

  it.each(['draft', 'archived'])('answers 404 for an event that is %s, except to admins', async (status) => {
    const event = await createEvent(app, admin.token, { status });
    await app.http.get(`/events/${event.slug}/settings`).expect(404);
    await admin.get(`/events/${event.slug}/settings`).expect(200);
  });

  it('answers 404 for an unknown event', async () => {
    const { body } = await app.http.get('/events/nobody-has-this/settings').expect(404);
    expect(body).toMatchObject({ statusCode: 404, error: 'Not Found', code: 'EVENT_NOT_FOUND' });
  });
});

describe('PATCH /events/:id/settings', () => {
  it('merges overrides, deletes them with null, and then returns the global value', async () => {
    const event = await createEvent(app, admin.token);
    const { body } = await patchEvent(event.id, { organization: 'Own', donation: { minAmount: 200 } }).expect(
      200,
    );
    expect(body).toMatchObject({
      organization: 'Own',
      donation: { minAmount: 200, maxAmount: null },
      isOverride: true,
    });
    await patchEvent(event.id, { organization: null }).expect(200);
    expect(await readEvent(event.slug)).toMatchObject({
      organization: DEFAULT_SETTINGS.organization,
      donation: { minAmount: 200 },
      isOverride: true,
    });
    await patchEvent(event.id, { donation: null }).expect(200);
    expect(await readEvent(event.slug)).toEqual(withoutOverrides(event));
  });

  it('accepts the whole answer with read-only fields, and refuses changed read-only fields', async () => {
    const event = await createEvent(app, admin.token, { currency: 'usd' });
    await patchEvent(event.id, await readEvent(event.slug)).expect(200);
    expect(await readEvent(event.slug)).toMatchObject({ currency: 'usd', payment: { currency: 'eur' } });
    for (const change of [
      { isOverride: false },
      { currency: 'gbp' },
      { id: newId() },
      { slug: 'x' },
      { name: 'x' },
    ]) {
      const { body } = await patchEvent(event.id, change).expect(400);
      expect(body).toMatchObject({ code: 'READ_ONLY_FIELD' });
    }
  });

  it('payment.currency changes the currency of the event until it has donations', async () => {
    const event = await createEvent(app, admin.token);
    const { body } = await patchEvent(event.id, { payment: { currency: 'usd' } }).expect(200);
    expect(body).toMatchObject({ currency: 'usd', payment: { currency: 'usd' } });
    await admin.patch(`/events/${event.id}`, { currency: 'gbp' }).expect(200);
    expect(await readEvent(event.id)).toMatchObject({ currency: 'gbp', payment: { currency: 'gbp' } });
    await insertDonation(app, event.id, { currency: 'gbp', type: 'pledge', status: 'PENDING' });
    const refused = await patchEvent(event.id, { payment: { currency: 'eur' } }).expect(409);
    expect(refused.body).toMatchObject({ code: 'EVENT_CURRENCY_FIXED' });
  });

  it('refuses overrides that contradict the global settings', async () => {
    await patchGlobal({ donation: { minAmount: 1000 } }).expect(200);
    const event = await createEvent(app, admin.token);
    const { body } = await patchEvent(event.id, { donation: { maxAmount: 500 } }).expect(400);
    expect(body).toMatchObject({ message: 'donation.minAmount must not exceed donation.maxAmount' });
  });

  it('keeps every override when twenty requests change different keys at once', async () => {
    const event = await createEvent(app, admin.token);
    const names = Array.from({ length: 20 }, (_, index) => `--v${index}`);
    await Promise.all(
      names.map((name) => patchEvent(event.id, { theme: { variables: { [name]: 'red' } } }).expect(200)),
    );
    expect(Object.keys((await readEvent(event.slug)).theme.variables).sort()).toEqual(names.sort());
  });

  it('refuses unknown keys, raw prototypes and callers who are not admins', async () => {
    const event = await createEvent(app, admin.token);
    await patchEvent(event.id, { colour: 'red' }).expect(400);
    await sendRaw('patch', `/events/${event.id}/settings`, '{"__proto__":{}}').expect(400);
    await sendRaw('patch', `/events/${event.id}/settings`, '{"isOverride":false,"__proto__":{}}').expect(400);
    await patchEvent(newId(), { organization: 'x' }).expect(404);
    const staff = await createStaff(app, admin.token, event.id);
    await app.http.patch(`/events/${event.id}/settings`).send({}).expect(401);
    await as(app, staff.token).patch(`/events/${event.id}/settings`, {}).expect(403);
  });
});

describe('colours with low contrast', () => {
  const faint = { text: '#ffffff', background: '--brand-color', ratio: 1.2, needed: 4.5 };

  it('colours with low contrast are saved with a warning in the answer, and the warning is not a setting', async () => {
    const event = await createEvent(app, admin.token);
    const theme = { variables: { '--brand-color': '#ffee00' } };
    const { body } = await patchEvent(event.slug, { theme }).expect(200);
    expect(body.contrastWarnings).toContainEqual(faint);
    expect(await readEvent(event.slug)).toMatchObject({ theme });
    expect(await readEvent(event.slug)).not.toHaveProperty('contrastWarnings');
    const { theme: same, contrastWarnings } = body as { theme: object; contrastWarnings: object[] };
    const again = await patchEvent(event.slug, { theme: same, contrastWarnings }).expect(200);
    expect(again.body.contrastWarnings).toHaveLength(2);
    const readable = await patchEvent(event.slug, { theme: { variables: { '--brand-color': '#0a5c2f' } } });
    expect(readable.body).not.toHaveProperty('contrastWarnings');
  });
});

describe('branding of an event', () => {
  const event = withMade(() => createEvent(app, admin.token), beforeEach);

  it('PATCH /events/:id/branding accepts and returns assets and themeVariables', async () => {
    const { body } = await patchBranding(event.id, {
      assets: { logo: 'https://cdn.example.org/logo.svg' },
      themeVariables: { '--brand-color': '#0a7c66' },
    }).expect(200);
    expect(body).toEqual({
      assets: { logo: 'https://cdn.example.org/logo.svg' },
      themeVariables: { '--brand-color': '#0a7c66' },
    });
    expect(await readEvent(event.slug)).toMatchObject({
      theme: {
        assets: { logo: 'https://cdn.example.org/logo.svg' },
        variables: { '--brand-color': '#0a7c66' },
      },
      isOverride: true,
    });
  });

  it('blank text removes an asset and a style', async () => {
    await patchBranding(event.id, {
      assets: { logo: '/a.svg', hero: '/h.jpg' },
      themeVariables: { '--a': '1px' },
    }).expect(200);
    const { body } = await patchBranding(event.id, {
      assets: { logo: '' },
      themeVariables: { '--a': ' ' },
    }).expect(200);
    expect(body).toEqual({ assets: { hero: '/h.jpg' }, themeVariables: {} });
    await patchEvent(event.id, {
      theme: { assets: { hero: ' ' } },
      timezone: '',
      live: { theme: '' },
    }).expect(200);
    expect(await readEvent(event.slug)).toEqual(withoutOverrides(event));
  });

  it('branding changes are merged, and null removes one value', async () => {
    await patchBranding(event.id, { assets: { logo: '/a.svg', hero: '/h.jpg' } }).expect(200);
    await patchBranding(event.id, { themeVariables: { '--a': '1px' } }).expect(200);
    const { body } = await patchBranding(event.slug, { assets: { hero: null } }).expect(200);
    expect(body).toEqual({ assets: { logo: '/a.svg' }, themeVariables: { '--a': '1px' } });
  });

  it.each([
    '{"assets":{"logo":"http://x.example/a.png"}}',
    '{"assets":{"logo":7}}',
    '{"assets":[]}',
    '{"assets":{"__proto__":"/x.png"}}',
    '{"themeVariables":{"--a":"url(x)"}}',
    '{"themeVariables":{"--a":"red;"}}',
    '{"themeVariables":{"a":"red"}}',
    '{"themeVariables":{"__proto__":"red"}}',
    '{"themeVariables":{"constructor":"red"}}',
    '{"variables":{}}',
    '{"__proto__":{}}',
    '[]',
  ])('refuses the branding %s', async (json) => {
    await sendRaw('patch', `/events/${event.id}/branding`, json).expect(400);
    expect(await readEvent(event.slug)).toMatchObject({ isOverride: false });
  });

  it('DELETE /events/:id/branding removes all overrides and restores the global settings', async () => {
    await patchBranding(event.id, { assets: { logo: '/a.svg' } }).expect(200);
    await patchEvent(event.id, { organization: 'Own', donation: { minAmount: 200 } }).expect(200);
    const { body } = await admin.delete(`/events/${event.slug}/branding`).expect(200);
    expect(body).toEqual({ id: event.id, deleted: true });
    expect(await readEvent(event.slug)).toEqual(withoutOverrides(event));
    await admin.delete(`/events/${event.id}/branding`).expect(200);
  });

  it('only admins may change the branding', async () => {
    const staff = await createStaff(app, admin.token, event.id);
    await app.http.patch(`/events/${event.id}/branding`).send({}).expect(401);
    await as(app, staff.token).patch(`/events/${event.id}/branding`, {}).expect(403);
    await app.http.delete(`/events/${event.id}/branding`).expect(401);
    await as(app, staff.token).delete(`/events/${event.id}/branding`).expect(403);
  });

  it('answers 404 for an unknown event', async () => {
    await patchBranding(newId(), {}).expect(404);
    await admin.delete(`/events/${newId()}/branding`).expect(404);
  });
});
