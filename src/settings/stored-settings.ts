import * as z from 'zod';
import type { FieldProblem } from '../common/errors/domain-errors.js';
import { type BrokenRule, brokenRule } from '../common/validation/broken-rule.js';
import { SETTINGS, type Settings } from './settings.js';

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A part of the settings after validation. A client sent this part, or it was stored. */
export interface SettingsReading {
  /** The valid values, normalized. `null` means that the patch deletes the value. */
  readonly value: JsonObject;
  readonly problems: readonly FieldProblem[];
}

/**
 * Validates JSON against an object schema. No field is required, and `null` deletes a value. Unknown keys, wrong types and
 * invalid values are errors. This function visits the objects itself, because zod silently drops a key such as `__proto__` and
 * rejects a whole object for one invalid field. zod validates only the single values.
 */
export function readSettings(raw: unknown, schema: z.ZodObject): SettingsReading {
  const problems: FieldProblem[] = [];
  const value = read(raw, schema, '', problems);
  return { value: isJsonObject(value) ? value : {}, problems };
}

/** Returns a schema without its default and nullable wrappers. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodNullable
    ? bare(schema.unwrap())
    : schema;
}

function read(raw: unknown, given: z.core.$ZodType, path: string, problems: FieldProblem[]): unknown {
  const schema = bare(given);
  if (!(schema instanceof z.ZodObject || schema instanceof z.ZodRecord))
    return readValue(raw, schema, path, problems);
  if (!isJsonObject(raw)) {
    problems.push({
      field: path,
      rule: 'type',
      message: `${path === '' ? 'The body' : path} must be an object`,
    });
    return undefined;
  }
  const entries = Object.entries(raw);
  const max = schema instanceof z.ZodRecord ? schema.meta()?.maxProperties : undefined;
  if (typeof max === 'number' && entries.length > max) {
    problems.push({
      field: path,
      rule: 'maxItems',
      limit: max,
      message: `${path} must have at most ${max} entries`,
    });
    return undefined;
  }
  const result: [string, unknown][] = [];
  for (const [name, child] of entries) {
    const at = path === '' ? shown(name) : `${path}.${shown(name)}`;
    const found = schemaOf(schema, name);
    if (typeof found === 'string') {
      const rule = schema instanceof z.ZodRecord ? 'pattern' : 'unknown';
      problems.push({ field: at, rule, message: `${at} ${found}` });
      continue;
    }
    const value = child === null ? null : read(child, found, at, problems);
    if (value !== undefined) result.push([name, value]);
  }
  return Object.fromEntries(result);
}

function readValue(raw: unknown, schema: z.core.$ZodType, path: string, problems: FieldProblem[]): unknown {
  // Blank text and null mean absent.
  if (typeof raw === 'string' && raw.trim() === '' && isOfText(schema)) return null;
  const { success, data, error } = z.safeParse(schema, raw);
  if (success) return data;
  // Reports an error of the whole list rather than an error of an entry.
  const issue = error.issues.find((one) => one.path.length === 0) ?? error.issues[0];
  const entry = issue !== undefined && issue.path.length > 0 ? 'has an invalid entry; each ' : '';
  const message = `${path} ${entry}${issue?.message ?? 'is not acceptable'}`;
  problems.push({ field: path, ...ruleOf(raw, schema), message });
  return undefined;
}

/** Reads the broken rule from the JSON schema, which is also in the API description. */
function ruleOf(raw: unknown, schema: z.core.$ZodType): BrokenRule {
  const described = z.toJSONSchema(schema, { io: 'input' });
  // A list of words with a name is a named part of the description.
  const name = described.$ref?.split('/').pop();
  return brokenRule(raw, (name === undefined ? undefined : described.$defs?.[name]) ?? described);
}

const isOfText = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodString || schema instanceof z.ZodStringFormat || schema instanceof z.ZodEnum;

/** Returns the schema of a key, or the error if the key is invalid. */
function schemaOf(schema: z.ZodObject | z.ZodRecord, name: string): z.core.$ZodType | string {
  if (schema instanceof z.ZodRecord) {
    const { error } = z.safeParse(schema.keyType, name);
    return error?.issues[0]?.message ?? schema.valueType;
  }
  // Looks only at own fields, because `constructor`, for example, is inherited and is not a field.
  const shape = schema.shape as z.core.$ZodShape;
  const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
  return field ?? 'is not a known field';
}

/** Returns a key without unsafe characters, for an error message. */
const shown = (name: string): string => name.replace(/[^\w-]/g, '?').slice(0, 70);

/**
 * Converts fields of earlier versions to the newer fields. Clients may still send `live.moderateMessages`, and old rows contain
 * this field. If both fields are present, the newer field is used.
 */
export function newerForms(value: JsonObject): JsonObject {
  const { live } = value;
  if (!isJsonObject(live) || !('moderateMessages' in live)) return value;
  const { moderateMessages, ...rest } = live;
  return { ...value, live: 'moderate' in rest ? rest : { ...rest, moderate: modeOf(moderateMessages) } };
}

/** Returns errors if a patch sets the old and the new field to contradictory values, because one value would be lost. */
export function disagreements({ live }: JsonObject): FieldProblem[] {
  if (!isJsonObject(live) || !('moderate' in live) || !('moderateMessages' in live)) return [];
  if (live.moderateMessages === null || live.moderateMessages === holdsMessages(live.moderate)) return [];
  const message = 'live.moderateMessages contradicts live.moderate, which replaces it; send only that';
  return [{ field: 'live.moderateMessages', rule: 'other', message }];
}

/** Returns the value of the older field `live.moderateMessages` for a value of `live.moderate`. */
const holdsMessages = (moderate: unknown): boolean => moderate === 'messages' || moderate === 'all';

const modeOf = (moderateMessages: unknown): 'messages' | 'none' | null =>
  typeof moderateMessages === 'boolean' ? (moderateMessages ? 'messages' : 'none') : null;

/**
 * Applies a patch: objects merge, `null` deletes, other values (including arrays) replace. Empty objects are removed, so that
 * settings without values have only one form. The arguments are not changed.
 */
export function applyPatch(stored: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      merged.delete(key);
    } else if (isJsonObject(value)) {
      const present = merged.get(key);
      const inner = applyPatch(isJsonObject(present) ? present : {}, value);
      if (Object.keys(inner).length > 0) merged.set(key, inner);
      else merged.delete(key);
    } else {
      merged.set(key, value);
    }
  }
  // `fromEntries` defines only own properties, so a key such as `__proto__` cannot change a prototype.
  return Object.fromEntries(merged);
}

/** Merges two objects. Nested objects merge; for other values, the value of `upper` is used. */
export function overlay(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const below = merged.get(key);
    merged.set(key, isJsonObject(value) && isJsonObject(below) ? overlay(below, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Returns stored settings without the fields that this version does not know or accept. */
export function readStored(stored: unknown, schema: z.ZodObject = SETTINGS): JsonObject {
  return withoutNulls(newerForms(readSettings(isJsonObject(stored) ? stored : {}, schema).value));
}

const known = new WeakMap<z.ZodObject, JsonObject>();

/** Returns the default of every field, calculated once for each schema. */
function defaultsOf(schema: z.ZodObject): JsonObject {
  const defaults = known.get(schema) ?? schema.parse({});
  known.set(schema, defaults);
  return defaults;
}

/** Applies layers of stored settings to the defaults of a schema. If several layers have a value, the last layer is used. */
export function layeredOver<Schema extends z.ZodObject>(
  schema: Schema,
  ...layers: readonly unknown[]
): z.output<Schema> {
  const merged = layers.reduce<JsonObject>(
    (lower, layer) => overlay(lower, readStored(layer, schema)),
    defaultsOf(schema),
  );
  // This type is correct, because every layer was validated and the defaults are complete.
  return merged as z.output<Schema>;
}

/** Applies the layers to the defaults. The result may contain contradictions. */
export const layered = (...layers: readonly unknown[]): Settings => layeredOver(SETTINGS, ...layers);

/** Returns the contradictions in the settings. */
export function contradictions({ donation, locales }: Settings): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (donation.maxAmount !== null && donation.minAmount > donation.maxAmount)
    problems.push({
      field: 'donation.minAmount',
      rule: 'maximum',
      limit: donation.maxAmount,
      message: 'donation.minAmount must not exceed donation.maxAmount',
    });
  if (!locales.supported.includes(locales.default))
    problems.push({
      field: 'locales.default',
      rule: 'choice',
      message: 'locales.default must be one of locales.supported',
    });
  return problems;
}

/**
 * Returns the settings in effect, without contradictions. A later change of the global settings can contradict an event's
 * overrides, but no request could report that error.
 */
export function settingsInForce(...layers: readonly unknown[]): Settings {
  const settings = layered(...layers);
  const { donation, live, locales } = settings;
  const { maxAmount } = donation;
  const minAmount = maxAmount === null ? donation.minAmount : Math.min(donation.minAmount, maxAmount);
  return {
    ...settings,
    donation: {
      ...donation,
      minAmount,
      presets: donation.presets.filter((preset) => preset >= minAmount && preset <= (maxAmount ?? preset)),
    },
    live: { ...live, moderateMessages: holdsMessages(live.moderate) },
    locales: locales.supported.includes(locales.default)
      ? locales
      : { ...locales, supported: [locales.default, ...locales.supported] },
  };
}

function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null)
      .map(([key, child]) => [key, isJsonObject(child) ? withoutNulls(child) : child]),
  );
}
