import type { Draft } from './checkout.js';

const NAME = '#give=';

export const isFramed = (): boolean => parent !== window;

/**
 * Leaves the frame of another website: opens this form in the whole tab, with the input of the donor. The
 * input is in the fragment of the address, so the browser sends it to no server.
 */
export function openOutside(draft: Draft): void {
  const address = new URL(location.href);
  address.searchParams.delete('theme');
  address.hash = NAME + encodeURIComponent(JSON.stringify(draft));
  open(address.href, '_top');
}

/** Returns the input from the frame and removes it from the address. Input in the link of another site is ignored. */
export function broughtDraft(): Draft | undefined {
  const { hash, pathname, search, origin } = location;
  if (!hash.startsWith(NAME)) return undefined;
  history.replaceState(null, '', pathname + search);
  if (isFramed() || !document.referrer.startsWith(`${origin}/donate/`)) return undefined;
  try {
    return JSON.parse(decodeURIComponent(hash.slice(NAME.length))) as Draft;
  } catch {
    return undefined;
  }
}
