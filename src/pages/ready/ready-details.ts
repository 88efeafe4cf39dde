import { currencyExponent, toJsonAmount } from '../../common/money/money.js';
import { dateInWords } from '../../common/text/local-time.js';
import type { GuestCardView } from '../../pledges/cards/guest-cards.service.js';
import { shortMoney } from '../donate/amount.js';
import { fill, localeOfFormats, type Texts } from '../texts.js';

const PAGE = 'donate';

/** Words and figures of the page. */
export function detailsOf(
  { guest, event, settings, terms, card, coming }: GuestCardView,
  chosen: string,
  texts: Texts,
) {
  const locale = localeOfFormats(PAGE, chosen);
  const money = (amount: bigint, currency: string) =>
    shortMoney(toJsonAmount(amount), currency, currencyExponent(currency), locale);
  const day = (time: Date) => dateInWords(time, locale, settings.timezone, { currency: event.currency });
  return {
    texts,
    path: `/donate/${event.slug}/ready`,
    name: guest.name,
    needsEmail: guest.email === null,
    intro: fill(texts['ready.intro'], { event: event.name, paddle: guest.paddle ?? card?.paddle ?? '' }),
    card: [card?.brand, card?.last4 && `•••• ${card.last4}`].filter(Boolean).join(' '),
    terms: fill(texts['ready.saved.terms'], {
      paddle: card?.paddle ?? '',
      most: money(card?.limit_amount ?? terms.most, terms.currency),
      until: day(new Date((card?.valid_until ?? terms.validUntil).getTime() - 1_000)),
    }),
    coming: coming.map((charge) =>
      fill(texts[charge.charged_from ? 'ready.coming' : 'ready.comingSoon'], {
        amount: money(charge.amount, charge.currency),
        date: charge.charged_from ? day(charge.charged_from) : '',
      }),
    ),
  };
}
export type ReadyDetails = ReturnType<typeof detailsOf>;
