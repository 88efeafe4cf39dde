import type { FeeRate } from '../../payments/intents/covered-fee.js';
import { type Html, html } from '../html.js';
import { fill } from '../texts.js';
import { type DonateView, short, type TypedFields } from './donate-view.js';
import { checkBox } from './form-parts.js';

/** Returns the fee rate that the donor may add; null if the event does not offer this. */
export function feeOf({ settings, step }: Pick<DonateView, 'settings' | 'step'>): FeeRate | null {
  const { offer, basisPoints, fixed } = settings.donation.coverFee;
  return offer ? { basisPoints, fixed, step } : null;
}

/**
 * The choice to pay the fee too; undefined if the event does not offer this. Without JavaScript, this page cannot calculate the
 * fee. So this page shows the rate, and the provider's page shows the sum.
 */
export function feeBox(view: DonateView, typed: TypedFields): Html | undefined {
  const { settings, texts, locale } = view;
  const fee = feeOf(view);
  if (!fee) return undefined;
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(
    fee.basisPoints / 10_000,
  );
  const hint = { percent, fixed: short(view, fee.fixed) };
  return html`<div id="fee" data-percent="${percent}" data-fixed="${hint.fixed}">
    ${checkBox(
      'coverFee',
      typed.coverFee,
      fill(texts.coverFeeOpen, { organization: settings.organization }),
      fill(texts.coverFeeHintOpen, hint),
    )}
  </div>`;
}
