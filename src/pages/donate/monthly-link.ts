import { type Html, html } from '../html.js';
import { fill } from '../texts.js';
import type { DonateView } from './donate-view.js';

/** The link to the charity's own page for monthly donations. The label names its host, because the donor leaves this site. */
export function monthlyLink({ settings, texts }: DonateView): Html | undefined {
  const { organization, donation } = settings;
  if (donation.monthlyUrl === null) return undefined;
  const site = new URL(donation.monthlyUrl).host;
  return html`<section class="share">
    <h3 class="share__title">${texts['monthly.title']}</h3>
    <p class="soft">${fill(texts['monthly.text'], { organization })}</p>
    <p class="notice__links">
      <a class="button button--quiet" href="${donation.monthlyUrl}" target="_blank" rel="noopener noreferrer"
        >${fill(texts['monthly.link'], { site })}</a
      >
    </p>
  </section>`;
}
