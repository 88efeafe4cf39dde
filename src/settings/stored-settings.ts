import * as z from 'zod';
import { SETTINGS, type Settings } from './settings.js';

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Part of the settings, sent or stored, after validation. */
export interface SettingsReading {
  /** The valid values, normalized; `null` for a value to delete. */
  readonly value: JsonObject;
  /** Errors, each a sentence that names the field. */
  readonly problems: readonly string[];
}

/**
 * Validates raw JSON against an object schema. No field is required and `null` deletes. Unknown keys, wrong types and
 * invalid values are errors. This function walks the objects itself, because zod silently drops a key such as
 * `__proto__` and rejects a whole object for one invalid field. zod validates each value.
 */
export function readSettings(raw: unknown, schema: z.ZodObject): SettingsReading {
  const problems: string[] = [];
  const value = read(raw, schema, '', problems);
  return { value: isJsonObject(value) ? value : {}, problems };
}

/** A schema without its default and nullable wrappers. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodNullable
    ? bare(schema.unwrap())
    : schema;
}

function read(raw: unknown, given: z.core.$ZodType, path: string, problems: string[]): unknown {
  const schema = bare(given);
  if (!(schema instanceof z.ZodObject || schema instanceof z.ZodRecord))
    return readValue(raw, schema, path, problems);
  if (!isJsonObject(raw)) {
    problems.push(`${path === '' ? 'The body' : path} must be an object`);
    return undefined;
  }
  const entries = Object.entries(raw);
  const max = schema instanceof z.ZodRecord ? schema.meta()?.maxProperties : undefined;
  if (typeof max === 'number' && entries.length > max) {
    problems.push(`${path} must have at most ${max} entries`);
    return undefined;
  }
  const result: [string, unknown][] = [];
  for (const [name, child] of entries) {
    const at = path === '' ? shown(name) : `${path}.${shown(name)}`;
    const found = schemaOf(schema, name);
    if (typeof found === 'string') {
      problems.push(`${at} ${found}`);
      continue;
    }
    const value = child === null ? null : read(child, found, at, problems);
    if (value !== undefined) result.push([name, value]);
  }
  return Object.fromEntries(result);
}

function readValue(raw: unknown, schema: z.core.$ZodType, path: string, problems: string[]): unknown {
  // Blank text and null mean absent.
  if (typeof raw === 'string' && raw.trim() === '' && isOfText(schema)) return null;
  const { success, data, error } = z.safeParse(schema, raw);
  if (success) return data;
  // Errors of the whole list come before errors of an entry.
  const issue = error.issues.find((one) => one.path.length === 0) ?? error.issues[0];
  const entry = issue !== undefined && issue.path.length > 0 ? 'has an invalid entry; each ' : '';
  problems.push(`${path} ${entry}${issue?.message ?? 'is not acceptable'}`);
  return undefined;
}

const isOfText = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodString || schema instanceof z.ZodStringFormat || schema instanceof z.ZodEnum;

/** The schema of a key, or the error in the key. */
function schemaOf(schema: z.ZodObject | z.ZodRecord, name: string): z.core.$ZodType | string {
  if (schema instanceof z.ZodRecord) {
    const { error } = z.safeParse(schema.keyType, name);
    return error?.issues[0]?.message ?? schema.valueType;
  }
  // Uses own fields only: `constructor` is inherited and is not a field.
  const shape = schema.shape as z.core.$ZodShape;
  const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
  return field ?? 'is not a known field';
}

/** A key in a safe form for an error message. */
const shown = (name: string): string => name.replace(/[^\w-]/g, '?').slice(0, 70);

/**
 * Converts fields of earlier versions to the fields that replaced them. Clients may still send
 * `live.moderateMessages`, and old rows contain it. The newer field wins.
 */
export function newerForms(value: JsonObject): JsonObject {
  const { live } = value;
  if (!isJsonObject(live) || !('moderateMessages' in live)) return value;
  const { moderateMessages, ...rest } = live;
  return { ...value, live: 'moderate' in rest ? rest : { ...rest, moderate: modeOf(moderateMessages) } };
}

/** Errors if a patch sets the old and the new form of a field to different values: one would be lost. */
export function disagreements({ live }: JsonObject): string[] {
  if (!isJsonObject(live) || !('moderate' in live) || !('moderateMessages' in live)) return [];
  const agree = live.moderateMessages === null || live.moderateMessages === holdsMessages(live.moderate);
  return agree ? [] : ['live.moderateMessages contradicts live.moderate, which replaces it; send only that'];
}

/** Value of the older `live.moderateMessages` for a value of `live.moderate`. */
const holdsMessages = (moderate: unknown): boolean => moderate === 'messages' || moderate === 'all';

const modeOf = (moderateMessages: unknown): 'messages' | 'none' | null =>
  typeof moderateMessages === 'boolean' ? (moderateMessages ? 'messages' : 'none') : null;

/**
 * Deep merge of a PATCH: objects merge, `null` deletes, other values (including arrays) replace. Empty objects are
 * removed, so that "nothing is set" has only one form. The arguments are not changed.
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
  // fromEntries only defines own properties, so a key cannot change a prototype.
  return Object.fromEntries(merged);
}

/** Puts the upper object over the lower one: objects merge, other values of the upper one win. */
export function overlay(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const below = merged.get(key);
    merged.set(key, isJsonObject(value) && isJsonObject(below) ? overlay(below, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Stored settings without fields that this version does not know or accept. */
export function readStored(stored: unknown, schema: z.ZodObject = SETTINGS): JsonObject {
  return withoutNulls(newerForms(readSettings(isJsonObject(stored) ? stored : {}, schema).value));
}

const known = new WeakMap<z.ZodObject, JsonObject>();

/** Default of every field, calculated once for each schema. */
function defaultsOf(schema: z.ZodObject): JsonObject {
  const defaults = known.get(schema) ?? schema.parse({});
  known.set(schema, defaults);
  return defaults;
}

/** Applies layers of stored settings to the defaults of a schema; the last layer wins. */
export function layeredOver<Schema extends z.ZodObject>(
  schema: Schema,
  ...layers: readonly unknown[]
): z.output<Schema> {
  const merged = layers.reduce<JsonObject>(
    (lower, layer) => overlay(lower, readStored(layer, schema)),
    defaultsOf(schema),
  );
  // Every layer was validated and the defaults are complete.
  return merged as z.output<Schema>;
}

/** The layers applied to the defaults. The result may be contradictory. */
export const layered = (...layers: readonly unknown[]): Settings => layeredOver(SETTINGS, ...layers);

/** Contradictions in the settings, each a sentence that names the fields. */
export function contradictions({ donation, locales }: Settings): string[] {
  const problems: string[] = [];
  if (donation.maxAmount !== null && donation.minAmount > donation.maxAmount)
    problems.push('donation.minAmount must not exceed donation.maxAmount');
  if (!locales.supported.includes(locales.default))
    problems.push('locales.default must be one of locales.supported');
  return problems;
}

/**
 * The settings in effect. They stay usable if a later change of the global settings contradicts an event's overrides,
 * because no request could report that error.
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
