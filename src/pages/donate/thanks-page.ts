import { currencyExponent } from '../../common/money/money.js';
import { takesPayments } from '../../events/event-status.js';
import { OWN_PAGE_PATH } from '../../mail/content/own-page-email.js';
import type { OwnDonationDto, OwnDonationState } from '../../payments/intents/dto/own-donation.dto.js';
import type { OwnThanks } from '../../payments/intents/own-donations.service.js';
import { type Html, html } from '../html.js';
import { fill } from '../texts.js';
import { shortMoney } from './amount.js';
import { type DonateView, formPath, notice, pagePath, thanksPath } from './donate-view.js';
import { CLOCK, CROSS, HEART, QUESTION, BACK } from './icons.js';
import { tributeLine } from './latest-donations.js';
import { matchedSentences } from './match-line.js';
import { monthlyLink } from './monthly-link.js';
import { transferPage } from './transfer-page.js';

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
  /** True until the match pools have counted the donation. */
  readonly awaitsMatch: boolean;
  readonly texts: Readonly<Record<string, string>>;
}

const SCRIPT_TEXTS = /^(polling|kiosk)/;
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
  { state, amount, currency, createdAt, transfer, match }: OwnDonationDto,
): ThanksModel => ({
  page: 'thanks',
  slug: event.slug,
  token,
  ...(pledge?.state === 'open' && { pledge: pledge.token }),
  state,
  amount,
  currency,
  at: Date.parse(createdAt),
  // A transfer takes days.
  waits: WAITING.has(state) && !transfer,
  awaitsMatch: state === 'paid' && match?.state === 'pending',
  texts: Object.fromEntries(Object.entries(texts).filter(([key]) => SCRIPT_TEXTS.test(key))),
});

/** The thank-you page of one donation. */
export interface Thanks {
  readonly token: string;
  readonly own: OwnDonationDto;
  /** Only for a completed donation. */
  readonly thanks: OwnThanks | undefined;
  /** True if the donor can download a simplified proof for the tax office. */
  readonly offersProof: boolean;
  /** True if the server sends the receipt by e-mail. */
  readonly mailsReceipt: boolean;
  /** True if the server can send e-mails, and so the donor has an own page. */
  readonly mailIsOn: boolean;
  /** Picture of the code of an open bank transfer, as SVG. */
  readonly code?: string | undefined;
  /** The rejected e-mail address, and the reason. */
  readonly problem?: EmailProblem | undefined;
}

export interface EmailProblem {
  readonly email: string;
  readonly text: string;
}

/** Shows the current state of a donation. A reload of the page changes nothing. */
export function thanksPage(view: DonateView, given: Thanks): Html {
  const { token, own, thanks } = given;
  if (own.state === 'open' && own.transfer) return transferPage(view, given, own.transfer);
  const { event, texts, locale } = view;
  const { state } = own;
  const amount = shortMoney(own.amount, own.currency, currencyExponent(own.currency), locale);
  const again = state === 'failed' || state === 'cancelled' || state === 'open';
  const takes = takesPayments(event.status, { ofPledge: false });
  const open = view.pledge?.state === 'open' && takesPayments(event.status, { ofPledge: true });
  return html`${notice(
      ICONS[state],
      thanks?.name === undefined
        ? texts[`${textOf(own)}.title`]
        : fill(texts['thanks.title'], { name: thanks.name }),
      fill(texts[`${textOf(own)}.text`], { amount, event: event.name }),
      html`${
        own.receipt &&
        html`<a class="button" href="/donations/mine/${token}/receipt" download>${texts.receipt}</a>`
      }
      ${
        given.offersProof &&
        html`<a class="button button--quiet" href="/donations/mine/${token}/simplified-proof" download
          >${texts['thanks.proof']}</a
        >`
      }
      ${again && (takes || open) && html`<a class="button" href="${formPath(view)}">${texts.tryAgain}</a>`}
      ${
        WAITING.has(state) &&
        html`<a class="button button--quiet" href="${thanksPath(event, token, view.pledge)}"
          >${texts.reload}</a
        >`
      }
      ${state === 'paid' && html`<a class="button button--quiet" href="/wall/${event.slug}">${texts.wall}</a>`}`,
      html`${thanks && words(view, thanks)} ${thanks && matched(view, own, thanks)}
      ${state === 'processing' && whenArrived(view, given)} ${asksEmail(view, own) && emailForm(view, given)}
      ${
        state === 'paid' &&
        own.emailKnown &&
        given.mailsReceipt &&
        html`<p class="soft">${texts['thanks.receiptByEmail']}</p>`
      }
      ${
        state === 'paid' &&
        own.emailKnown &&
        given.mailIsOn &&
        html`<p class="soft">
          <a href="${OWN_PAGE_PATH}?lang=${view.chosen}">${texts['thanks.ownPage']}</a>
        </p>`
      }`,
    )}
    <p class="soft polling" id="polling" role="status">${state === 'paid' ? texts.keepAddress : ''}</p>
    ${state === 'paid' && monthlyLink(view)} ${state === 'paid' && takes && share(view)}`;
}

/** Key of the texts about the state of a donation. */
export const textOf = ({ state, waitsFor, transfer }: OwnDonationDto): string => {
  const part = transfer ? 'transfer' : waitsFor;
  return part === undefined ? `state.${state}` : `state.${state}.${part}`;
};

/** Sentences about a slow payment: the wall shows the donation, and the receipt is sent, when the money has arrived. */
function whenArrived({ event, texts }: DonateView, { own, mailsReceipt }: Thanks): Html {
  return html`<p class="notice__more">
    ${event.status !== 'archived' && html`<span>${texts['thanks.wall.later']}</span> `}
    ${own.emailKnown && mailsReceipt && html`<span>${texts['thanks.receiptLater']}</span>`}
  </p>`;
}

/** Sentences about a paid pledge, the donor's number among the donors, and the donation on the wall. */
function words(
  { event, texts, locale }: DonateView,
  { donorNumber, wall, paysPledge, tribute, isTold }: OwnThanks,
): Html {
  const number = new Intl.NumberFormat(locale).format(donorNumber ?? 0);
  // The wall of an archived event is not public.
  const onWall = event.status === 'archived' ? undefined : texts[`thanks.wall.${wall}`];
  return html`${tribute && html`<p class="notice__text">${tributeLine(texts, tribute)}</p>`}
    <p class="notice__more">
      ${paysPledge && html`<strong>${texts['thanks.pledgePaid']}</strong> `}
      ${donorNumber !== undefined && html`<span>${fill(texts['thanks.number'], { number })}</span> `}
      ${onWall && html`<span>${onWall}</span> `} ${isTold && html`<span>${texts['thanks.told']}</span>`}
    </p>`;
}

/** Sums that match pools added to the donation. */
const matched = ({ texts, locale }: DonateView, own: OwnDonationDto, { matched: draws }: OwnThanks): Html =>
  html`${matchedSentences(draws, own, texts, locale).map(
    (sentence) => html`<p class="notice__more match__drew" dir="auto"><strong>${sentence}</strong></p>`,
  )}`;

const asksEmail = ({ settings }: DonateView, { state, emailKnown }: OwnDonationDto): boolean =>
  !emailKnown &&
  settings.donation.fields.donorEmail !== 'hidden' &&
  (state === 'paid' || state === 'processing');

/** Asks for an e-mail address for the receipt. Works without JavaScript. */
function emailForm({ event, settings, texts, pledge }: DonateView, { token, problem }: Thanks): Html {
  return html`<form class="receipt-email" method="post" action="${pagePath(event)}/thanks" novalidate>
    <input type="hidden" name="donation" value="${token}" />
    ${pledge && html`<input type="hidden" name="pledge" value="${pledge.token}" />`}
    <div class="field">
      <label class="field__label" for="email">${texts['thanks.email']}</label>
      <div class="receipt-email__line">
        <input
          class="input"
          id="email"
          name="email"
          type="email"
          autocomplete="email"
          maxlength="254"
          value="${problem?.email}"
          aria-describedby="email-hint"
          ${problem && html`aria-invalid="true" aria-errormessage="problem" autofocus`}
        />
        <button class="button button--quiet">${texts['thanks.emailSave']}</button>
      </div>
      ${problem && html`<p class="field__error" id="problem" role="alert">${problem.text}</p>`}
      <p class="field__hint" id="email-hint">
        ${fill(texts.emailHint, { organization: settings.organization })}
      </p>
    </div>
  </form>`;
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
