import type { Reply } from '../calls/http.js';
import { Controls } from '../control/controls.js';
import { stripeExponent } from '../stripe/money.js';
import type { NextAction } from '../stripe/objects.js';
import { card, choice } from './donor.js';
import { displayAmount, html, type Markup, redirect } from './html.js';

/** `/3ds/:intent`: the page where the donor's bank authenticates the donor. */
export const authenticationPage = (controls: Controls, id: string): Reply =>
  bankPage(controls, id, '/3ds', origins(returnUrlOf(controls, id)));

/**
 * `/3ds-modal/:intent`: the same page for the dialog that Stripe.js shows on top of the donation page. It may be framed and leads
 * to no other page.
 */
export const modalPage = (controls: Controls, id: string): Reply =>
  bankPage(controls, id, '/3ds-modal', [], true);

function bankPage(controls: Controls, id: string, at: string, leadsTo: string[], framed = false): Reply {
  const intent = controls.stripe.intent(id);
  const path = `${at}/${intent.id}`;
  const open = html`${choice(path, 'authorize', 'Authorize the payment', true)}
  ${choice(path, 'fail', 'Fail the authentication')}`;
  return card('3-D Secure', amountOf(controls, id), stillOpen(intent.status, open), leadsTo, framed);
}

/** Redirects the donor back to the donation page. As at Stripe, the address contains the intent and the result. */
export function answerAuthentication(controls: Controls, id: string, action: string | undefined): Reply {
  const target = returnUrlOf(controls, id);
  // If the intent does not wait for the bank any more, for example after another attempt, the button has no
  // effect.
  const intent = answered(controls, id, action);
  if (!intent || target === undefined) return redirect(`/3ds/${id}`);
  const url = new URL(target);
  url.searchParams.set('payment_intent', intent.id);
  url.searchParams.set('payment_intent_client_secret', intent.client_secret);
  url.searchParams.set('redirect_status', intent.status === 'succeeded' ? 'succeeded' : 'failed');
  return redirect(url.href);
}

export function answerModal(controls: Controls, id: string, action: string | undefined): Reply {
  answered(controls, id, action);
  return redirect(`/3ds-modal/${id}`);
}

function answered({ stripe }: Controls, id: string, action: string | undefined) {
  if (stripe.intent(id).status !== 'requires_action') return undefined;
  return action === 'authorize' ? stripe.pay(id) : stripe.failAuthentication(id);
}

/** `/3ds-setup/:setup`: the bank authenticates a donor who saves a card. */
export function setupPage(controls: Controls, id: string): Reply {
  const { status, next_action: action } = controls.stripe.setup(id);
  const path = `/3ds-setup/${id}`;
  const open = html`${choice(path, 'authorize', 'Save the card', true)}
  ${choice(path, 'fail', 'Fail the authentication')}`;
  return card('3-D Secure', '', stillOpen(status, open), origins(addressIn(action)));
}

/** Redirects the donor back to the page on which the card is saved. */
export function answerSetup(controls: Controls, id: string, action: string | undefined): Reply {
  const { stripe } = controls;
  const before = stripe.setup(id);
  const target = addressIn(before.next_action);
  if (before.status !== 'requires_action' || target === undefined) return redirect(`/3ds-setup/${id}`);
  const setup = action === 'authorize' ? stripe.authenticateSetup(id) : stripe.failSetup(id);
  const url = new URL(target);
  url.searchParams.set('setup_intent', setup.id);
  url.searchParams.set('setup_intent_client_secret', setup.client_secret);
  url.searchParams.set('redirect_status', setup.status === 'succeeded' ? 'succeeded' : 'failed');
  return redirect(url.href);
}

/** `/voucher/:intent`: a voucher that the donor pays at a shop, perhaps days later or never. */
export function voucherPage(controls: Controls, id: string): Reply {
  const intent = controls.stripe.intent(id);
  const path = `/voucher/${intent.id}`;
  const open = html`${choice(path, 'pay', 'Pay the voucher at the shop', true)}
  ${choice(path, 'expire', 'Let the voucher expire')}`;
  return card('Voucher', amountOf(controls, id), stillOpen(intent.status, open));
}

export function answerVoucher(controls: Controls, id: string, action: string | undefined): Reply {
  const intent = action === 'pay' ? controls.stripe.pay(id) : controls.stripe.expireVoucher(id);
  return redirect(`/voucher/${intent.id}`);
}

function stillOpen(status: string, open: Markup): Markup {
  if (status === 'requires_action') return open;
  return html`<p class="state ${status === 'succeeded' ? 'good' : 'bad'}">
    This payment is ${status.replaceAll('_', ' ')}.
  </p>`;
}

function amountOf(controls: Controls, id: string): string {
  const { amount, currency } = controls.stripe.intent(id);
  return displayAmount(amount, currency, stripeExponent(currency));
}

const returnUrlOf = (controls: Controls, id: string): string | undefined =>
  addressIn(controls.stripe.intent(id).next_action);

function addressIn(action: NextAction | null): string | undefined {
  const details = action?.redirect_to_url as { return_url?: unknown } | undefined;
  const url = details?.return_url;
  return typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url) ? url : undefined;
}

function origins(url: string | undefined): string[] {
  return url === undefined ? [] : [new URL(url).origin];
}
