import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { EditConflictError, type FieldProblem, RefusedFieldsError } from '../common/errors/domain-errors.js';
import { unexpectedValues } from '../common/validation/expected.js';
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
 * Parses and normalizes the body of a settings patch.
 * @throws RefusedFieldsError with every error
 */
export function readPatch(raw: unknown, schema: z.ZodObject = SETTINGS): JsonObject {
  const { value, problems } = readSettings(raw, schema);
  refuse([...problems, ...disagreements(value)]);
  return newerForms(value);
}

/**
 * Returns the stored settings with a patch applied.
 * @param below the settings of the layer below, such as the global settings for an event's overrides
 * @throws RefusedFieldsError if the result is too large or contradictory
 */
export function patched(stored: JsonObject, patch: JsonObject, below: JsonObject = {}): JsonObject {
  const merged = withPauseTime(stored, applyPatch(stored, patch));
  refuse(readSettings(merged, SETTINGS).problems);
  refuse(contradictions(layered(below, merged)));
  return merged;
}

/** Returns the paths of the changed fields, for the audit log. */
export function changedFields(patch: JsonObject, path = ''): string[] {
  return Object.entries(patch).flatMap(([key, value]) =>
    isJsonObject(value) ? changedFields(value, `${path}${key}.`) : [`${path}${key}`],
  );
}

/** Splits a body into the patch and the values that the client read (`expected`), if the client sent them. */
export function withoutExpected(raw: unknown): { readonly patch: unknown; readonly expected?: unknown } {
  if (!isJsonObject(raw) || !('expected' in raw)) return { patch: raw };
  const { expected, ...patch } = raw;
  return { patch, expected };
}

/**
 * Parses the values that the client read (`expected`).
 * @throws RefusedFieldsError with every error
 */
export function readExpected(raw: unknown, schema: z.ZodObject = SETTINGS): JsonObject | undefined {
  if (raw === undefined) return undefined;
  if (!isJsonObject(raw))
    refuse([{ field: 'expected', rule: 'type', message: 'expected must be an object' }]);
  const { value, problems } = readSettings(raw, schema);
  refuse(
    problems.map((problem) => ({
      ...problem,
      field: `expected.${problem.field}`,
      message: `expected.${problem.message}`,
    })),
  );
  return value;
}

/**
 * Refuses a patch if the current value of a setting is neither the expected value nor the value of the patch.
 * @param inForce the settings in effect, which clients read
 * @throws EditConflictError
 */
export function refuseUnexpected(expected: JsonObject | undefined, patch: JsonObject, inForce: object): void {
  if (!expected) return;
  const flat = (tree: object) => Object.fromEntries(leavesOf(tree as JsonObject));
  const [wanted, change] = [flat(expected), flat(patch)];
  const fields = [...Object.keys(wanted), ...Object.keys(change)];
  const stored = Object.fromEntries(fields.map((field) => [field, valueAt(inForce as JsonObject, field)]));
  // Compares empty text and absent values as equal, because pages show an optional text without a value as empty.
  const known = (value: unknown) => (value === '' || value === undefined ? null : value);
  const same = (one: unknown, other: unknown) => isDeepStrictEqual(known(one), known(other));
  const unexpected = unexpectedValues(wanted, change, stored, same);
  if (unexpected.length > 0)
    throw new EditConflictError(unexpected.map(({ field, value }) => ({ field, value: value ?? null })));
}

const leavesOf = (tree: JsonObject, path = ''): [path: string, value: unknown][] =>
  Object.entries(tree).flatMap(([key, value]): [string, unknown][] =>
    isJsonObject(value) ? leavesOf(value, `${path}${key}.`) : [[`${path}${key}`, value]],
  );

const valueAt = (of: JsonObject, field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>(
      (part, name) => (isJsonObject(part) && Object.hasOwn(part, name) ? part[name] : undefined),
      of,
    );

/**
 * Maximum length of a value in the audit log. For longer values, lists and objects, the log contains only the names, so that
 * the log stays small.
 */
const LONGEST_KEPT = 100;
/** Settings with personal data: the signer of receipts and the address. The audit log only contains that they changed. */
const OF_PEOPLE = /^legal(\.|$)/;

/** Returns old and new values of the changed fields for the audit log. The value of a field that is not set is null. */
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
  const value = valueAt(of, field);
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_KEPT ? `(${text.length} characters)` : value;
}

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw new RefusedFieldsError(problems);
}

/**
 * Adds the time of a pause to settings before they are stored. A wall that reloads during the pause hides donations after this
 * time. The server sets the time and ignores a time from the client.
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

/** Adds contrast warnings to the response of a settings change. */
export function withContrast<Answer extends object>(
  answer: Answer,
  variables: Readonly<Record<string, string>>,
): WithContrast<Answer> {
  const warnings = contrastWarnings(variables);
  return warnings.length > 0 ? { ...answer, contrastWarnings: warnings } : answer;
}

/** Removes the warnings from a patch, because a client may send back a whole response. */
export function withoutContrast(patch: unknown): unknown {
  if (!isJsonObject(patch) || !('contrastWarnings' in patch)) return patch;
  const { contrastWarnings: _answered, ...rest } = patch;
  return rest;
}
