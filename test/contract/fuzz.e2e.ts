import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../src/common/ids.js';
import { adminToken, createEvent, createStaff } from '../support/fixtures.js';
import { type PaymentsApp, startPaymentsApp } from '../support/payments.js';
import {
  pointerPart,
  readDescription,
  type Route,
  routesOf,
  type SchemaObject,
  validator,
} from './described.js';

/** Requests in all; `FUZZ_REQUESTS` makes a longer run. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 600);
const AT_ONCE = 16;
/** Long, because the machine may be busy; what takes longer hangs. */
const ANSWER_MS = 20_000;
const RUN_MS = 60_000 + REQUESTS * 200;

const description = readDescription();
const problemAt = validator(description, 'openapi');
const routes = routesOf(description);

let app: PaymentsApp;
let tokens: (string | undefined)[];
/** Ids and slugs of things that exist, so that requests come past the first 404. */
let known: string[];

beforeAll(async () => {
  app = await startPaymentsApp();
  const admin = await adminToken(app);
  const event = await createEvent(app, admin);
  const staff = await createStaff(app, admin, event.id);
  tokens = [admin, admin, admin, staff.token, undefined, 'not.a.token'];
  known = [event.id, event.slug, staff.id];
  for (const type of ['cash', 'pledge', 'check']) {
    const { body } = await app.http
      .post('/donations')
      .auth(admin, { type: 'bearer' })
      .send({ eventId: event.id, amount: 100, type, message: 'Hello', donorName: 'Ada' });
    known.push((body as { id: string }).id);
  }
});
afterAll(() => app.close());

interface Shot {
  readonly route: Route;
  readonly url: string;
  readonly token: string | undefined;
  readonly type: string | undefined;
  readonly body: string | undefined;
}

const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud83d',
  '\u200d',
  '%',
  '../..',
  '__proto__',
  "'; --",
  '\u202e',
  '=1+1',
  'x'.repeat(600),
];
const oddText = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom(...ODD_TEXTS));
const anything = fc.oneof(
  oddText,
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
);

function resolved(schema: SchemaObject): SchemaObject {
  const name = schema.$ref?.split('/').pop();
  return name === undefined ? schema : (description.components.schemas[name] ?? {});
}

/** Values that mostly fit a schema, so that they pass the first check and reach what lies behind. */
function valueOf(given: SchemaObject): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  const fitting = fittingValue(schema);
  const example = schema.example === undefined ? [] : [{ weight: 6, arbitrary: fc.constant(schema.example) }];
  return fc.oneof({ weight: 8, arbitrary: fitting }, ...example, { weight: 1, arbitrary: anything });
}

function fittingValue(schema: SchemaObject): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const parts = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (parts) return fc.oneof(...parts.map(valueOf));
  if (schema.properties) return objectOf(schema);
  const type = [schema.type ?? 'string'].flat()[0];
  switch (type) {
    case 'integer':
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? 0, max: Math.max(schema.minimum ?? 0, 5_000) }),
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 2 ** 53, -1, 2 ** 60),
      );
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueOf(schema.items ?? {}), { maxLength: 4 });
    case 'object':
      return fc.dictionary(oddText, anything, { maxKeys: 3 });
    default:
      if (schema.format === 'date-time')
        return fc.constantFrom('2026-11-21', '2026-11-21T19:30:00Z', 'never', '+275760-09-13');
      return fc.oneof(fc.constantFrom(...known), fc.string({ unit: 'grapheme' }), oddText);
  }
}

function objectOf(schema: SchemaObject): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, valueOf(field)]),
  );
  const fits = fc.record(fields, { requiredKeys: [...(schema.required ?? [])] });
  const odd = fc
    .tuple(fits, fc.dictionary(oddText, anything, { maxKeys: 2 }))
    .map(([a, b]) => ({ ...a, ...b }));
  return fc.oneof({ weight: 12, arbitrary: fits }, { weight: 1, arbitrary: odd });
}

const pathValue = () =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known, newId()) }, { weight: 1, arbitrary: oddText });

/** A path that Node's parser takes; what it refuses has a test of its own. */
const encoded = (text: string): string => {
  try {
    return encodeURIComponent(text) || '%20';
  } catch {
    return '%ED%A0%BD';
  }
};

function shotOf(route: Route): fc.Arbitrary<Shot> {
  const parameters = route.operation.parameters ?? [];
  const inPath = parameters.filter((one) => one.in === 'path');
  const inQuery = parameters.filter((one) => one.in === 'query');
  const media = route.operation.requestBody?.content['application/json'];
  const query = fc.record(
    Object.fromEntries(inQuery.map(({ name, schema }) => [name, valueOf(schema ?? {})])),
    {
      requiredKeys: inQuery.filter(({ required }) => required).map(({ name }) => name),
    },
  );
  const body: fc.Arbitrary<string | undefined> = media
    ? fc.oneof(
        {
          weight: 20,
          arbitrary: valueOf(media.schema as SchemaObject).map((value) => JSON.stringify(value)),
        },
        { weight: 1, arbitrary: oddText },
        { weight: 1, arbitrary: fc.constant(undefined) },
      )
    : fc.constant(undefined);
  return fc
    .record({
      path: fc.tuple(...inPath.map(pathValue)),
      query,
      body,
      token: fc.constantFrom(...tokens),
      type: fc.oneof(
        { weight: 20, arbitrary: fc.constant('application/json') },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            'text/plain',
            'application/json; charset=latin1',
            'application/x-www-form-urlencoded',
          ),
        },
      ),
    })
    .map(({ path, query: asked, body: sent, token, type }) => {
      const address = inPath.reduce(
        (at, { name }, index) => at.replace(`{${name}}`, encoded(path[index] ?? '')),
        route.path,
      );
      const pairs = Object.entries(asked).map(
        ([name, value]) => `${name}=${encoded(typeof value === 'string' ? value : JSON.stringify(value))}`,
      );
      return {
        route,
        url: pairs.length > 0 ? `${address}?${pairs.join('&')}` : address,
        token,
        type: sent === undefined ? undefined : type,
        body: sent,
      };
    });
}

/** What is wrong with an answer, or undefined. */
async function problemOf({ route, url, token, type, body }: Shot): Promise<string | undefined> {
  const answer = await fetch(app.url + url, {
    method: route.method.toUpperCase(),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS),
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(type ? { 'Content-Type': type } : {}),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  const { status } = answer;
  if (status >= 500 && status !== 503) return `${status}: ${text}`;
  const described = route.operation.responses[status];
  // A path parameter such as `..` can lead to another route, or to none.
  if (!described)
    return isElsewhere(route, url, status, text) ? undefined : `${status} is not described: ${text}`;
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  if (status >= 400 && !isJson) return `${status} without the one body: ${text.slice(0, 200)}`;
  if (!isJson) return undefined;
  const pointer = `/paths/${pointerPart(route.path)}/${route.method}/responses/${status}/content/application~1json/schema`;
  const value: unknown = JSON.parse(text);
  if (status >= 400 && typeof (value as { code?: unknown }).code !== 'string') return `no code: ${text}`;
  if (!described.content?.['application/json']) return undefined;
  const problem = problemAt(pointer, value);
  return problem === undefined
    ? undefined
    : `${status} does not match its schema: ${problem}; ${text.slice(0, 300)}`;
}

function isElsewhere(route: Route, url: string, status: number, text: string): boolean {
  const path = new URL(url, app.url).pathname;
  const shape = new RegExp(`^${route.path.replace(/\{[^}]+\}/g, '[^/]+')}$`);
  return !shape.test(path) && status === 404 && text.includes('"code"');
}

describe('any request made from the description', () => {
  it(
    `gets an answer that the description knows, in ${REQUESTS} tries`,
    async () => {
      expect(routes.length).toBeGreaterThan(40);
      const seed = Number(process.env.FUZZ_SEED ?? Date.now());
      const each = Math.ceil(REQUESTS / routes.length);
      const shots = routes.flatMap((route, index) =>
        fc.sample(shotOf(route), { numRuns: each, seed: seed + index }),
      );
      const problems: string[] = [];
      const statuses = new Map<number, number>();
      const next = shots[Symbol.iterator]();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const shot of next) {
            const problem = await problemOf(shot).catch((error: unknown) => String(error));
            statuses.set(problem ? 1 : 0, (statuses.get(problem ? 1 : 0) ?? 0) + 1);
            if (problem)
              problems.push(
                `${shot.route.method} ${shot.url} ${shot.body?.slice(0, 300) ?? ''} → ${problem}`,
              );
          }
        }),
      );
      if (problems.length > 0)
        throw new Error(
          `FUZZ_SEED=${seed}: ${problems.length} of ${shots.length}\n${problems.slice(0, 40).join('\n')}`,
        );
      expect(statuses.get(0)).toBe(shots.length);
    },
    RUN_MS,
  );
});
