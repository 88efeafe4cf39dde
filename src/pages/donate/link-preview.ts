import { type Html, html } from '../html.js';
import { type DonateView, pagePath } from './donate-view.js';
import { pictureOf } from './event-picture.js';
import { splitLong } from './long-text.js';

/** Tags for the preview that messengers and social networks show for a link to the donate page. */
export function linkPreview({ event, settings, texts, locale, address }: DonateView): Html {
  const picture = pictureOf(settings);
  const [description] = splitLong(event.description || (texts.lead ?? ''), locale);
  const tags: readonly (readonly [name: string, content: string | undefined])[] = [
    ['og:type', 'website'],
    ['og:site_name', settings.organization],
    ['og:title', event.name],
    ['og:description', description],
    ['og:url', `${address}${pagePath(event)}`],
    ['og:image', picture && new URL(picture, `${address}/`).href],
    ['twitter:card', picture && 'summary_large_image'],
  ];
  return html`${tags.map(
    ([name, content]) => content && html`<meta property="${name}" content="${content}" /> `,
  )}`;
}
