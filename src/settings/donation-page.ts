import type { Settings } from './settings.js';

/** Asset with the address of another donate page, such as that of the charity's website. */
const DONATION_PAGE = 'donationPage';

/** Returns the address of the page on which donors give to an event. */
export const donationPage = ({ theme }: Pick<Settings, 'theme'>, publicUrl: string, slug: string): string =>
  new URL(theme.assets[DONATION_PAGE] ?? `${publicUrl}/donate/${slug}`, `${publicUrl}/`).href;
