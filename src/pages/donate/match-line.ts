import { A_SUPPORTER, type PublicMatchPoolDto } from '../../match/dto/public-match.dto.js';
import type { OwnDraw } from '../../match/own-matches.service.js';
import { currencyExponent, toJsonAmount } from '../../common/money/money.js';
import { type Html, html } from '../html.js';
import { fill, type Texts } from '../texts.js';
import { shortMoney } from './amount.js';
import { type DonateView, short } from './donate-view.js';
import { firstPool, matchSentence } from './match-words.js';

const matcherOf = (matcher: string, texts: Texts): string =>
  matcher === A_SUPPORTER ? (texts['match.supporter'] ?? '') : matcher;

/** The line above the amounts, with its hidden terms. The script of the page keeps the figures up to date. */
export function matchLine(view: DonateView): Html | undefined {
  const pool = firstPool(view.match);
  if (!pool) return undefined;
  const { texts } = view;
  return html`<section class="match" id="match" data-pool="${pool.id}">
    <p class="match__line" role="status" id="match-line">
      ${matchSentence(pool, texts, (amount, group) => short(view, amount, group), view.locale)}
    </p>
    <details class="fold match__more">
      <summary>
        <span class="fold__more">${texts['match.how']}</span><span class="fold__less">${texts.readLess}</span>
      </summary>
      ${matchTerms(view, pool)}
    </details>
  </section>`;
}

/** The terms: the matcher, the end, the smallest donation, and the use of the rest. */
function matchTerms(view: DonateView, pool: PublicMatchPoolDto): Html {
  const { texts, locale, settings } = view;
  const until =
    pool.closesAt !== null &&
    new Intl.DateTimeFormat(locale, {
      dateStyle: 'long',
      timeStyle: 'short',
      timeZone: settings.timezone,
    }).format(new Date(pool.closesAt));
  return html`<ul class="match__terms">
    <li dir="auto">
      ${fill(texts['match.who'], { matcher: matcherOf(pool.matcher, texts), cap: short(view, pool.cap) })}
    </li>
    ${until && html`<li>${fill(texts['match.until'], { time: until })}</li>`}
    ${
      pool.minGift !== null &&
      html`<li>${fill(texts['match.from'], { amount: short(view, pool.minGift) })}</li>`
    }
    <li>${texts['match.refund']}</li>
    <li>${texts[pool.remainder === 'given_anyway' ? 'match.givenAnyway' : 'match.notGiven']}</li>
  </ul>`;
}

/** Sums that the pools added to a donation, for the thank-you page and the receipt e-mail; undefined if they added nothing. */
export function matchedSentences(
  draws: readonly OwnDraw[],
  { currency, amount }: { readonly currency: string; readonly amount: number },
  texts: Texts,
  locale: string,
): string[] {
  const money = (sum: number) => shortMoney(sum, currency, currencyExponent(currency), locale, [amount]);
  return draws
    .filter((draw) => draw.amount > 0n)
    .map((draw) => {
      const drawn = money(toJsonAmount(draw.amount));
      if (draw.amount >= draw.wanted)
        return draw.matcher === undefined
          ? fill(texts['match.drewAnonymous'], { amount: drawn })
          : fill(texts['match.drew'], { amount: drawn, matcher: draw.matcher });
      return fill(texts['match.drewPart'], { amount: drawn, given: money(amount) });
    });
}
