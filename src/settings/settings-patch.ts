import type { z } from 'zod';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { contradictions, layered } from './effective-settings.js';
import { applyPatch, isJsonObject, type JsonObject } from './json-merge.js';
import { disagreements, newerForms } from './older-forms.js';
import { readSettings } from './read-settings.js';
import { SETTINGS } from './settings.js';

/**
 * A raw body as a patch of the settings, normalized.
 * @throws InvalidInputError `VALIDATION_FAILED` with every problem
 */
export function readPatch(raw: unknown, schema: z.ZodObject = SETTINGS): JsonObject {
  const { value, problems } = readSettings(raw, schema);
  refuse([...problems, ...disagreements(value)]);
  return newerForms(value);
}

/**
 * What is stored, with the patch merged in.
 * @param below what the stored part lies over, such as the global settings under an event's overrides
 * @throws InvalidInputError `VALIDATION_FAILED` when the result is too large or contradicts itself
 */
export function patched(stored: JsonObject, patch: JsonObject, below: JsonObject = {}): JsonObject {
  const merged = applyPatch(stored, patch);
  refuse(readSettings(merged, SETTINGS).problems);
  refuse(contradictions(layered(below, merged)));
  return merged;
}

/** The names of the leaves of a patch, for the record of who changed what. */
export function changedFields(patch: JsonObject, path = ''): string[] {
  return Object.entries(patch).flatMap(([key, value]) =>
    isJsonObject(value) ? changedFields(value, `${path}${key}.`) : [`${path}${key}`],
  );
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new InvalidInputError('VALIDATION_FAILED', problems.join('; '));
}
