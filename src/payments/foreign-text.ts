import { textProblem, tidyText } from '../common/text.js';

/** Text of a provider or a checkout page that we may keep; what breaks our own rules is left out. */
export function foreignText(
  text: string | undefined,
  rule: { max: number; multiline?: boolean },
): string | undefined {
  if (!text?.isWellFormed()) return undefined;
  const tidy = tidyText(text);
  return tidy === '' || textProblem(tidy, rule) !== undefined ? undefined : tidy;
}
