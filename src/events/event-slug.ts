import { isId } from '../common/crypto/ids.js';

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_LENGTH = 100;

/** Slug format for the API description. */
export const SLUG_FORM = { pattern: SLUG.source, minLength: 1, maxLength: MAX_LENGTH } as const;

/** Words that cannot be slugs, because other routes use them in this place or may use them later. */
const RESERVED = new Set(['public', 'new', 'search', 'export', 'stats', 'settings', 'admin', 'api', 'me']);

/** True if a text has the form of a slug. */
export const isSlug = (text: string): boolean => text.length <= MAX_LENGTH && SLUG.test(text);

/** The error in a new slug, as the end of a sentence; undefined if it is valid. */
export function slugProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length < 1 || value.length > MAX_LENGTH) return `must be 1 to ${MAX_LENGTH} characters`;
  if (!SLUG.test(value)) return 'must be lower-case letters and digits, in groups joined by single hyphens';
  if (RESERVED.has(value)) return 'must not be a reserved word';
  // An id takes precedence over a slug in paths, so this slug could never be found.
  if (isId(value)) return 'must not have the form of an id';
  return undefined;
}
