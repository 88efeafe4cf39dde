import { InvalidInputError } from '../common/errors/domain-errors.js';
import { contradictions } from './effective-settings.js';
import type { JsonObject } from './json-merge.js';
import { readSettings } from './read-settings.js';
import type { Settings } from './settings.js';
import { type Rule, SETTINGS_RULE } from './settings-rules.js';

/**
 * A raw body as a patch of the settings, normalized.
 * @throws InvalidInputError `VALIDATION_FAILED` with every problem
 */
export function readPatch(raw: unknown, rule: Rule = SETTINGS_RULE): JsonObject {
  const { value, problems } = readSettings(raw, rule);
  refuse(problems);
  return value;
}

/** @throws InvalidInputError `VALIDATION_FAILED` when the settings contradict themselves */
export function consistent(settings: Settings): void {
  refuse(contradictions(settings));
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new InvalidInputError('VALIDATION_FAILED', problems.join('; '));
}
