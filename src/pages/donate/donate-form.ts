import { randomUUID } from 'node:crypto';
import { currencyExponent, toDecimalString, toJsonAmount } from '../../common/money/money.js';
import { imagePathOf } from '../../images/dto/image-path.js';
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
  type ViewedTeam,
} from './donate-view.js';
import { aboutYou } from './about-you.js';
import { feeBox, feeOf } from './covered-fee-box.js';
import { matchLine } from './match-line.js';
import { firstPool } from './match-words.js';
import { tributeBox } from './tribute-box.js';
import { CLOCK, HEART } from './icons.js';
import { cardOf, payButton, waysToPay } from './paying.js';

/** Data for the page's script. */
export interface FormModel {
  readonly page: 'form';
  readonly slug: string;
  /** Token of the pledge that the donor pays. */
  readonly pledge?: string;
  /** Locale of amounts. */
  readonly locale: string;
  /** Language of e-mails and receipts. */
  readonly donorLocale: string;
  readonly currency: string;
  readonly exponent: number;
  readonly min: number;
  readonly max: number | null;
  /** Address of the thanks page, without `?donation=`. */
  readonly thanks: string;
  /** Fee rate that the donor may add; null if the event does not offer this. */
  readonly fee: FeeRate | null;
  readonly organization: string;
  /** True if wallets are asked for the donor's e-mail address. */
  readonly asksEmail: boolean;
  readonly card: {
    readonly publishableKey: string;
    readonly scriptUrl?: string;
    readonly provider: string;
  } | null;
  /** True if the page shows a match pool and asks for its present state. */
  readonly matches: boolean;
  readonly texts: Readonly<Record<string, string>>;
}

const SCRIPT_TEXTS =
  /^(error|giveAmount|give|busy|already|open|loading|coverFee\w*|onWall|recent|outside|kiosk|match)\b/;

export function formModel(view: DonateView): FormModel {
  const { event, settings, offered, texts, locale, chosen, address, pledge } = view;
  const card = cardOf(offered);
  const { minAmount, maxAmount } = boundsOf(view);
  return {
    page: 'form',
    slug: event.slug,
    ...(pledge && { pledge: pledge.token }),
    locale,
    donorLocale: chosen,
    currency: event.currency,
    exponent: currencyExponent(event.currency),
    min: minAmount,
    max: maxAmount,
    thanks: `${address}${pagePath(event)}/thanks`,
    fee: feeOf(view),
    organization: settings.organization,
    asksEmail: settings.donation.fields.donorEmail !== 'hidden',
    card: card?.publishableKey
      ? {
          publishableKey: card.publishableKey,
          provider: card.provider,
          ...(card.scriptUrl !== undefined && { scriptUrl: card.scriptUrl }),
        }
      : null,
    matches: firstPool(view.match) !== undefined,
    texts: Object.fromEntries(
      Object.entries(texts).filter(
        ([key]) =>
          SCRIPT_TEXTS.test(key) && (settings.donation.fields.tribute || !key.startsWith('error.tribute')),
      ),
    ),
  };
}

/** The donation form. Without JavaScript, it works for providers with a page of their own. */
export function donateForm(view: DonateView, typed: TypedFields = {}, problem?: FormProblem): Html {
  const { event, source } = view;
  const tone = problem && problem.status < 400 ? '' : 'note--bad';
  return html`<form class="give card" id="give" method="post" action="${pagePath(event)}" novalidate>
    <input type="hidden" name="key" value="${typed.key ?? randomUUID()}" />
    <input type="hidden" name="checkout" value="${typed.checkout ?? randomUUID()}" />
    <input type="hidden" name="from" value="${source}" />
    <p
      class="note ${tone}"
      id="problem"
      role="alert"
      tabindex="-1"
      ${problem ? html`autofocus` : html`hidden`}
    >
      ${problem?.text}
    </p>
    <p class="note recent" id="recent" role="status" hidden>
      <span></span>
      <button class="button button--quiet" id="recent-again" type="button" hidden></button>
    </p>
    ${forTeam(view)}
    ${view.pledge && html`<input type="hidden" name="pledge" value="${view.pledge.token}" />`}
    ${matchLine(view)} ${view.pledge ? pledged(view, view.pledge, typed) : amounts(view, typed, problem)}
    ${waysToPay(view)} ${aboutYou(view, { ...promisedBy(view.pledge, typed), ...typed }, problem)}
    ${view.settings.donation.fields.tribute && tributeBox(view, typed, problem)} ${payButton(view)}
    <template id="already-icon">${HEART}</template>
    <template id="wait-icon">${CLOCK}</template>
  </form>`;
}

/** Team of the donation: a table, a team or a person. A pledge has its own. */
function forTeam(view: DonateView): Html | undefined {
  const { event, texts, team, source, pledge } = view;
  if (team === undefined || pledge) return undefined;
  if (team === 'unknown') return html`<p class="note">${texts['team.unknown']}</p>`;
  // The empty `team` means, for the script, that the donor removed the team.
  const without = `${pagePath(event)}?team=${source ? `&from=${source}` : ''}`;
  return html`<p class="for">
      <input type="hidden" name="team" value="${team.slug}" />${texts['team.for']}
      <strong><bdi>${team.name}</bdi></strong>
      <a href="${without}">${texts['team.none']}</a>
    </p>
    ${pageOfPerson(view, team)}`;
}

/** Picture, text and goal of a person. The sum appears with enough donors, rounded down as on the board. */
function pageOfPerson(view: DonateView, { text, image, row }: ViewedTeam): Html | undefined {
  const { texts } = view;
  const { goalAmount = null, raised = null } = row ?? {};
  if (text === null && image === null && goalAmount === null) return undefined;
  const goal = goalAmount === null ? '' : short(view, goalAmount);
  return html`<section class="person">
    ${image !== null && html`<img class="story__picture" src="${imagePathOf(image)}" alt="" />`}
    ${text !== null && html`<div class="story__text"><p dir="auto">${text}</p></div>`}
    ${
      goalAmount !== null &&
      html`<p>
        ${
          raised === null
            ? fill(texts['figures.goal'], { goal })
            : html`<strong class="number">${short(view, raised)}</strong> ${texts.raised}
                ${fill(texts.ofGoal, { goal })}`
        }
      </p>`
    }
    ${
      goalAmount !== null &&
      raised !== null &&
      html`<progress
        class="meter"
        max="${goalAmount}"
        value="${Math.min(raised, goalAmount)}"
        aria-label="${fill(texts.ofGoal, { goal })}"
      ></progress>`
    }
  </section>`;
}

/** Returns the name of the pledge's donor, if known. After an error, the form shows the typed values instead. */
const promisedBy = (pledge: LinkedPledge | undefined, { key }: TypedFields): TypedFields => ({
  ...(typeof pledge?.donorName === 'string' && { name: pledge.donorName }),
  ...(pledge?.isUnnamed && key === undefined && { anonymous: 'yes' }),
});

function amounts(view: DonateView, typed: TypedFields, problem: FormProblem | undefined): Html {
  const { settings, texts } = view;
  const { minAmount, maxAmount, presets, presetLines, preselected } = settings.donation;
  const offered = presets.filter(
    (amount) => amount >= minAmount && (maxAmount === null || amount <= maxAmount),
  );
  const hasLines = offered.some((amount) => presetLines[amount] !== undefined);
  const chosen = typed.preset ?? (typed.amount ? undefined : String(preselected ?? ''));
  const bounds = [minAmount, maxAmount ?? minAmount];
  const limits = { min: short(view, minAmount, bounds), max: short(view, maxAmount ?? 0, bounds) };
  return html`<fieldset class="part" id="amounts">
    <legend class="part__title">${texts.amountLegend}</legend>
    <div class="amounts" data-columns="${hasLines ? 1 : offered.length > 4 || offered.length === 3 ? 3 : 2}">
      ${offered.map(
        (amount) =>
          html`<label class="amount"
            ><input
              type="radio"
              name="preset"
              value="${amount}"
              ${chosen === String(amount) && html`checked`}
            /><span class="amount__box"
              ><span class="number">${short(view, amount, offered)}</span>${
                presetLines[amount] !== undefined &&
                html` <span class="amount__line" dir="auto">${presetLines[amount]}</span>`
              }</span
            ></label
          > `,
      )}
    </div>
    <div class="field">
      <p class="field__head">
        <label class="field__label" for="amount"
          >${offered.length > 0 ? texts.ownAmount : texts.amount}</label
        >
        <span class="field__hint" id="amount-hint"
          >${fill(maxAmount === null ? texts.amountFrom : texts.amountBetween, limits)}</span
        >
      </p>
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
        /><span class="own__edge"></span>
      </div>
    </div>
    ${feeBox(view, typed)}
    ${firstPool(view.match) && html`<p class="match__own" id="match-own" role="status" hidden></p>`}
  </fieldset>`;
}

/** Shows the amount of a pledge, which the donor cannot change. */
function pledged(view: DonateView, { amount }: LinkedPledge, typed: TypedFields): Html {
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
    ${feeBox(view, typed)}
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
