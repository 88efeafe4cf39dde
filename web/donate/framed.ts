import type { EmbedMessage } from '../embed/messages.js';

/** Websites that may show the page in a frame, from the setting `embed.origins`. The server renders them into the page. */
const sites = (document.documentElement.dataset['sites'] ?? '').split(' ');

/** In a frame of a listed website: sends the height of the page and the Escape key to the website. See web/embed/embed.ts. */
export function answerWebsite(): void {
  let website: string | undefined;
  if (parent === window) return;
  const send = (message: EmbedMessage) => {
    if (website !== undefined) parent.postMessage(message, website);
  };
  addEventListener('message', ({ data, origin, source }: MessageEvent<EmbedMessage | null>) => {
    const isListed = origin === location.origin || sites.includes(origin);
    if (source !== parent || !isListed || data?.donate !== 'hello' || website !== undefined) return;
    website = origin;
    document.documentElement.dataset['framed'] = '';
    keepLinksInside();
    new ResizeObserver(() => {
      send({ donate: 'height', height: Math.ceil(document.body.getBoundingClientRect().height) });
    }).observe(document.body);
    addEventListener('keydown', ({ key, defaultPrevented }) => {
      if (key === 'Escape' && !defaultPrevented) send({ donate: 'close' });
    });
  });
}

/**
 * Links to donate pages keep the scheme of the frame. Other pages, such as the start page, may not be in the frame of this
 * website, so they open in a new tab.
 */
function keepLinksInside(): void {
  const theme = new URLSearchParams(location.search).get('theme');
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href^="/"]:not([download])'))
    if (!link.pathname.startsWith('/donate/')) link.target = '_blank';
    else if (theme !== null) link.search += `${link.search === '' ? '?' : '&'}theme=${theme}`;
}
