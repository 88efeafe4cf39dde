import { randomUUID } from 'node:crypto';
import { currencyExponent, toDecimalString, toJsonAmount } from '../../common/money/money.js';
import type { OfferedCheckout } from '../../payments/providers/payment-providers.js';
import type { FeeRate } from '../../payments/intents/covered-fee.js';
import { type Html, html } from '../html.js';
import { fill } from '../texts.js';
import {
  boundsOf,
  type DonateView,
  type FormProblem,
  type LinkedPledge,
  pagePath,
  short,
  type TypedFields,
} from './donate-view.js';
import { details, feeOf } from './donor-details.js';
import { CLOCK, HEART, LOCK } from './icons.js';

/** Data for the page's script. */
export interface FormModel {
  readonly page: 'form';
  readonly slug: string;
  /** Token of the pledge that the donor pays. */
  readonly pledge?: string;
  readonly locale: string;
  readonly currency: string;
  readonly exponent: number;
  readonly min: number;
  readonly max: number | null;
  /** Address of the thanks page, without `?donation=`. */
  readonly thanks: string;
  /** Fee rate that the donor may add; null if the event does not offer this. */
  readonly fee: FeeRate | null;
  readonly organization: string;
  readonly card: {
    readonly publishableKey: string;
    readonly scriptUrl?: string;
    readonly provider: string;
  } | null;
  readonly texts: Readonly<Record<string, string>>;
}

const SCRIPT_TEXTS = /^(error|giveAmount|give|busy|already|open|loading|giveWith|coverFee\w*)\b/;

export const cardOf = (offered: readonly OfferedCheckout[]): OfferedCheckout | undefined =>
  offered.find(({ flow, publishableKey }) => flow === 'form' && publishableKey !== undefined);

export const redirectsOf = (offered: readonly OfferedCheckout[]): readonly OfferedCheckout[] =>
  offered.filter(({ flow }) => flow === 'redirect');

export function formModel(view: DonateView): FormModel {
  const { event, settings, offered, texts, locale, address, pledge } = view;
  const card = cardOf(offered);
  const { minAmount, maxAmount } = boundsOf(view);
  return {
    page: 'form',
    slug: event.slug,
    ...(pledge && { pledge: pledge.token }),
    locale,
    currency: event.currency,
    exponent: currencyExponent(event.currency),
    min: minAmount,
    max: maxAmount,
    thanks: `${address}${pagePath(event)}/thanks`,
    fee: feeOf(view),
    organization: settings.organization,
    card: card?.publishableKey
      ? {
          publishableKey: card.publishableKey,
          provider: card.provider,
          ...(card.scriptUrl !== undefined && { scriptUrl: card.scriptUrl }),
        }
      : null,
    texts: Object.fromEntries(Object.entries(texts).filter(([key]) => SCRIPT_TEXTS.test(key))),
  };
}

/** The donation form. Without JavaScript, it works for providers with a page of their own. */
export function donateForm(view: DonateView, typed: TypedFields = {}, problem?: FormProblem): Html {
  const { event } = view;
  const tone = problem && problem.status < 400 ? '' : 'note--bad';
  return html`<form class="give card" id="give" method="post" action="${pagePath(event)}" novalidate>
    <input type="hidden" name="key" value="${typed.key ?? randomUUID()}" />
    <input type="hidden" name="checkout" value="${typed.checkout ?? randomUUID()}" />
    <p
      class="note ${tone}"
      id="problem"
      role="alert"
      tabindex="-1"
      ${problem ? html`autofocus` : html`hidden`}
    >
      ${problem?.text}
    </p>
    ${view.pledge && html`<input type="hidden" name="pledge" value="${view.pledge.token}" />`}
    ${view.pledge ? pledged(view, view.pledge) : amounts(view, typed, problem)}
    ${donor(view, { ...promisedBy(view.pledge, typed), ...typed }, problem)} ${details(view, typed, problem)}
    ${paying(view)}
    <template id="already-icon">${HEART}</template>
    <template id="wait-icon">${CLOCK}</template>
  </form>`;
}

/** Returns the name of the pledge's donor, if known. After an error, the form shows the typed values instead. */
const promisedBy = (pledge: LinkedPledge | undefined, { key }: TypedFields): TypedFields => ({
  ...(typeof pledge?.donorName === 'string' && { name: pledge.donorName }),
  ...(pledge?.isUnnamed && key === undefined && { anonymous: 'yes' }),
});

function amounts(view: DonateView, typed: TypedFields, problem: FormProblem | undefined): Html {
  const { settings, texts } = view;
  const { minAmount, maxAmount, presets, preselected } = settings.donation;
  const offered = presets.filter(
    (amount) => amount >= minAmount && (maxAmount === null || amount <= maxAmount),
  );
  const chosen = typed.preset ?? (typed.amount ? undefined : String(preselected ?? ''));
  const limits = { min: short(view, minAmount), max: short(view, maxAmount ?? 0) };
  return html`<fieldset class="part" id="amounts">
    <legend class="part__title">${texts.amountLegend}</legend>
    <div class="amounts" data-columns="${offered.length > 4 || offered.length === 3 ? 3 : 2}">
      ${offered.map(
        (amount) =>
          html`<label class="amount"
            ><input
              type="radio"
              name="preset"
              value="${amount}"
              ${chosen === String(amount) && html`checked`}
            /><span class="amount__box number">${short(view, amount)}</span></label
          > `,
      )}
    </div>
    <div class="field">
      <label class="field__label" for="amount">${offered.length > 0 ? texts.ownAmount : texts.amount}</label>
      <div class="own">
        <span class="own__currency" aria-hidden="true">${symbol(view)}</span>
        <input
          class="input own__input number"
          id="amount"
          name="amount"
          inputmode="decimal"
          autocomplete="off"
          maxlength="20"
          value="${typed.amount}"
          aria-describedby="amount-hint"
          ${problem?.field === 'amount' && html`aria-invalid="true"`}
        />
      </div>
      <p class="field__hint" id="amount-hint">
        ${fill(maxAmount === null ? texts.amountFrom : texts.amountBetween, limits)}
      </p>
    </div>
  </fieldset>`;
}

/** Shows the amount of a pledge, which the donor cannot change. */
function pledged(view: DonateView, { amount }: LinkedPledge): Html {
  const { event, texts } = view;
  const shown = short(view, toJsonAmount(amount));
  return html`<fieldset class="part" id="amounts">
    <legend class="part__title">${fill(texts['pledge.lead'], { amount: shown })}</legend>
    <div class="field">
      <label class="field__label" for="amount">${texts.amount}</label>
      <div class="own">
        <span class="own__currency" aria-hidden="true">${symbol(view)}</span>
        <input
          class="input own__input number"
          id="amount"
          name="amount"
          readonly
          value="${toDecimalString(amount, currencyExponent(event.currency))}"
        />
      </div>
    </div>
  </fieldset>`;
}

function symbol({ event, locale }: DonateView): string {
  const parts = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: event.currency.toUpperCase(),
  }).formatToParts(0);
  const value = parts.find(({ type }) => type === 'currency')?.value ?? event.currency.toUpperCase();
  // The isolation keeps the order, because right-to-left text would show "£UK" instead of "UK£".
  return `\u2066${value}\u2069`;
}

function donor({ settings, texts }: DonateView, typed: TypedFields, problem: FormProblem | undefined): Html {
  const { donorName, donorEmail, message } = settings.donation.fields;
  const optional = html` <span class="optional">${texts.optional}</span>`;
  const organization = { organization: settings.organization };
  return html`<fieldset class="part" id="donor">
    <legend class="part__title">${texts.aboutYou}</legend>
    ${
      donorName !== 'hidden' &&
      html`<div class="field">
        <label class="field__label" for="name">${texts.name}${donorName === 'optional' && optional}</label>
        <input
          class="input"
          id="name"
          name="name"
          autocomplete="name"
          maxlength="200"
          value="${typed.name}"
          ${donorName === 'required' && html`aria-required="true"`}
          ${problem?.field === 'name' && html`aria-invalid="true"`}
        />
      </div>`
    }
    ${
      donorEmail !== 'hidden' &&
      html`<div class="field">
        <label class="field__label" for="email">${texts.email}${donorEmail === 'optional' && optional}</label>
        <input
          class="input"
          id="email"
          name="email"
          type="email"
          autocomplete="email"
          maxlength="254"
          value="${typed.email}"
          aria-describedby="email-hint"
          ${donorEmail === 'required' && html`aria-required="true"`}
          ${problem?.field === 'email' && html`aria-invalid="true"`}
        />
        <p class="field__hint" id="email-hint">${fill(texts.emailHint, organization)}</p>
      </div>`
    }
    ${
      message !== 'hidden' &&
      html`<details class="fold" ${(typed.message !== undefined || message === 'required') && html`open`}>
        <summary>${texts.message}</summary>
        <div class="field">
          <label class="visually-hidden" for="message">${texts.messageLabel}</label>
          <textarea
            class="input"
            id="message"
            name="message"
            rows="3"
            maxlength="500"
            aria-describedby="message-hint"
            ${message === 'required' && html`aria-required="true"`}
          >
${typed.message}</textarea>
          <p class="field__hint" id="message-hint">
            ${settings.live.moderate === 'none' ? texts.messageHint : texts.messageHeld}
          </p>
        </div>
      </details>`
    }
    ${
      donorName !== 'hidden' &&
      html`<label class="check"
        ><input
          type="checkbox"
          name="anonymous"
          value="yes"
          aria-describedby="anonymous-hint"
          ${typed.anonymous && html`checked`}
        /><span
          >${texts.anonymous}<span class="field__hint" id="anonymous-hint"
            >${fill(texts.anonymousHint, organization)}</span
          ></span
        ></label
      >`
    }
  </fieldset>`;
}

function paying({ offered, texts }: DonateView): Html {
  const card = cardOf(offered);
  const redirects = redirectsOf(offered);
  return html`<div class="part pay">
    ${
      card &&
      html`<div class="pay__card" id="card-part" hidden>
          <h2 class="part__title">${texts.payment}</h2>
          <div id="express"></div>
          <div class="pay__form" id="card" aria-busy="true"><p class="soft">${texts.loading}</p></div>
          <button class="button button--wide button--large pay__act" id="pay" type="button">
            <span id="pay-label">${texts.give}</span>
          </button>
        </div>
        <noscript>
          <p class="note note--warn">${redirects.length > 0 ? texts.noScript : texts.noScriptNoWay}</p>
        </noscript>`
    }
    ${card && redirects.length > 0 && html`<p class="or" id="or" hidden><span>${texts.or}</span></p>`}
    ${redirects.map(
      ({ provider, label }, index) =>
        html`<button
          class="button button--wide button--large pay__act ${card || index > 0 ? 'button--quiet' : ''}"
          name="provider"
          value="${provider}"
          formtarget="_top"
        >
          ${fill(texts.giveWith, { provider: label })}
        </button>`,
    )}
    <p class="trust">${LOCK}<span>${fill(texts.trust, { providers: providers(offered) })}</span></p>
  </div>`;
}

const providers = (offered: readonly OfferedCheckout[]): string =>
  [...new Set([...redirectsOf(offered), ...[cardOf(offered) ?? []].flat()].map(({ label }) => label))]
    .reverse()
    .join(' · ');
