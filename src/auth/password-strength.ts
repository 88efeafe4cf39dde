import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import { MAX_PASSWORD_BYTES } from './passwords.js';

const SHORTEST = 12;
/**
 * Minimum score on a scale from 0 to 4. At score 3, an attacker needs more than 10^8 guesses, and each guess
 * takes a fifth of a second.
 */
const LEAST_SCORE = 3;

/**
 * Maximum number of characters per estimate. The estimator needs almost a second for some texts of 72 characters, such as
 * repeated dates, and blocks all requests meanwhile.
 */
const MEASURED = 24;

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
});

/**
 * Returns the problem of a password as the end of a sentence, or undefined. Checks the length first, because a user can correct
 * the length most easily.
 * @param email of the account; attackers first guess the address and its parts
 */
export function passwordProblem(password: string, email: string): string | undefined {
  if ([...password].length < SHORTEST) return `must be at least ${SHORTEST} characters`;
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return `must be at most ${MAX_PASSWORD_BYTES} bytes`;
  const guessedFirst = [email, ...email.split(/[^a-z0-9]+/i), 'donation', 'donations', 'fundraising'].filter(
    (word) => word.length > 2,
  );
  // Removes the words that attackers guess first, because they add no strength. The remaining text must be strong enough.
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
 * Returns the parts of a password to estimate. One strong part is enough, because an attacker must guess every part. Repeated
 * text is counted only once.
 */
function piecesOf(text: string): string[] {
  if (text.length <= MEASURED) return [text];
  let [once, before] = [text, ''];
  // Repeats until nothing changes, because the shortened text may contain new repetitions.
  while (once !== before) [once, before] = [once.replace(/(.{2,24}?)\1+/gsu, '$1'), once];
  return once.length <= MEASURED ? [once] : [once.slice(0, MEASURED), once.slice(-MEASURED)];
}
