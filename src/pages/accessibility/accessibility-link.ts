import { type Html, html } from '../html.js';

export const ACCESSIBILITY_PATH = '/accessibility';

/** Returns the link to the accessibility statement, for the foot of a page. */
export const accessibilityLink = (text: string | undefined, locale: string): Html =>
  html`<a href="${ACCESSIBILITY_PATH}?lang=${locale}">${text}</a>`;
