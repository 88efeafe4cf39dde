import fc from 'fast-check';
import { newId } from '../../src/common/crypto/ids.js';
import type { Description, Route, SchemaObject } from './described.js';

/** Values that the generated requests can use. */
export interface World {
  readonly description: Description;
  readonly tokens: readonly (string | undefined)[];
  /** Ids and slugs of existing objects. With these, a request does not end in an early 404. */
  readonly known: readonly string[];
}

/** One request that was generated from the API description. */
export interface Shot {
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
export const oddText = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom(...ODD_TEXTS));
export const anything = fc.oneof(
  oddText,
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
);

function resolved(schema: SchemaObject, { description }: World): SchemaObject {
  const name = schema.$ref?.split('/').pop();
  return name === undefined ? schema : (description.components.schemas[name] ?? {});
}

/** Generates values that mostly match a schema, so that they pass its validation and reach the code behind the validation. */
function valueOf(given: SchemaObject, world: World): fc.Arbitrary<unknown> {
  const schema = resolved(given, world);
  const fitting = fittingValue(schema, world);
  const example = schema.example === undefined ? [] : [{ weight: 6, arbitrary: fc.constant(schema.example) }];
  return fc.oneof({ weight: 8, arbitrary: fitting }, ...example, { weight: 1, arbitrary: anything });
}

function fittingValue(schema: SchemaObject, world: World): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const parts = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (parts) return fc.oneof(...parts.map((part) => valueOf(part, world)));
  if (schema.properties) return objectOf(schema, world);
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
      return fc.array(valueOf(schema.items ?? {}, world), { maxLength: 4 });
    case 'object':
      return fc.dictionary(oddText, anything, { maxKeys: 3 });
    default:
      if (schema.format === 'date-time')
        return fc.constantFrom('2026-11-21', '2026-11-21T19:30:00Z', 'never', '+275760-09-13');
      return fc.oneof(fc.constantFrom(...world.known), fc.string({ unit: 'grapheme' }), oddText);
  }
}

function objectOf(schema: SchemaObject, world: World): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, valueOf(field, world)]),
  );
  const fits = fc.record(fields, { requiredKeys: [...(schema.required ?? [])] });
  const odd = fc
    .tuple(fits, fc.dictionary(oddText, anything, { maxKeys: 2 }))
    .map(([a, b]) => ({ ...a, ...b }));
  return fc.oneof({ weight: 12, arbitrary: fits }, { weight: 1, arbitrary: odd });
}

const pathValue = ({ known }: World) =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known, newId()) }, { weight: 1, arbitrary: oddText });

/** Returns a path that Node's parser accepts. Another test covers the paths that the parser refuses. */
const encoded = (text: string): string => {
  try {
    return encodeURIComponent(text) || '%20';
  } catch {
    return '%ED%A0%BD';
  }
};

/** Generates requests of a route: mostly valid, sometimes odd. */
export function shotsOf(route: Route, world: World): fc.Arbitrary<Shot> {
  const parameters = route.operation.parameters ?? [];
  const inPath = parameters.filter((one) => one.in === 'path');
  // Leaves out the parameter `fields`, which changes the form of the answer. The description explains this only in words.
  const inQuery = parameters.filter((one) => one.in === 'query' && one.name !== 'fields');
  const media = route.operation.requestBody?.content['application/json'];
  const query = fc.record(
    Object.fromEntries(inQuery.map(({ name, schema }) => [name, valueOf(schema ?? {}, world)])),
    {
      requiredKeys: inQuery.filter(({ required }) => required).map(({ name }) => name),
    },
  );
  const body: fc.Arbitrary<string | undefined> = media
    ? fc.oneof(
        {
          weight: 20,
          arbitrary: valueOf(media.schema as SchemaObject, world).map((value) => JSON.stringify(value)),
        },
        { weight: 1, arbitrary: oddText },
        { weight: 1, arbitrary: fc.constant(undefined) },
      )
    : fc.constant(undefined);
  return fc
    .record({
      path: fc.tuple(...inPath.map(() => pathValue(world))),
      query,
      body,
      token: fc.constantFrom(...world.tokens),
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
