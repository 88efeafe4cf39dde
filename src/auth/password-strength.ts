import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import { MAX_PASSWORD_BYTES } from './passwords.js';

const SHORTEST = 12;
/** Scale 0 to 4. From 3 on, guessing takes more than 10^8 tries, at a fifth of a second per hash. */
const LEAST_SCORE = 3;

/**
 * Number of characters per estimate. At 72 characters, a repetition of dates or of letter substitutes takes the estimator
 * most of a second and blocks all requests.
 */
const MEASURED = 24;

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
});

/**
 * Returns the problem of a password as the end of a sentence, or undefined. The length is checked first, because it is the easiest
 * to change.
 * @param email of the account; attackers guess it and its parts first
 */
export function passwordProblem(password: string, email: string): string | undefined {
  if ([...password].length < SHORTEST) return `must be at least ${SHORTEST} characters`;
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return `must be at most ${MAX_PASSWORD_BYTES} bytes`;
  const guessedFirst = [email, ...email.split(/[^a-z0-9]+/i), 'donation', 'donations', 'fundraising'].filter(
    (word) => word.length > 2,
  );
  // The words that attackers guess first add no strength, so the rest of the password must be strong.
  const rest = guessedFirst.reduce(
    (text, word) => text.replaceAll(word.toLowerCase(), ''),
    password.toLowerCase(),
  );
  const known = rest.length < password.length;
  const strong = piecesOf(known ? rest : password).some(
    (piece) => estimator.check(piece, guessedFirst).score >= LEAST_SCORE,
  );
  return !strong
    ? 'is easy to guess: use several unrelated words, not the e-mail address, a repetition or a known password'
    : undefined;
}

/**
 * Returns the pieces of a password to estimate. An attacker must guess every piece, so one strong piece is enough. Repetitions count
 * once.
 */
function piecesOf(text: string): string[] {
  if (text.length <= MEASURED) return [text];
  let [once, before] = [text, ''];
  // The shortened text may contain repetitions again.
  while (once !== before) [once, before] = [once.replace(/(.{2,24}?)\1+/gsu, '$1'), once];
  return once.length <= MEASURED ? [once] : [once.slice(0, MEASURED), once.slice(-MEASURED)];
}
