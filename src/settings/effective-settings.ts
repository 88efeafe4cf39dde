import type * as z from 'zod';
import { holdsMessages, isJsonObject, type JsonObject, newerForms, readSettings } from './read-settings.js';
import { SETTINGS, type Settings } from './settings.js';

/**
 * The deep merge of a PATCH: objects merge, `null` deletes, everything else (arrays too) replaces. An object
 * that ends up empty is left out, so that "nothing is set" has one form. Neither argument is changed.
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
  // fromEntries defines properties, so no key can reach a prototype.
  return Object.fromEntries(merged);
}

/** The upper object over the lower one; objects merge, everything else of the upper one wins. */
export function overlay(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const below = merged.get(key);
    merged.set(key, isJsonObject(value) && isJsonObject(below) ? overlay(below, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Stored settings without what this version does not know or would not accept. */
export function readStored(stored: unknown, schema: z.ZodObject = SETTINGS): JsonObject {
  return withoutNulls(newerForms(readSettings(isJsonObject(stored) ? stored : {}, schema).value));
}

const known = new WeakMap<z.ZodObject, JsonObject>();

/** What every field is where nothing was set; worked out once for each schema. */
function defaultsOf(schema: z.ZodObject): JsonObject {
  const defaults = known.get(schema) ?? schema.parse({});
  known.set(schema, defaults);
  return defaults;
}

/** Layers of stored settings over the defaults of a schema, the last one on top. */
export function layeredOver<Schema extends z.ZodObject>(
  schema: Schema,
  ...layers: readonly unknown[]
): z.output<Schema> {
  const merged = layers.reduce<JsonObject>(
    (lower, layer) => overlay(lower, readStored(layer, schema)),
    defaultsOf(schema),
  );
  // Every layer was held against the schema, and the defaults have every part.
  return merged as z.output<Schema>;
}

/** The layers over the defaults. May contradict itself. */
export const layered = (...layers: readonly unknown[]): Settings => layeredOver(SETTINGS, ...layers);

/** What in the settings contradicts itself, each a sentence that names the fields. */
export function contradictions({ donation, locales }: Settings): string[] {
  const problems: string[] = [];
  if (donation.maxAmount !== null && donation.minAmount > donation.maxAmount)
    problems.push('donation.minAmount must not be more than donation.maxAmount');
  if (!locales.supported.includes(locales.default))
    problems.push('locales.default must be one of locales.supported');
  return problems;
}

/**
 * The settings in force: layered, and usable even when a later change of the global settings contradicts an
 * event's overrides, which no request is there to report.
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
