import { type ContrastWarning, contrastWarnings } from './contrast.js';
import { isJsonObject } from './stored-settings.js';

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
