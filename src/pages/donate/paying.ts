import type { OfferedCheckout } from '../../payments/providers/payment-providers.js';
import { type Html, html } from '../html.js';
import { fill } from '../texts.js';
import type { DonateView } from './donate-view.js';
import { oldBrowserNote } from '../old-browser.js';
import { LOCK } from './icons.js';

export const cardOf = (offered: readonly OfferedCheckout[]): OfferedCheckout | undefined =>
  offered.find(({ flow, publishableKey }) => flow === 'form' && publishableKey !== undefined);

export const redirectsOf = (offered: readonly OfferedCheckout[]): readonly OfferedCheckout[] =>
  offered.filter(({ flow }) => flow === 'redirect');

/**
 * The ways to pay that need no further input, then the card form; undefined if there is no card form. The page's script shows
 * the hidden parts.
 */
export function waysToPay({ offered, texts }: DonateView): Html | undefined {
  if (!cardOf(offered)) return undefined;
  const redirects = redirectsOf(offered);
  return html`<div class="part">
    <h2 class="visually-hidden">${texts.payment}</h2>
    <noscript>
      <p class="note note--warn">${redirects.length > 0 ? texts.noScript : texts.noScriptNoWay}</p>
    </noscript>
    ${oldBrowserNote('donate', redirects.length > 0 ? texts.oldBrowser : texts.oldBrowserNoWay)}
    <div id="express"></div>
    ${redirects.map((one) => redirectButton(one, texts, 'button--quiet'))}
    <p class="or" id="or" hidden><span>${texts.orCard}</span></p>
    <div class="pay__form" id="card" aria-busy="true" hidden><p class="soft">${texts.loading}</p></div>
  </div>`;
}

/** The last part of the form: the button, and the names of the providers. */
export function payButton({ offered, texts, settings }: DonateView): Html {
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
        : redirects.map((one, index) => redirectButton(one, texts, index > 0 ? 'button--quiet' : ''))
    }
    <p class="trust">
      ${LOCK}<span>${fill(texts.trust, { providers })} ${keepsPayer && texts.walletData}</span>
    </p>
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
