import { isId } from '../common/crypto/ids.js';

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_LENGTH = 100;

/** Slug format for the API description. */
export const SLUG_FORM = { pattern: SLUG.source, minLength: 1, maxLength: MAX_LENGTH } as const;

/** Words that cannot be slugs. Other routes use these words in the same place of a path, now or perhaps later. */
const RESERVED = new Set(['public', 'new', 'search', 'export', 'stats', 'settings', 'admin', 'api', 'me']);

/** True if a text has the form of a slug. */
export const isSlug = (text: string): boolean => text.length <= MAX_LENGTH && SLUG.test(text);

/** Returns the problem of a new slug as the end of a sentence; undefined if the slug is valid. */
export function slugProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length < 1 || value.length > MAX_LENGTH) return `must be 1 to ${MAX_LENGTH} characters`;
  if (!SLUG.test(value)) return 'must be lower-case letters and digits, in groups joined by single hyphens';
  if (RESERVED.has(value)) return 'must not be a reserved word';
  // In a path, an id takes precedence over a slug. So a slug with the form of an id would never be found.
  if (isId(value)) return 'must not have the form of an id';
  return undefined;
}
