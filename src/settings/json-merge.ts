/** A JSON object, as parsed. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
