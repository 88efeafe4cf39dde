/** The content of the accessibility statement that comes from the tests. `test/pages/accessibility.spec.ts` compares both. */

/** Rules that the browser tests check, as tags of axe-core. */
export const CHECKED_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] as const;

/** Pages that browser tests check with these rules, by the name in the texts. */
export const CHECKED_PAGES = [
  'start',
  'donate',
  'pledge',
  'me',
  'wall',
  'stage',
  'pos',
  'admin',
  'notice',
  'accessibility',
] as const;

/** Known limits, by the name in the texts. */
export const LIMITS = ['automatic', 'providers', 'content', 'wall', 'kiosk', 'documents'] as const;

/** The last time that all browser tests passed. A release renews it. */
export const LAST_CHECK = { day: '2026-11-28', version: '1.0.0', axe: '4.14.1' } as const;

/** Returns the name of a rule set, such as `WCAG 2.2 AA`. */
export function nameOfRules(tag: string): string {
  const [, version = '', level = ''] = /^wcag(\d+?\d?)(a+)$/.exec(tag) ?? [];
  return `WCAG ${version.charAt(0)}.${version.charAt(1) || '0'} ${level.toUpperCase()}`;
}
