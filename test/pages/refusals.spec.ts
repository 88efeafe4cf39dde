import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { RULES } from '../../src/common/validation/broken-rule.js';
import { refusalTexts } from '../../web/admin/api/refusals.js';
import { formOf } from '../../src/receipts/packs/form-of-pack.js';
import { PACKS } from '../../src/receipts/packs/registry.js';
import { fieldName, nameFields } from '../../web/admin/parts/field-names.js';
import { language } from '../../web/desk/texts.js';
import { readDescription, routesOf, type SchemaObject } from '../contract/described.js';
import { codesInSource } from '../contract/error-codes.js';

const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'nl'];
const tableOf = (spoken: string) =>
  JSON.parse(readFileSync(`web/admin/texts/${spoken}.json`, 'utf8')) as Record<string, string>;

/** Sets the language of the dashboard. A missing text is its key. */
const speak = (locale: string) =>
  language.set({ locale, table: tableOf(locale), plurals: new Intl.PluralRules(locale) });

/** Codes that no form of the dashboard can receive, with the reason. */
const NOT_IN_FORMS: Readonly<Record<string, RegExp>> = {
  'a request that only a program makes wrong':
    /^(BAD_REQUEST|MALFORMED_JSON|BODY_NOT_UTF8|TOO_DEEP|URL_UNREADABLE|HOST_|HTTP_|QUERY_UNEXPECTED|CURSOR_INVALID|READ_ONLY_FIELD|EVENT_REQUIRED|METHOD_NOT_ALLOWED|LENGTH_REQUIRED|UNSUPPORTED_MEDIA_TYPE|RANGE_|EXPECTATION_|HEADERS_|IDEMPOTENCY_KEY_(INVALID|REQUIRED)|AMOUNT_WITHOUT_REFUND|ORIGIN_FORBIDDEN|PERSONAL_DATA_FORBIDDEN|SCOPE_FORBIDDEN|API_KEY_NOT_FOUND)/,
  'a webhook, or the live channel':
    /^(WEBHOOK_|TRANSPORT_|SESSION_ID_|HANDSHAKE_|PROTOCOL_|TOO_MANY_ROOMS|TOO_MANY_CONNECTIONS|CONNECTION_)/,
  'the donate page and the check of a receipt':
    /^(AMOUNT_TOO_SMALL|AMOUNT_NOT_PAYABLE|CURRENCY_NOT_|PLEDGE_LINK_INVALID|PLEDGE_AMOUNT_DIFFERS|PLEDGE_NOT_PAYABLE|PAYMENT_REFUSED|PROVIDER_UNKNOWN|PROVIDER_OF_OTHER_METHOD|IDEMPOTENCY_KEY_SPENT|PAYMENT_METHOD_OFF|ORDER_NOT_FOUND|RECEIPT_(DOWNLOAD_OFF|NOT_FOUND|PROOF_OFF)|GIFT_AID_(INCOMPLETE|OFF|TEXT_CHANGED)|COVERED_FEE_WRONG|PAYMENT_BEGUN|EMAIL_NOT_ASKED|EMAIL_KNOWN|DONATION_NOT_OPEN)/,
  'the till':
    /^(DENOMINATION_UNKNOWN|TERMINAL_(NOT_ENROLLED|NOT_RELEASED|REVOKED)|TAKER_NOT_SIGNED_IN|SIGNATURE_REFUSED|NO_OPEN_SHIFT|SHIFT_(OPEN|CLOSED|COUNTED|NOT_COUNTED)|TOO_MANY_RECOUNTS|UNDO_TOO_LATE|WRONG_CODE)/,
  'a redirect of the identity provider': /^IDP_(?!UNAVAILABLE)/,
  'a status of 429, which has its own text':
    /^(RATE_LIMITED|CHALLENGE_REQUIRED|SIGN_IN_BACKOFF|TOO_MANY_INTENTS|RESET_LIMIT|OWN_LINK_LIMIT|OWN_CLAIM_LIMIT)$/,
  'a code that the dashboard answers with a step of its own':
    /^(UNAUTHORIZED|SESSION_ENDED|EDIT_CONFLICT|CONFIRMATION_REQUIRED|SECOND_FACTOR_REQUIRED|SECOND_FACTOR_SETUP_REQUIRED|VALIDATION_FAILED)$/,
  'the monitoring of the server': /^UNHEALTHY$/,
};

/** Requests that forms of the dashboard send, with the fields that no form sends. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  'POST /events': [],
  'PATCH /events/{id}': ['expected', 'id', 'createdAt', 'totalRaised', 'donorCount', 'totals'],
  'POST /staff': [],
  'PUT /staff/{id}': ['expected', 'id', 'createdAt'],
  'POST /users': [],
  'PATCH /users/{id}': ['expected', 'disabled'],
  'POST /terminals/codes': [],
  'PATCH /terminals/{id}': ['expected'],
  'POST /donations': ['confirmed', 'takenBy', 'roundId'],
  'PATCH /donations/{id}': ['expected'],
  'POST /events/{id}/guests': [],
  'PATCH /guests/{id}': ['expected'],
  'POST /donations/{id}/cancel': ['shouldRefund'],
  'POST /donations/{id}/fulfil': [],
  'POST /gift-aid/donations/{id}': ['scope'],
  'POST /gift-aid/declarations/{id}/cancel': [],
  'POST /gift-aid/claims': [],
  'POST /events/{id}/milestones': [],
  'PATCH /milestones/{id}': ['expected'],
  'POST /milestones/{id}/withdraw': [],
  'POST /milestones/{id}/done': [],
  'POST /events/{id}/teams': [],
  'POST /events/{id}/teams/tables': [],
  'POST /events/{id}/teams/tables-of-guests': [],
  'PATCH /teams/{id}': ['expected'],
  'POST /match-pools': ['currency', 'logo', 'url', 'kinds', 'graceMinutes', 'priority'],
  'PATCH /match-pools/{id}': ['version', 'logo', 'url', 'kinds', 'graceMinutes', 'priority'],
  'POST /match-pools/{id}/settle': [],
  'POST /match-pools/{id}/settlements': ['confirmed'],
  'POST /wall-moments': [],
  'POST /floor-messages': [],
  'POST /donations/{id}/receive': [],
  'POST /transfers/search': [],
  'POST /transfers/receive': [],
  'POST /auth/password': [],
  'POST /auth/totp/confirm': [],
  'POST /auth/invitations/accept': ['token'],
  'POST /settings/test-email': [],
};

/** Settings that only the API can change. */
const NOT_ON_PAGES =
  /^(payment\.acceptedCurrencies|donation\.preselected|live\.moderateMessages|live\.wall\..*|theme\.(assets|variables)|expected.*)$/;

describe('the dashboard', () => {
  beforeAll(() => speak('en'));

  it('has a text for every error code that a form can receive', () => {
    const codes = [...codesInSource().keys()].filter(
      (code) => !code.includes('*') && !Object.values(NOT_IN_FORMS).some((codes) => codes.test(code)),
    );
    const message = 'The sentence of the server';
    const raw = codes.filter((code) => refusalTexts('/x', 409, { code, message }).message === message);
    expect(raw).toEqual([]);
    expect(codes.length).toBeGreaterThan(60);
    for (const status of ['PENDING', 'COMPLETED', 'FAILED', 'CANCELLED', 'REFUNDED'])
      expect(refusalTexts('/x', 409, { code: `DONATION_${status}`, message }).message).not.toBe(message);
  });

  it.each(LANGUAGES)('has a text for every rule that a field can break, in %s', (spoken) => {
    speak(spoken);
    for (const rule of RULES) {
      const field = { field: 'name', rule, limit: 200 };
      const { message, fields } = refusalTexts('/staff', 400, { code: 'VALIDATION_FAILED', fields: [field] });
      expect(message).not.toMatch(/invalid\.|\{|undefined/);
      expect(fields.name).not.toBe('');
      expect(message.includes('200')).toBe(/^m(in|ax)/.test(rule));
    }
    speak('en');
  });

  it('names a field as its form does, and says what the field accepts', () => {
    const of = (path: string, ...fields: { field: string; rule: (typeof RULES)[number]; limit?: number }[]) =>
      refusalTexts(path, 400, { code: 'VALIDATION_FAILED', message: 'code must be 6 to 10 digits', fields })
        .message;
    expect(of('/staff', { field: 'code', rule: 'pattern' })).toBe(
      'PIN: Use 6 to 10 digits and nothing else.',
    );
    expect(of('/staff', { field: 'code', rule: 'minLength', limit: 4 })).toBe('PIN: Use 4 to 10 digits.');
    expect(of('/auth/totp/confirm', { field: 'code', rule: 'pattern' })).toBe(
      'Second factor code: This value has the wrong form.',
    );
    expect(of('/donations', { field: 'amount', rule: 'maximum', limit: 10 ** 12 })).toBe(
      'Amount: This amount is too large.',
    );
    expect(of('/x', { field: 'name', rule: 'required' }, { field: 'donorEmail', rule: 'email' })).toBe(
      'Name: Fill in this field. E-mail: Enter an e-mail address such as name@example.org.',
    );
  });

  it('has a label for every field of its forms', () => {
    const description = readDescription();
    const resolved = (schema: SchemaObject): SchemaObject =>
      description.components.schemas[schema.$ref?.split('/').pop() ?? ''] ?? schema;
    const unnamed: string[] = [];
    for (const [name, notSent] of Object.entries(FORMS)) {
      const route = routesOf(description).find(
        ({ method, path }) => `${method.toUpperCase()} ${path}` === name,
      );
      const body = resolved(route?.operation.requestBody?.content['application/json']?.schema ?? {});
      const fields = Object.entries(body.properties ?? {})
        .filter(([field, schema]) => !resolved(schema).readOnly && !notSent.includes(field))
        .map(([field]) => field);
      if (fields.length === 0) unnamed.push(`${name} has no fields`);
      for (const field of fields) {
        const { message } = refusalTexts(name.slice(name.indexOf('/')), 400, {
          fields: [{ field, rule: 'required' }],
        });
        if (message.startsWith(`${field}:`) || fieldName(field) === '') unnamed.push(`${name}: ${field}`);
      }
    }
    expect(unnamed).toEqual([]);
  });

  it('has a label for every setting, those of the countries from the server', () => {
    for (const pack of PACKS) nameFields(formOf(pack, 'en'));
    const description = readDescription();
    const schema =
      routesOf(description).find(({ method, path }) => method === 'patch' && path === '/settings/global')
        ?.operation.requestBody?.content['application/json']?.schema ?? {};
    const leavesOf = (given: SchemaObject, path: string): string[] => {
      const named = description.components.schemas[given.$ref?.split('/').pop() ?? ''] ?? given;
      const inner = named.properties ?? named.anyOf?.find((part) => part.properties)?.properties;
      if (!inner) return [path];
      return Object.entries(inner).flatMap(([name, part]) =>
        leavesOf(part, path === '' ? name : `${path}.${name}`),
      );
    };
    const settings = leavesOf(schema, '').filter((path) => !NOT_ON_PAGES.test(path));
    expect(settings.filter((path) => fieldName(path) === path)).toEqual([]);
    expect(settings.length).toBeGreaterThan(25);
  });
});
