import type { Request } from 'express';
import type { Settings } from '../../settings/settings.js';

/**
 * Returns attributes of the page's root element. They contain the websites that may show the page in a frame,
 * and the light scheme if the frame asks for it. The page's script reads the websites.
 */
export const rootOf = (
  { embed: { origins } }: Settings,
  { query: { theme } }: Request,
): Record<string, string> => ({
  ...(origins.length > 0 && { 'data-sites': origins.join(' ') }),
  ...(theme === 'light' && { 'data-theme': 'light' }),
});
