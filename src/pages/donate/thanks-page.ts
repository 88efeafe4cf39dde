import { currencyExponent } from '../../common/money/money.js';
import { takesPayments } from '../../events/event-status.js';
import type { OwnDonationDto, OwnDonationState } from '../../payments/intents/dto/own-donation.dto.js';
import { type Html, html } from '../html.js';
import { fill } from '../texts.js';
import { shortMoney } from './amount.js';
import { type DonateView, formPath, notice, pagePath, thanksPath } from './donate-view.js';
import { CLOCK, CROSS, HEART, QUESTION, BACK } from './icons.js';

/** Data for the page's script. */
export interface ThanksModel {
  readonly page: 'thanks';
  readonly slug: string;
  readonly token: string;
  /** Token of the pledge that the donor pays; absent when the pledge is no longer open. */
  readonly pledge?: string;
  readonly state: OwnDonationState;
  /** In minor units. */
  readonly amount: number;
  readonly currency: string;
  /** Start of the donation, in milliseconds since 1970. */
  readonly at: number;
  /** True if the state may change without an action of the donor, so that the page asks for the state again. */
  readonly waits: boolean;
  readonly texts: { readonly polling: string; readonly pollingLost: string };
}

const WAITING: ReadonlySet<OwnDonationState> = new Set(['open', 'processing', 'unconfirmed']);

const ICONS: Readonly<Record<OwnDonationState, Html>> = {
  open: QUESTION,
  processing: CLOCK,
  unconfirmed: CLOCK,
  paid: HEART,
  failed: CROSS,
  cancelled: CROSS,
  refunded: BACK,
};

export const thanksModel = (
  { event, texts, pledge }: DonateView,
  token: string,
  { state, amount, currency, createdAt }: OwnDonationDto,
): ThanksModel => ({
  page: 'thanks',
  slug: event.slug,
  token,
  ...(pledge?.state === 'open' && { pledge: pledge.token }),
  state,
  amount,
  currency,
  at: Date.parse(createdAt),
  waits: WAITING.has(state),
  texts: { polling: texts.polling ?? '', pollingLost: texts.pollingLost ?? '' },
});

/** Shows the current state of a donation. A reload of the page changes nothing. */
export function thanksPage(view: DonateView, token: string, own: OwnDonationDto): Html {
  const { event, texts, locale } = view;
  const { state } = own;
  const amount = shortMoney(own.amount, own.currency, currencyExponent(own.currency), locale);
  const again = state === 'failed' || state === 'cancelled' || state === 'open';
  const takes = takesPayments(event.status, { ofPledge: false });
  const open = view.pledge?.state === 'open' && takesPayments(event.status, { ofPledge: true });
  return html`${notice(
      ICONS[state],
      texts[`state.${state}.title`],
      fill(texts[`state.${state}.text`], { amount, event: event.name }),
      html`${
        own.receipt &&
        html`<a class="button" href="/donations/mine/${token}/receipt" download>${texts.receipt}</a>`
      }
      ${again && (takes || open) && html`<a class="button" href="${formPath(view)}">${texts.tryAgain}</a>`}
      ${
        WAITING.has(state) &&
        html`<a class="button button--quiet" href="${thanksPath(event, token, view.pledge)}"
          >${texts.reload}</a
        >`
      }
      ${state === 'paid' && html`<a class="button button--quiet" href="/wall/${event.slug}">${texts.wall}</a>`}`,
    )}
    <p class="soft polling" id="polling" role="status">${state === 'paid' ? texts.keepAddress : ''}</p>
    ${state === 'paid' && takes && share(view)}`;
}

/**
 * Links to other sites and the share menu of the device. The page does not contact another site until the donor clicks a link.
 */
function share({ event, texts, address }: DonateView): Html {
  const url = `${address}${pagePath(event)}`;
  const text = fill(texts['share.text'], { event: event.name });
  const words = encodeURIComponent(`${text} ${url}`);
  const link = (href: string, label: string | undefined) =>
    html`<a class="button button--quiet" href="${href}" target="_blank" rel="noopener noreferrer"
      >${label}</a
    > `;
  return html`<section class="share" id="share" data-url="${url}" data-text="${text}">
    <h3 class="share__title">${texts['share.title']}</h3>
    <p class="notice__links">
      <button class="button button--quiet" id="share-device" type="button" hidden>
        ${texts['share.device']}
      </button>
      <button
        class="button button--quiet"
        id="share-copy"
        type="button"
        data-done="${texts['share.copied']}"
        hidden
      >
        ${texts['share.copy']}
      </button>
      ${link(`https://wa.me/?text=${words}`, 'WhatsApp')}
      ${link(`https://www.facebook.com/sharer/sharer.php?u=${encodeURIComponent(url)}`, 'Facebook')}
      ${link(`mailto:?subject=${encodeURIComponent(event.name)}&body=${words}`, texts['share.email'])}
    </p>
  </section>`;
}
