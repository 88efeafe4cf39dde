import type { FeeRate } from '../../payments/intents/covered-fee.js';
import { type Html, html } from '../html.js';
import { fill } from '../texts.js';
import { type DonateView, type FormProblem, short, type TypedFields } from './donate-view.js';

/** Returns the fee rate that the donor may add; null if the event does not offer this. */
export function feeOf({ settings, step }: Pick<DonateView, 'settings' | 'step'>): FeeRate | null {
  const { offer, basisPoints, fixed } = settings.donation.coverFee;
  return offer ? { basisPoints, fixed, step } : null;
}

/** Optional parts of the form: postal address, Gift Aid, and payment of the fee. */
export function details(
  view: DonateView,
  typed: TypedFields,
  problem: FormProblem | undefined,
): Html | false {
  const { address, giftAid } = view.settings.donation.fields;
  const fee = feeOf(view);
  if (address === 'hidden' && !giftAid && !fee) return false;
  return html`<fieldset class="part" id="details">
    ${address !== 'hidden' && addressField(view, typed, problem)} ${giftAid && giftAidBox(view, typed)}
    ${fee && feeBox(view, typed, fee)}
  </fieldset>`;
}

function addressField(
  { settings, texts }: DonateView,
  typed: TypedFields,
  problem: FormProblem | undefined,
): Html {
  const required = settings.donation.fields.address === 'required';
  return html`<div class="field">
    <label class="field__label" for="address"
      >${texts.address}${!required && html` <span class="optional">${texts.optional}</span>`}</label
    >
    <textarea
      class="input"
      id="address"
      name="address"
      rows="3"
      maxlength="500"
      autocomplete="street-address"
      aria-describedby="address-hint"
      ${required && html`aria-required="true"`}
      ${problem?.field === 'address' && html`aria-invalid="true"`}
    >
${typed.address}</textarea>
    <p class="field__hint" id="address-hint">
      ${fill(texts.addressHint, { organization: settings.organization })}
    </p>
  </div>`;
}

const giftAidBox = ({ settings, texts }: DonateView, typed: TypedFields): Html =>
  box(
    'giftAid',
    typed.giftAid,
    texts.giftAid,
    fill(texts.giftAidHint, { organization: settings.organization }),
  );

/**
 * Without JavaScript, this page cannot calculate the fee. So this page shows the rate, and the provider's page shows the sum.
 */
function feeBox(view: DonateView, typed: TypedFields, { basisPoints, fixed }: FeeRate): Html {
  const { settings, texts, locale } = view;
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(
    basisPoints / 10_000,
  );
  const hint = { percent, fixed: short(view, fixed) };
  return html`<div id="fee" data-percent="${percent}" data-fixed="${hint.fixed}">
    ${box(
      'coverFee',
      typed.coverFee,
      fill(texts.coverFeeOpen, { organization: settings.organization }),
      fill(texts.coverFeeHintOpen, hint),
    )}
  </div>`;
}

const box = (name: string, typed: string | undefined, label: string | undefined, hint: string): Html =>
  html`<label class="check"
    ><input
      type="checkbox"
      name="${name}"
      value="yes"
      aria-describedby="${name}-hint"
      ${typed && html`checked`}
    /><span
      ><span id="${name}-label">${label}</span
      ><span class="field__hint" id="${name}-hint">${hint}</span></span
    ></label
  >`;
