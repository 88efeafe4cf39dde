import type { OfferedCheckout } from '../../payments/providers/payment-providers.js';
import { type Html, html } from '../html.js';
import { fill } from '../texts.js';
import type { DonateView } from './donate-view.js';
import { oldBrowserNote } from '../old-browser.js';
import { LOCK } from './icons.js';

/** Value of the button for a bank transfer, in the place of the name of a provider. */
export const TRANSFER = 'bank transfer';

export const cardOf = (offered: readonly OfferedCheckout[]): OfferedCheckout | undefined =>
  offered.find(({ flow, publishableKey }) => flow === 'form' && publishableKey !== undefined);

export const redirectsOf = (offered: readonly OfferedCheckout[]): readonly OfferedCheckout[] =>
  offered.filter(({ flow }) => flow === 'redirect');

/**
 * The ways to pay that need no further input, then the card form; undefined if there is no card form. The page's script shows
 * the hidden parts.
 */
export function waysToPay({ offered, offersTransfer, texts }: DonateView): Html | undefined {
  if (!cardOf(offered)) return undefined;
  const redirects = redirectsOf(offered);
  const hasOtherWay = redirects.length > 0 || offersTransfer;
  return html`<div class="part">
    <h2 class="visually-hidden">${texts.payment}</h2>
    <noscript>
      <p class="note note--warn">${hasOtherWay ? texts.noScript : texts.noScriptNoWay}</p>
    </noscript>
    ${oldBrowserNote('donate', hasOtherWay ? texts.oldBrowser : texts.oldBrowserNoWay)}
    <div id="express"></div>
    ${redirects.map((one) => redirectButton(one, texts, 'button--quiet'))}
    ${offersTransfer && transferButton(texts, 'button--quiet')}
    <p class="or" id="or" hidden><span>${texts.orCard}</span></p>
    <div class="pay__form" id="card" aria-busy="true" hidden><p class="soft">${texts.loading}</p></div>
  </div>`;
}

/** The last part of the form: the button, and the names of the providers. */
export function payButton({ offered, offersTransfer, texts, settings }: DonateView): Html {
  const { donorName, donorEmail } = settings.donation.fields;
  const keepsPayer = donorName !== 'hidden' || donorEmail !== 'hidden';
  const redirects = redirectsOf(offered);
  const names = [...redirects, ...[cardOf(offered) ?? []].flat()].map(({ label }) => label);
  const providers = [...new Set(names)].reverse().join(' · ');
  return html`<div class="part pay">
    ${
      cardOf(offered)
        ? html`<button class="button button--wide button--large pay__act" id="pay" type="button" hidden>
            <span id="pay-label">${texts.give}</span>
          </button>`
        : html`${redirects.map((one, index) => redirectButton(one, texts, index > 0 ? 'button--quiet' : ''))}
          ${offersTransfer && transferButton(texts, redirects.length > 0 ? 'button--quiet' : '')}`
    }
    ${
      providers !== '' &&
      html`<p class="trust">
        ${LOCK}<span>${fill(texts.trust, { providers })} ${keepsPayer && texts.walletData}</span>
      </p>`
    }
  </div>`;
}

const redirectButton = (
  { provider, label }: OfferedCheckout,
  texts: DonateView['texts'],
  look: string,
): Html =>
  html`<button
    class="button button--wide button--large pay__act ${look}"
    name="provider"
    value="${provider}"
    formtarget="_top"
  >
    ${fill(texts.giveWith, { provider: label })}
  </button>`;

/** The bank details are on the next page of this service, so the button works without JavaScript. */
const transferButton = (texts: DonateView['texts'], look: string): Html =>
  html`<button
    class="button button--wide button--large pay__act ${look}"
    name="provider"
    value="${TRANSFER}"
    formtarget="_top"
  >
    ${texts['transfer.choose']}
  </button>`;
