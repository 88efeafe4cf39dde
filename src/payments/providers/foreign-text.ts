import { tidyEmail } from '../../common/text/email-address.js';
import { textProblem, tidyText } from '../../common/text/text.js';

/** As `foreignText`, of an e-mail address. */
export const foreignEmail = (text: string | undefined): string | undefined =>
  foreignText(text?.isWellFormed() ? tidyEmail(text) : undefined, { max: 254 });

/** Text of a provider or a checkout page that we may keep; what breaks our own rules is left out. */
export function foreignText(
  text: string | undefined,
  rule: { max: number; multiline?: boolean },
): string | undefined {
  if (!text?.isWellFormed()) return undefined;
  const tidy = tidyText(text);
  return tidy === '' || textProblem(tidy, rule) !== undefined ? undefined : tidy;
}
