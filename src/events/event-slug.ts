import { isId } from '../common/crypto/ids.js';

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_LENGTH = 100;

/** The form of a slug, for the API's description. */
export const SLUG_FORM = { pattern: SLUG.source, minLength: 1, maxLength: MAX_LENGTH } as const;

/** Words that stand, or may come to stand, where a slug stands in a path. */
const RESERVED = new Set(['public', 'new', 'search', 'export', 'stats', 'settings', 'admin', 'api', 'me']);

/** Whether a text has the form of a slug at all. */
export const isSlug = (text: string): boolean => text.length <= MAX_LENGTH && SLUG.test(text);

/** What is wrong with a new slug, as the end of a sentence, or undefined. */
export function slugProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length < 1 || value.length > MAX_LENGTH) return `must be 1 to ${MAX_LENGTH} characters`;
  if (!SLUG.test(value)) return 'must be lower-case letters and digits, in groups joined by single hyphens';
  if (RESERVED.has(value)) return 'must not be a reserved word';
  // Ids win wherever an id or a slug may stand, so such a slug could never be reached.
  if (isId(value)) return 'must not have the form of an id';
  return undefined;
}
