import { currencyExponent, toJsonAmount } from '../../common/money/money.js';
import { dateInWords } from '../../common/text/local-time.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import {
  type OwnPledgesView,
  PLEDGE_PATH,
  WITHDRAWAL_REASONS,
} from '../../pledges/emails/own-pledges.service.js';
import { shortMoney } from '../donate/amount.js';
import { HEART } from '../donate/icons.js';
import { type Html, html } from '../html.js';
import { fill, type Texts } from '../texts.js';

type View = OwnPledgesView & { readonly texts: Texts; readonly token: string };

interface Withdrawal extends View {
  readonly open: readonly DonationRow[];
  /** Link to pay the first open pledge; undefined if the event takes no payments. */
  readonly payUrl: string | undefined;
}

/** The form that withdraws the open pledges. With several pledges, the donor can keep some of them. */
export function withdrawForm(view: Withdrawal): Html {
  const { texts, event, open, payUrl, token, settings } = view;
  const [first] = open;
  const isOne = open.length === 1;
  const said =
    isOne && first
      ? textOf(view, 'withdraw.text', first)
      : fill(texts['withdraw.many'], { event: event.name });
  return html`<section class="notice card">
    ${HEART}
    <h2 class="notice__title">${texts['withdraw.title']}</h2>
    <p class="notice__text">${said}</p>
    <p class="notice__text">${fill(texts['withdraw.why'], { organization: settings.organization })}</p>
    <form class="withdraw" method="post" action="${PLEDGE_PATH}/${token}">
      ${
        isOne
          ? html`<input type="hidden" name="pledge" value="${first?.id}" />`
          : html`<fieldset class="part">
              <legend class="field__label">${texts['withdraw.which']}</legend>
              ${open.map(
                (pledge) =>
                  html`<label class="check"
                    ><input type="checkbox" name="pledge" value="${pledge.id}" checked /><span
                      >${amountOf(view, pledge)} · ${dayOf(view, pledge)}</span
                    ></label
                  >`,
              )}
            </fieldset>`
      }
      <div class="field">
        <label class="field__label" for="reason"
          >${texts['withdraw.reason']} <span class="optional">${texts.optional}</span></label
        >
        <select class="input" id="reason" name="reason">
          ${WITHDRAWAL_REASONS.map(
            (reason) => html`<option value="${reason}">${texts[`withdraw.reason.${reason}`]}</option>`,
          )}
        </select>
      </div>
      <p class="notice__links">
        <button class="button">${isOne ? texts['withdraw.button'] : texts['withdraw.buttonMany']}</button>
        ${
          isOne &&
          payUrl !== undefined &&
          html`<a class="button button--quiet" href="${payUrl}">${texts['withdraw.pay']}</a>`
        }
      </p>
    </form>
  </section>`;
}

/** The form that ends the e-mails about pledges. */
export const unsubscribeForm = ({ texts, token, settings }: View): Html =>
  html`<section class="notice card">
    ${HEART}
    <h2 class="notice__title">${texts['unsubscribe.title']}</h2>
    <p class="notice__text">${fill(texts['unsubscribe.text'], { organization: settings.organization })}</p>
    <form method="post" action="${PLEDGE_PATH}/${token}/unsubscribe">
      <p class="notice__links"><button class="button">${texts['unsubscribe.button']}</button></p>
    </form>
  </section>`;

const textOf = (view: View, key: string, pledge: DonationRow): string =>
  fill(view.texts[key], {
    amount: amountOf(view, pledge),
    event: view.event.name,
    date: dayOf(view, pledge),
  });

const amountOf = ({ locale }: View, { amount, currency }: DonationRow): string =>
  shortMoney(toJsonAmount(amount), currency, currencyExponent(currency), locale);

const dayOf = ({ locale, settings }: View, pledge: DonationRow): string =>
  dateInWords(pledge.recorded_at ?? pledge.created_at, locale, settings.timezone, pledge);
