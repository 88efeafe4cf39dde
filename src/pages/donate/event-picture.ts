import { foreignOrigin } from '../../settings/asset-address.js';
import type { Settings } from '../../settings/settings.js';
import { type Html, html } from '../html.js';
import { type DonateView, pagePath } from './donate-view.js';
import { splitLong } from './long-text.js';

type Theme = Pick<Settings, 'theme'>;

const pictureOf = ({ theme }: Theme): string | undefined => theme.assets.picture;

/** The picture of the event. It decorates the page, so screen readers skip it. */
export function eventPicture(settings: Theme): Html | undefined {
  const picture = pictureOf(settings);
  if (picture === undefined) return undefined;
  return html`<img class="story__picture" src="${picture}" alt="" referrerpolicy="no-referrer" />`;
}

/** CSP sources of the picture: its host, if it is not this one. */
export function pictureSources(settings: Theme): { readonly 'img-src'?: readonly string[] } {
  const origin = foreignOrigin(pictureOf(settings));
  return origin === undefined ? {} : { 'img-src': [origin] };
}

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
