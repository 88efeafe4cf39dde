import fc from 'fast-check';
import type { Description, SchemaObject } from './described.js';

/** Valid values of the formats that have no pattern. */
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid(),
  'date-time': fc
    .date({ min: new Date('1971-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  date: fc
    .date({ min: new Date('1971-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  email: fc.emailAddress(),
  // The limit counts bytes, so each character has one byte.
  password: fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 72 }),
  'css-value': fc.constantFrom('#0a7c66', '12px', 'calc(100% - 2px)', 'Inter, sans-serif', '0 1px 2px #0003'),
  iban: fc.constantFrom('DE89370400440532013000', 'CH93 0076 2011 6238 5295 7', 'nl91abna0417164300'),
  ein: fc.constantFrom('53-0196605', '12-3456789'),
  siren: fc.constantFrom('732829320', '552 100 554'),
  rsin: fc.constantFrom('111222333', '123456782'),
  'swiss-uid': fc.constantFrom('CHE-116.281.710', 'CHE-109.322.551'),
  'iana-time-zone': fc.constantFrom('Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC'),
};
/** The API description requires a visible character only in its text, not in a pattern. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;
/** Texts that most fields refuse, each for its own reason. */
const ODD_TEXTS = ['a\u0000b', 'a\u0007b', 'a\nb', 'a\u2028b', 'a\u202Eb', ' ', '!', 'A b', '-', '7', 'ä'];

/** The path to a part of a value: names and indexes. */
type Path = readonly (string | number)[];

/** A value that breaks exactly one constraint of the description. */
export interface Broken {
  readonly why: string;
  readonly value: unknown;
}

/** Values that a schema allows, and values that break it by one step. */
export class DescribedValues {
  constructor(private readonly description: Description) {}

  resolved(schema: SchemaObject): SchemaObject {
    const name = schema.$ref?.split('/').pop();
    return name === undefined ? schema : (this.description.components.schemas[name] ?? {});
  }

  /** Generates any value that the schema allows, without read-only fields. */
  valid(given: SchemaObject): fc.Arbitrary<unknown> {
    const schema = this.resolved(given);
    const parts = schema.oneOf ?? schema.anyOf ?? schema.allOf;
    if (parts) return fc.oneof(...parts.map((part) => this.valid(part)));
    if (schema.enum) return fc.constantFrom(...schema.enum);
    return fc.oneof(...typesOf(schema).map((type) => this.validOf(type, schema)));
  }

  private validOf(type: string, schema: SchemaObject): fc.Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer': {
        const { minimum: min = Number.MIN_SAFE_INTEGER, maximum: max = Number.MAX_SAFE_INTEGER } = schema;
        return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
      }
      case 'array':
        return schema.uniqueItems
          ? fc.uniqueArray(this.valid(schema.items ?? {}), lengthsOf(schema))
          : fc.array(this.valid(schema.items ?? {}), lengthsOf(schema));
      case 'object':
        return this.validObject(schema);
      default:
        return text(schema);
    }
  }

  private validObject(schema: SchemaObject): fc.Arbitrary<unknown> {
    const { properties, additionalProperties, propertyNames, required = [] } = schema;
    if (!properties && typeof additionalProperties === 'object')
      return fc.dictionary(text(propertyNames ?? {}), this.valid(additionalProperties), { maxKeys: 4 });
    const fields = Object.entries(properties ?? {})
      .map(([name, field]) => [name, this.resolved(field)] as const)
      .filter(([, { readOnly }]) => !readOnly);
    return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, this.valid(field)])), {
      requiredKeys: [...required],
    });
  }

  /** Returns copies of `value` at every depth. In each copy, one constraint of the schema is broken. */
  broken(given: SchemaObject, value: unknown, path: Path = []): Broken[] {
    const schema = this.resolved(given);
    const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    const at = (why: string, ...wrong: unknown[]) =>
      wrong.map((one) => ({ why: `${path.join('.') || 'body'}: ${why}`, value: one }));
    if (parts) {
      const others = parts.filter((part) => !typesOf(this.resolved(part)).includes('null'));
      // A value that breaks one alternative may match another one. Only a type outside all alternatives is certainly wrong.
      if (others.length !== 1)
        return at('no alternative', [], ...(parts.length > others.length ? [] : [null]));
      const [only = {}] = others;
      // Where the description says so, the service treats blank text as null.
      return this.broken(only, value, path).filter(({ value: wrong }) => wrong !== null && !isBlank(wrong));
    }
    const types = typesOf(schema);
    const nulls = types.includes('null') ? [] : at('null', null);
    if (schema.enum) return [...nulls, ...at('not in the list', 'zzz', 7)];
    const [type] = types.filter((one) => one !== 'null');
    return [...nulls, ...this.brokenOf(type ?? 'string', schema, value, path, at)];
  }

  private brokenOf(
    type: string,
    schema: SchemaObject,
    value: unknown,
    path: Path,
    at: (why: string, ...wrong: unknown[]) => Broken[],
  ): Broken[] {
    const { minimum, maximum } = schema;
    switch (type) {
      case 'boolean':
        return at('not a boolean', 'true', 1);
      case 'integer':
        return [
          ...at('not an integer', '1', (minimum ?? 0) + 0.5),
          ...(minimum === undefined ? [] : at('below the minimum', minimum - 1)),
          ...(maximum === undefined ? [] : at('above the maximum', maximum + 1)),
        ];
      case 'array':
        return this.brokenArray(schema, path, at);
      case 'object':
        return this.brokenObject(schema, value, path, at);
      default:
        return brokenText(schema, at);
    }
  }

  private brokenArray(
    { items = {}, minItems, maxItems, uniqueItems }: SchemaObject,
    path: Path,
    at: (why: string, ...wrong: unknown[]) => Broken[],
  ): Broken[] {
    const one = sampleOf(this.valid(items));
    const many = maxItems === undefined ? [] : different(this.valid(items), maxItems + 1);
    return [
      ...at('not a list', {}, 'a,b'),
      ...(minItems ? at('too few', []) : []),
      ...(many.length > (maxItems ?? 0) ? at('too many', many) : []),
      ...(uniqueItems ? at('twice the same', [one, one]) : []),
      ...this.broken(items, one, [...path, 0]).map(({ why, value }) => ({ why, value: [value] })),
    ];
  }

  private brokenObject(
    schema: SchemaObject,
    value: unknown,
    path: Path,
    at: (why: string, ...wrong: unknown[]) => Broken[],
  ): Broken[] {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
    const sent = (value ?? {}) as Record<string, unknown>;
    const fields = Object.entries(properties).filter(([, field]) => !this.resolved(field).readOnly);
    const inner = fields.flatMap(([name, field]) =>
      this.broken(field, sent[name] ?? sampleOf(this.valid(field)), [...path, name]).map((broken) => ({
        why: broken.why,
        value: { ...sent, [name]: broken.value },
      })),
    );
    const without = required.map((name) => Object.entries(sent).filter(([key]) => key !== name));
    return [
      ...at('not an object', [], 'text'),
      ...without.flatMap((rest) => at('a required field is missing', Object.fromEntries(rest))),
      ...(additionalProperties === false ? at('an unknown field', { ...sent, nobodyKnowsThis: 1 }) : []),
      ...(propertyNames ? at('a name of another form', { 'no name!': 'x' }) : []),
      ...(typeof additionalProperties === 'object'
        ? this.broken(additionalProperties, undefined, [...path, '*']).map((broken) => ({
            why: broken.why,
            value: { [sampleOf(text(propertyNames ?? {}))]: broken.value },
          }))
        : []),
      ...inner,
    ];
  }
}

export const typesOf = ({ type }: SchemaObject): readonly string[] =>
  typeof type === 'object' ? type : [type ?? 'string'];

export const sampleOf = <Value>(values: fc.Arbitrary<Value>, seed = 20_261_126): Value =>
  fc.sample(values, { numRuns: 1, seed })[0] as Value;

const different = (values: fc.Arbitrary<unknown>, count: number): unknown[] =>
  [...new Set(fc.sample(values, { numRuns: count * 4, seed: 7 }))].slice(0, count);

const lengthsOf = ({ minItems = 0, maxItems = 4 }: SchemaObject) => ({
  minLength: minItems,
  maxLength: Math.max(minItems, Math.min(maxItems, 4)),
});

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

const codePoints = (value: string): number => [...value].length;

function fits({ pattern, minLength = 0, maxLength = Infinity }: SchemaObject, value: string): boolean {
  const length = codePoints(value);
  return length >= minLength && length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(value));
}

/** Generates texts of a schema, including the shortest and the longest. */
function text(schema: SchemaObject): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = 40 } = schema;
  const known = format === undefined ? undefined : FORMATS[format];
  if (known) return known.filter((value) => fits(schema, value));
  // A pattern that excludes characters describes free text. Any other pattern describes a code.
  const isFree = pattern === undefined || pattern.startsWith('^[^');
  const anyText = isFree
    ? fc.oneof(
        fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) }),
        fc.constantFrom('x'.repeat(Math.max(1, minLength)), 'x'.repeat(maxLength)),
      )
    : fc.stringMatching(new RegExp(pattern, 'u'));
  return anyText.filter(
    (value) =>
      fits(schema, value) &&
      fits(schema, value.normalize('NFC')) &&
      (!isFree || value.trim() === '' || VISIBLE.test(value)),
  );
}

function brokenText(schema: SchemaObject, at: (why: string, ...wrong: unknown[]) => Broken[]): Broken[] {
  const { format, pattern, minLength = 0, maxLength } = schema;
  const mayBeAbsent = typesOf(schema).includes('null');
  const odd = ODD_TEXTS.filter((one) => pattern && !new RegExp(pattern, 'u').test(one)).filter(
    (one) => !(mayBeAbsent && isBlank(one)),
  );
  return [
    ...at('not a text', 7, {}, ['a']),
    ...(minLength > 0 && !mayBeAbsent ? at('too short', '') : []),
    ...(maxLength === undefined ? [] : at('too long', longer(schema, maxLength))),
    ...(format === undefined || format === 'password' ? [] : at(`no ${format}`, 'not of any such form!')),
    ...at('of another form', ...odd),
  ];
}

/** Returns a text whose only mistake is its length. */
function longer({ format }: SchemaObject, maxLength: number): string {
  if (format === 'email') return `${'a'.repeat(maxLength)}@example.org`;
  return 'x'.repeat(maxLength + 1);
}
