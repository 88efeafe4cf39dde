import type * as z from 'zod';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import {
  applyPatch,
  contradictions,
  layered,
  disagreements,
  isJsonObject,
  type JsonObject,
  newerForms,
  readSettings,
} from './stored-settings.js';
import { SETTINGS } from './settings.js';
import { type ContrastWarning, contrastWarnings } from './contrast.js';

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
  const merged = withPauseTime(stored, applyPatch(stored, patch));
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

/** Longer texts, lists and objects are named, not kept: the record must not grow with what is written into a setting. */
const LONGEST_KEPT = 100;
/** Who signs receipts, and an address, are personal data: that they changed is all that the record needs. */
const OF_PEOPLE = /^legal(\.|$)/;

/** What the fields that changed were and are, for the record; null where a field was or is not set. */
export function beforeAndAfter(
  before: JsonObject,
  after: JsonObject,
  changed: readonly string[],
): { before?: JsonObject; after?: JsonObject } {
  const isOther = (field: string) =>
    JSON.stringify(shortValue(before, field)) !== JSON.stringify(shortValue(after, field));
  const fields = changed.filter((field) => !OF_PEOPLE.test(field) && isOther(field));
  if (fields.length === 0) return {};
  const values = (of: JsonObject) =>
    Object.fromEntries(fields.map((field) => [field, shortValue(of, field)]));
  return { before: values(before), after: values(after) };
}

function shortValue(of: JsonObject, field: string): unknown {
  const value = field
    .split('.')
    .reduce<unknown>(
      (part, name) => (isJsonObject(part) && Object.hasOwn(part, name) ? part[name] : undefined),
      of,
    );
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_KEPT ? `(${text.length} characters)` : value;
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new InvalidInputError('VALIDATION_FAILED', problems.join('; '));
}

/**
 * Adds the time of the pause to settings before they are stored: a wall that reloads leaves out donations after that
 * time. The server sets the time; a value from the client is ignored.
 */
export function withPauseTime(before: JsonObject, after: JsonObject): JsonObject {
  const wall = wallOf(after);
  if (!wall) return after;
  const { pausedAt: _, ...rest } = wall;
  const was = wallOf(before);
  const pausedAt = was?.paused === true && was.pausedAt ? was.pausedAt : new Date().toISOString();
  return {
    ...after,
    live: { ...(after.live as JsonObject), wall: wall.paused === true ? { ...rest, pausedAt } : rest },
  };
}

const wallOf = ({ live }: JsonObject): JsonObject | undefined =>
  isJsonObject(live) && isJsonObject(live.wall) ? live.wall : undefined;

export type WithContrast<Answer> = Answer & { readonly contrastWarnings?: readonly ContrastWarning[] };

/** An answer to a change of settings, with what its colours make hard to read. */
export function withContrast<Answer extends object>(
  answer: Answer,
  variables: Readonly<Record<string, string>>,
): WithContrast<Answer> {
  const warnings = contrastWarnings(variables);
  return warnings.length > 0 ? { ...answer, contrastWarnings: warnings } : answer;
}

/** A change as it came: who sends back what was answered does not mean the warnings. */
export function withoutContrast(patch: unknown): unknown {
  if (!isJsonObject(patch) || !('contrastWarnings' in patch)) return patch;
  const { contrastWarnings: _answered, ...rest } = patch;
  return rest;
}
