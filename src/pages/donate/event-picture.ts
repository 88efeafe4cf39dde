import { foreignOrigin } from '../../settings/asset-address.js';
import type { Settings } from '../../settings/settings.js';
import { type Html, html } from '../html.js';

type Theme = Pick<Settings, 'theme'>;

export const pictureOf = ({ theme }: Theme): string | undefined => theme.assets.picture;

/** The picture of the event. It decorates the page, so screen readers skip it. */
export function eventPicture(settings: Theme): Html | undefined {
  const picture = pictureOf(settings);
  if (picture === undefined) return undefined;
  return html`<img class="story__picture" src="${picture}" alt="" referrerpolicy="no-referrer" />`;
}

/** CSP sources of the picture: the host of the picture, if the picture is on another host. */
export function pictureSources(settings: Theme): { readonly 'img-src'?: readonly string[] } {
  const origin = foreignOrigin(pictureOf(settings));
  return origin === undefined ? {} : { 'img-src': [origin] };
}
