import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { layeredOver, bare, readSettings } from './stored-settings.js';
import { amount, text } from './setting-values.js';
import { jsonSchemaOf, patchSchemaOf } from './settings-docs.js';
import { SETTINGS } from './settings.js';

/** The settings with one more section, as if a developer had added it to the schema. */
const GROWN = SETTINGS.extend({
  raffle: z
    .object({
      ticketPrice: amount().meta({ example: 500, description: 'What a ticket costs' }).default(200),
      host: text(20).meta({ example: 'Ada', description: 'Who draws' }).nullable().default(null),
    })
    .prefault({}),
});

type Node = Readonly<Record<string, unknown>> & { properties: Record<string, Node> };

const leaves = (schema: z.ZodObject, path = ''): [string, z.core.$ZodType][] =>
  Object.entries(schema.shape).flatMap(([name, field]) => {
    const inner = bare(field);
    return inner instanceof z.ZodObject ? leaves(inner, `${path}${name}.`) : [[`${path}${name}`, inner]];
  });

/** Returns the JSON schema at a path, without its wrappers. */
const at = (document: unknown, path: string): unknown => {
  const root = document as { $defs?: Record<string, unknown> };
  return path.split('.').reduce<unknown>((schema, name) => {
    const found = open(schema, root.$defs ?? {}) as Node;
    return found.properties[name];
  }, document);
};
const open = (schema: unknown, parts: Record<string, unknown>): unknown => {
  const node = schema as { $ref?: string; anyOf?: unknown[] };
  if (node.$ref !== undefined) return open(parts[node.$ref.split('/').at(-1) ?? ''], parts);
  return node.anyOf ? open(node.anyOf[0], parts) : node;
};

describe('a field added to the schema in one place', () => {
  it('belongs to the TypeScript type', () => {
    const raffle: z.output<typeof GROWN>['raffle'] = { ticketPrice: 1, host: null };
    // @ts-expect-error -- an amount is not a text
    raffle.ticketPrice = 'one';
    expect(Object.keys(raffle)).toEqual(['ticketPrice', 'host']);
  });

  it('is validated in a request', () => {
    expect(readSettings({ raffle: { ticketPrice: 300, host: null } }, GROWN)).toEqual({
      value: { raffle: { ticketPrice: 300, host: null } },
      problems: [],
    });
    expect(readSettings({ raffle: { ticketPrice: 0, host: 7, prize: 1 } }, GROWN).problems).toEqual([
      {
        field: 'raffle.ticketPrice',
        rule: 'minimum',
        limit: 1,
        message: 'raffle.ticketPrice must be from 1 to 1000000000000',
      },
      { field: 'raffle.host', rule: 'type', message: 'raffle.host must be a string' },
      { field: 'raffle.prize', rule: 'unknown', message: 'raffle.prize is not a known field' },
    ]);
    expect(readSettings({ raffle: {} }, SETTINGS).problems).toEqual([
      { field: 'raffle', rule: 'unknown', message: 'raffle is not a known field' },
    ]);
  });

  it('has its default and merges', () => {
    expect(layeredOver(GROWN).raffle).toEqual({ ticketPrice: 200, host: null });
    expect(layeredOver(GROWN, { raffle: { host: 'Ada' } }, { raffle: { ticketPrice: 500 } }).raffle).toEqual({
      ticketPrice: 500,
      host: 'Ada',
    });
  });

  it('is described in the request and the response', () => {
    const said = {
      type: 'integer',
      format: 'int64',
      minimum: 1,
      description: 'What a ticket costs',
      example: 500,
    };
    expect(open(at(patchSchemaOf(GROWN), 'raffle.ticketPrice'), {})).toMatchObject(said);
    expect(at(jsonSchemaOf(GROWN), 'raffle.ticketPrice')).toMatchObject({ ...said, default: 200 });
  });
});

describe('the API description of the settings', () => {
  it.each(leaves(SETTINGS))('describes %s with a valid example', (path, schema) => {
    const { description, example } = z.globalRegistry.get(schema) ?? {};
    expect(description).toEqual(expect.any(String));
    const raw = path.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), example);
    expect(readSettings(raw, SETTINGS)).toEqual({ value: raw, problems: [] });
  });

  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const patch = ajv.compile(patchSchemaOf(SETTINGS));
  const answer = ajv.compile(jsonSchemaOf(SETTINGS));

  it.each([
    {},
    { live: null, donation: { minAmount: null, fields: { message: 'hidden' } } },
    { theme: { assets: { logo: null }, variables: { '--a': 'red' } } },
    { embed: { origins: [] }, locales: { supported: ['en', 'de'] } },
  ])('allows the accepted patch %j', (body) => {
    expect(readSettings(body, SETTINGS).problems).toEqual([]);
    expect(patch(body)).toBe(true);
  });

  it.each([
    { colour: 'red' },
    { live: { moderate: 'everything' } },
    { donation: { minAmount: 0 } },
    { donation: { presets: [1, 1] } },
    { donation: { fields: { message: 'maybe' } } },
    { theme: { variables: { color: 'red' } } },
    { theme: { assets: { logo: 7 } } },
    { payment: { acceptedCurrencies: [] } },
    { legal: [] },
  ])('forbids the refused patch %j', (body) => {
    expect(readSettings(body, SETTINGS).problems).toHaveLength(1);
    expect(patch(body)).toBe(false);
  });

  it('matches the defaults and requires every part', () => {
    const settings = layeredOver(SETTINGS);
    expect(answer(settings)).toBe(true);
    for (const name of Object.keys(settings)) expect(answer({ ...settings, [name]: undefined })).toBe(false);
  });
});
