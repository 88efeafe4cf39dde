import type { Reply } from '../calls/http.js';
import { Controls } from '../control/controls.js';
import { stripeExponent } from '../stripe/money.js';
import type { PaymentIntent } from '../stripe/objects.js';
import { displayAmount, html, type Markup, page } from './html.js';

/** `/pay/:intent`: a checkout page with a card form. */
export function cardPage(controls: Controls, id: string): Reply {
  const intent = controls.stripe.intent(id);
  const amount = displayAmount(intent.amount, intent.currency, stripeExponent(intent.currency));
  const failed = intent.last_payment_error !== null;
  const open = html`${failed && html`<p class="state bad">Your card was declined. You can try again.</p>`}
  ${choice(`/pay/${intent.id}`, 'pay', `Pay ${amount}`, true)}
  ${choice(`/pay/${intent.id}`, 'process', 'Pay by slow bank debit')}
  ${choice(`/pay/${intent.id}`, 'decline', 'Use a card that is declined')}`;
  const done: Record<string, Markup> = {
    requires_payment_method: open,
    requires_action: html`<p class="state wait">
      Your bank or a shop must complete the payment: <a href="${actionPage(intent)}">open its page</a>.
    </p>`,
    processing: html`<p class="state wait">Your payment is being processed.</p>`,
    succeeded: html`<p class="state good">Thank you! Your payment was successful.</p>`,
    canceled: html`<p class="state bad">This payment was cancelled.</p>`,
  };
  return card('Card payment', amount, done[intent.status]);
}

function actionPage({ id, next_action: action }: PaymentIntent): string {
  return action?.type === 'redirect_to_url' ? `/3ds/${id}` : `/voucher/${id}`;
}

/** `/checkoutnow?token=`: PayPal's approval page. */
export function approvalPage(controls: Controls, id: string): Reply {
  const order = controls.paypal.order(id);
  const money = controls.paypal.payments().find((payment) => payment.id === id);
  const currency = money?.currency ?? 'EUR';
  const amount = displayAmount(money?.amount ?? 0, currency, controls.paypal.exponent(currency));
  const path = `/checkoutnow/${id}`;
  const open = order.status === 'CREATED' || order.status === 'PAYER_ACTION_REQUIRED';
  const { returnUrl, cancelUrl } = controls.paypal.returnUrls(id);
  const body = open
    ? html`${choice(path, 'approve', `Agree to pay ${amount}`, true)}
      ${choice(path, 'leave', 'Cancel and go back')}`
    : html`<p class="state ${order.status === 'VOIDED' ? 'bad' : 'good'}">
        ${order.status === 'VOIDED' ? 'This order was cancelled.' : 'Thank you! You agreed to this payment.'}
      </p>`;
  const leadsTo = [returnUrl, cancelUrl].filter((url) => url !== undefined).map((url) => new URL(url).origin);
  return card('Wallet payment', amount, body, leadsTo);
}

export function choice(path: string, name: string, label: string, main = false): Markup {
  return html`<form method="post" action="${path}/${name}">
    <button class="${main ? 'main' : ''}">${label}</button>
  </form>`;
}

export function card(
  title: string,
  amount: string,
  body: Markup | undefined,
  leadsTo: string[] = [],
  framed = false,
): Reply {
  const markup = html`<main class="card">
    <h1>${title}</h1>
    <p class="amount">${amount}</p>
    ${body}
    <p class="lead">This is a sandbox: no real money moves.</p>
  </main>`;
  return page(title, markup, { leadsTo, framed });
}
