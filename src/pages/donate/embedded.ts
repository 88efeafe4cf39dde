import type { Request } from 'express';
import type { Settings } from '../../settings/settings.js';

/**
 * Returns attributes of the page's root element: the websites that may show the page in a frame, for the page's script, and the
 * light scheme, if the frame asks for it.
 */
export const rootOf = (
  { embed: { origins } }: Settings,
  { query: { theme } }: Request,
): Record<string, string> => ({
  ...(origins.length > 0 && { 'data-sites': origins.join(' ') }),
  ...(theme === 'light' && { 'data-theme': 'light' }),
});
