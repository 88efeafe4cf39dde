import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../src/common/crypto/ids.js';
import type { RefusedField } from '../../src/common/errors/error-body.js';
import { BRANDING, SETTINGS } from '../../src/settings/settings.js';
import { readExpected, readPatch, withoutExpected } from '../../src/settings/settings-patch.js';
import { as } from '../support/bearer.js';
import {
  ADMIN_PASSWORD,
  adminToken,
  createEvent,
  createStaff,
  type EventFixture,
} from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withService } from '../support/setup.js';
import { enrolTerminal } from '../support/terminals.js';
import { type Parameter, readDescription, type Route, routesOf, type SchemaObject } from './described.js';
import { DescribedValues, sampleOf, typesOf } from './described-values.js';

/** Number of samples of each body and each query. */
const SAMPLES = 6;
const SEED = 20_261_126;
const AT_ONCE = 8;
/** Bodies that the service parses with the schema of the settings. The test validates them without a server. */
const SETTINGS_BODIES: Readonly<Record<string, typeof SETTINGS | typeof BRANDING>> = {
  'PATCH /settings/global': SETTINGS,
  'PATCH /events/{id}/settings': SETTINGS,
  'PATCH /events/{id}/branding': BRANDING,
};
/** Rules that no schema describes: combinations of valid values, and limits from a setting. */
const RELATIONS =
  /^(columns must not contain a field twice|roundId is only allowed for a pledge|sharesPaddleWith is not allowed with a paddle|to must be from \d+ to \d+|names must have .*|recordedAt must be sent with takenBy|password or totp must be sent|code must be 6 to 10 digits|eventId must be the id or slug of an event|(metadata\.)?address\.postcode must be a United Kingdom postcode.*|metadata\.address is not allowed with donorAddress|declaredAt must not be in the future|(perGiftCap|minGift|perDonorCap) must be at most cap|closesAt must be after opensAt|currency must be the event's: [a-z]{3}|(type|amount) is required without donationId|(metadata\.)?tribute\.(name|message) must not contain web addresses, e-mail addresses or telephone numbers|year is not allowed with from and to|(from|to) is required without year|to must not be before from|url must (be an https address|not contain .*|not be an address .*|use one of the ports .*)|staffId is not allowed with terminalId|leftOut contains [\da-f-]+, which the claim would .*)$/;
/** Statuses that guards answer before the validators run. */
const NOT_REACHED: ReadonlySet<number> = new Set([401, 403, 415, 429]);

const description = readDescription();
const values = new DescribedValues(description);

type Headers = Record<string, string>;
interface Asked {
  readonly route: Route;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}
interface Answer {
  readonly status: number;
  readonly code: unknown;
  readonly message: string;
  readonly fields: readonly RefusedField[];
}

const app = withService(startPaymentsApp);
let event: EventFixture;
let callers: Headers[];

beforeAll(async () => {
  const admin = await adminToken(app);
  event = await createEvent(app, admin);
  const staff = await createStaff(app, admin, event.id);
  const { deviceToken } = await enrolTerminal(app, admin);
  const { body } = await as(app, admin).post('/auth/confirm', { password: ADMIN_PASSWORD }).expect(200);
  const { confirmation } = body as { confirmation: string };
  callers = [
    { authorization: `Bearer ${admin}`, 'x-confirmation': confirmation },
    { authorization: `Bearer ${staff.token}` },
    { 'x-device-token': deviceToken },
  ];
});

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;
const bodyOf = ({ operation }: Route) => operation.requestBody?.content['application/json']?.schema;
const queryOf = ({ operation }: Route) =>
  (operation.parameters ?? []).filter(({ in: place }) => place === 'query');

/** Returns the path of a route. Only the event id in it exists, so that the request changes nothing. */
const addressOf = ({ path }: Route) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    path.startsWith('/events/') && name === 'id' ? event.id : newId(),
  );

async function ask({ route, query, body }: Asked, headers: Headers): Promise<Answer> {
  const search = new URLSearchParams(query).toString();
  const send = () =>
    fetch(`${app.url}${addressOf(route)}${search && `?${search}`}`, {
      method: route.method.toUpperCase(),
      redirect: 'manual',
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  // The server may close an idle connection while the client uses it again. These requests change nothing, so they can be
  // repeated (RFC 9112, section 9.3.1). Several connections of the client may be affected.
  const sent = async (attempts = 5): Promise<Response> => {
    try {
      return await send();
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      if (code !== 'ECONNRESET' || attempts === 1) throw error;
      return await sent(attempts - 1);
    }
  };
  const answer = await sent();
  const text = await answer.text();
  const said = answer.status >= 400 ? (JSON.parse(text) as Partial<Answer>) : {};
  return { status: answer.status, code: said.code, message: said.message ?? '', fields: said.fields ?? [] };
}

/** Returns the headers of a caller who passes the guards of a route: the route then answers 400 for an unknown field. */
async function callerOf(route: Route, wrong: Omit<Asked, 'route'>): Promise<Headers> {
  for (const headers of callers) {
    const { status } = await ask({ route, ...wrong }, headers);
    if (status === 400) return headers;
  }
  throw new Error(`no caller reaches the validators of ${nameOf(route)}`);
}

async function inTurn<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const next = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of next) await work(item);
    }),
  );
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if a page can explain the refusal: the answer names the field and a rule that its schema has. */
const hasTextFor = ({ field, rule }: RefusedField): boolean => field !== '' && rule !== 'other';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Generates queries with valid values for all parameters. */
function validQuery(parameters: readonly Parameter[]): fc.Arbitrary<Record<string, string>> {
  const fields = parameters.map(
    ({ name, schema }) => [name, values.valid(schema ?? {}).map(textOf)] as const,
  );
  return fc
    .record(Object.fromEntries(fields), {
      requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
    })
    .map((query) => query as Record<string, string>);
}

/** Returns invalid values of a parameter. Every query value is text. */
function brokenParameters({ name, schema = {} }: Parameter): { why: string; value: string }[] {
  const [type] = typesOf(schema);
  const wrong = values.broken(schema, undefined).filter(({ value }) => {
    if (typeof value === 'string')
      return type !== 'boolean' && type !== 'integer' && value !== '' && value !== ' ';
    return type === 'integer' && typeof value === 'number';
  });
  const words = type === 'boolean' ? ['yes', '1', 'TRUE', 'on'] : type === 'integer' ? ['ten', '1e1'] : [];
  return [
    ...wrong.map(({ why, value }) => ({ why: `${name}: ${why}`, value: textOf(value) })),
    ...words.map((value) => ({ why: `${name}: no ${type ?? ''}`, value })),
  ];
}

const routes = routesOf(description);
/** Pages accept any query. So do the routes to which other systems redirect people. */
const withQuery = routes.filter(
  (route) => queryOf(route).length > 0 && !/^\/(wall|stage|auth\/idp|donations\/wallet)\//.test(route.path),
);
const withBody = routes.filter((route) => {
  const schema = bodyOf(route);
  return schema !== undefined && values.resolved(schema).additionalProperties === false;
});

describe('the validators', () => {
  it('every body is described as closed, except the messages of providers', () => {
    const open = routes
      .filter((route) => bodyOf(route) !== undefined && !withBody.includes(route))
      .map(nameOf);
    expect(open.sort()).toEqual(['POST /donations/cardprocessor/webhook', 'POST /donations/wallet/webhook']);
    expect(withBody.length).toBeGreaterThan(30);
    expect(withQuery.length).toBeGreaterThan(20);
  });

  it('the validators accept every body that the API description allows', async () => {
    const problems: string[] = [];
    await inTurn(
      withBody.filter((route) => !(nameOf(route) in SETTINGS_BODIES)),
      async (route) => {
        const headers = await callerOf(route, { query: {}, body: { nobodyKnowsThis: 1 } });
        const bodies = fc.sample(values.valid(bodyOf(route) ?? {}), { numRuns: SAMPLES, seed: SEED });
        let reached = 0;
        for (const body of bodies) {
          const { status, code, message } = await ask({ route, query: {}, body }, headers);
          if (!NOT_REACHED.has(status) || headers === callers[0]) reached++;
          if (code === 'VALIDATION_FAILED' && !RELATIONS.test(message))
            problems.push(`${nameOf(route)} ${JSON.stringify(body)} → ${message}`);
          if (status >= 500 && status !== 503) problems.push(`${nameOf(route)} → ${String(status)}`);
        }
        if (reached === 0) problems.push(`${nameOf(route)} was not reached`);
      },
    );
    expect(problems).toEqual([]);
  });

  it.each(Object.entries(SETTINGS_BODIES))(
    'the validators accept every change of settings that the API description allows: %s',
    (name, schema) => {
      const route = withBody.find((one) => nameOf(one) === name) as Route;
      const problems = fc
        .sample(values.valid(bodyOf(route) ?? {}), { numRuns: 300, seed: SEED })
        .flatMap((body) => {
          try {
            const { patch, expected } = withoutExpected(body);
            readPatch(patch, schema);
            readExpected(expected, schema);
            return [];
          } catch (error) {
            const { message } = error as Error;
            return message.startsWith('live.moderateMessages contradicts') ? [] : [message];
          }
        });
      expect(problems).toEqual([]);
    },
  );

  it('the validators refuse every body that slightly breaks one constraint, and name field and rule', async () => {
    const problems: string[] = [];
    let tried = 0;
    await inTurn(withBody, async (route) => {
      const schema = bodyOf(route) ?? {};
      const headers = await callerOf(route, { query: {}, body: { nobodyKnowsThis: 1 } });
      const base = requiredOnly(values.resolved(schema), sampleOf(values.valid(schema)));
      for (const { why, value } of values.broken(schema, base)) {
        tried++;
        const { status, code, fields } = await ask({ route, query: {}, body: value }, headers);
        const isExplained = isObject(value) ? fields.length > 0 && fields.every(hasTextFor) : true;
        if (status !== 400 || (code === 'VALIDATION_FAILED' && !isExplained))
          problems.push(
            `${nameOf(route)} ${why} ${JSON.stringify(value).slice(0, 200)} → ${String(status)} ${String(code)} ${JSON.stringify(fields)}`,
          );
      }
    });
    expect(problems).toEqual([]);
    expect(tried).toBeGreaterThan(500);
  });

  it('the validators accept every query that the API description allows', async () => {
    const problems: string[] = [];
    await inTurn(withQuery, async (route) => {
      const headers = await callerOf(route, { query: { nobodyKnowsThis: '1' }, body: undefined });
      const queries = fc.sample(validQuery(queryOf(route)), { numRuns: SAMPLES, seed: SEED });
      for (const query of queries) {
        const { status, code, message } = await ask({ route, query, body: undefined }, headers);
        if (NOT_REACHED.has(status) || (code === 'VALIDATION_FAILED' && !RELATIONS.test(message)))
          problems.push(`${nameOf(route)} ${JSON.stringify(query)} → ${String(status)} ${message}`);
      }
    });
    expect(problems).toEqual([]);
  });

  it('the validators refuse every query that slightly breaks one constraint', async () => {
    const problems: string[] = [];
    let tried = 0;
    await inTurn(withQuery, async (route) => {
      const headers = await callerOf(route, { query: { nobodyKnowsThis: '1' }, body: undefined });
      const parameters = queryOf(route);
      const base = sampleOf(validQuery(parameters.filter(({ required }) => required)));
      for (const { name } of parameters.filter(({ required }) => required)) {
        const { [name]: _, ...query } = base;
        const { status } = await ask({ route, query, body: undefined }, headers);
        if (status !== 400) problems.push(`${nameOf(route)} without ${name} → ${String(status)}`);
      }
      for (const parameter of parameters)
        for (const { why, value } of brokenParameters(parameter)) {
          tried++;
          const query = { ...base, [parameter.name]: value };
          const { status } = await ask({ route, query, body: undefined }, headers);
          if (status !== 400)
            problems.push(`${nameOf(route)} ${why} ${value.slice(0, 100)} → ${String(status)}`);
        }
    });
    expect(problems).toEqual([]);
    expect(tried).toBeGreaterThan(200);
  });
});

describe('pages and errors outside the routes', () => {
  it('the answer for a missing wall in a browser is the one in the API description', async () => {
    const { operation } = routes.find(({ path }) => path === '/wall/{slug}') as Route;
    for (const [accept, type] of [
      ['text/html', 'text/html'],
      ['application/json', 'application/json'],
    ] as const) {
      const answer = await fetch(`${app.url}/wall/nobody-has-this`, { headers: { accept } });
      expect([answer.status, answer.headers.get('content-type')?.split(';', 1)[0]]).toEqual([404, type]);
      expect(Object.keys(operation.responses['404']?.content ?? {})).toContain(type);
    }
  });

  it('the answer for oversized headers is the one in the API description of every route', async () => {
    const answer = await fetch(`${app.url}/events/public`, { headers: { 'x-large': 'x'.repeat(20_000) } });
    expect(await answer.json()).toMatchObject({ statusCode: 431, code: 'HEADERS_TOO_LARGE' });
    expect(routes.filter(({ operation }) => !('431' in operation.responses)).map(nameOf)).toEqual([]);
  });
});

/** Keeps only the required fields of a body, so that the test can break each other field separately. */
function requiredOnly({ required = [] }: SchemaObject, body: unknown): unknown {
  return Object.fromEntries(
    Object.entries(body as Record<string, unknown>).filter(([name]) => required.includes(name)),
  );
}
