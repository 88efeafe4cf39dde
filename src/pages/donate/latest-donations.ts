import { currencyExponent, toJsonAmount } from '../../common/money/money.js';
import { timeAgo } from '../../common/text/time-ago.js';
import { fitted } from '../../common/text/text.js';
import type { PublicDonationRow } from '../../gateway/live-feed.service.js';
import type { PublicTribute } from '../../donations/tributes/tribute.js';
import { type Html, html } from '../html.js';
import { fill, type Texts } from '../texts.js';
import { shortMoney } from './amount.js';
import type { DonateView } from './donate-view.js';

/** The line about the person who is honoured or remembered. */
export const tributeLine = (texts: Texts, { kind, name }: PublicTribute): string =>
  fill(texts[`tribute.line.${kind}`], { name });

const SHOWN = 5;
/** Maximum lengths that keep the page small. The style sheet cuts texts at the width of the page. */
const NAME_BYTES = 120;
const MESSAGE_BYTES = 300;

/**
 * The latest donations below the form. Before the first donation, there is no list, because the page then
 * invites the first donor.
 */
export function latestDonations(
  { texts, locale }: DonateView,
  donations: readonly PublicDonationRow[],
): Html | undefined {
  if (donations.length === 0) return undefined;
  const rows = donations.slice(0, SHOWN);
  const amounts = (currency: string) =>
    rows.flatMap((row) =>
      row.currency === currency && row.amount !== null ? [toJsonAmount(row.amount)] : [],
    );
  const money = ({ amount, currency }: PublicDonationRow) =>
    amount === null
      ? html`<span role="img" aria-label="${texts['latest.amountHidden']}">♥</span>`
      : shortMoney(toJsonAmount(amount), currency, currencyExponent(currency), locale, amounts(currency));
  const now = new Date();
  return html`<section class="latest" aria-labelledby="latest">
    <h2 class="latest__title" id="latest">${texts['latest.title']}</h2>
    <ul class="latest__list">
      ${rows.map(
        (row) =>
          html`<li class="latest__row">
            <p class="latest__line">
              <bdi class="latest__name"
                >${row.donor_name === null ? texts['latest.anonymous'] : fitted(row.donor_name, NAME_BYTES)}</bdi
              >
              <span class="latest__amount number">${money(row)}</span>
            </p>
            ${
              row.message !== null &&
              html`<p class="latest__message"><bdi>${fitted(row.message, MESSAGE_BYTES)}</bdi></p>`
            }
            ${row.tribute && html`<p class="latest__message">${tributeLine(texts, row.tribute)}</p>`}
            <p class="latest__time">
              <time datetime="${row.created_at.toISOString()}">${timeAgo(row.created_at, now, locale)}</time>
            </p>
          </li> `,
      )}
    </ul>
  </section>`;
}
