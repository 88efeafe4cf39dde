import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import { MAX_PASSWORD_BYTES } from './passwords.js';

const SHORTEST = 12;
/** Of 0 to 4: from here on guessing takes more than 10^8 tries, against a hash that takes a fifth of a second each. */
const LEAST_SCORE = 3;

/**
 * So many characters are measured in one go: a repetition of dates or of letters that stand for others takes the
 * estimator most of a second at 72, in which nobody else is served.
 */
const MEASURED = 24;

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
});

/**
 * What is wrong with a password as the end of a sentence, or undefined. Its length comes first: that is what a person
 * can change most easily.
 * @param email of the account; it and its parts are the first thing that is guessed
 */
export function passwordProblem(password: string, email: string): string | undefined {
  if ([...password].length < SHORTEST) return `must be at least ${SHORTEST} characters`;
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return `must be at most ${MAX_PASSWORD_BYTES} bytes`;
  const guessedFirst = [email, ...email.split(/[^a-z0-9]+/i), 'donation', 'donations', 'fundraising'].filter(
    (word) => word.length > 2,
  );
  // What is left without the words that are guessed first has to be strong: they add nothing.
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

/** Who guesses a password has to guess each of its pieces: one strong piece is enough. What is repeated counts once. */
function piecesOf(text: string): string[] {
  if (text.length <= MEASURED) return [text];
  let [once, before] = [text, ''];
  // What is left may repeat itself again.
  while (once !== before) [once, before] = [once.replace(/(.{2,24}?)\1+/gsu, '$1'), once];
  return once.length <= MEASURED ? [once] : [once.slice(0, MEASURED), once.slice(-MEASURED)];
}
